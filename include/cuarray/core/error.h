// error.h -- the exception of the C++ core; the bindings translate each kind to a Python exception type.
#pragma once
#include <exception>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#define CUARRAY_API __attribute__((visibility("default")))

namespace cuarray {

enum class ErrorKind { Type, Value, Index, Axis, LinAlg, Memory, Overflow, NotImplemented, Buffer, Runtime, Cuda };

/// An error. Messages have the format `function: what is wrong, with the values`.
class CUARRAY_API Error : public std::exception {
 public:
    Error(ErrorKind kind, std::string message, std::vector<std::string> notes = {})
        : kind_(kind), message_(std::move(message)), notes_(std::move(notes)) {}
    ErrorKind kind() const { return kind_; }
    const char* what() const noexcept override { return message_.c_str(); }
    /// Details that are too long for the message; Python shows them as notes (PEP 678).
    const std::vector<std::string>& notes() const { return notes_; }

 private:
    ErrorKind kind_;
    std::string message_;
    std::vector<std::string> notes_;
};

/// Throws Error(kind) with the concatenated parts as its message.
template <class... Parts>
[[noreturn]] void raise(ErrorKind kind, const Parts&... parts) {
    std::ostringstream text;
    (text << ... << parts);
    throw Error(kind, text.str());
}

}  // namespace cuarray
