// error.h -- the one exception of the C++ core; the bindings turn each kind into Python's own type.
#pragma once
#include <exception>
#include <sstream>
#include <string>
#include <utility>

#define CUARRAY_API __attribute__((visibility("default")))

namespace cuarray {

enum class ErrorKind {
    Type, Value, Index, Axis, Memory, Overflow, NotImplemented, Buffer, Runtime, Cuda
};

/// What went wrong, in the one format `function: what is wrong, with the values`.
class CUARRAY_API Error : public std::exception {
 public:
    Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
    ErrorKind kind() const { return kind_; }
    const char* what() const noexcept override { return message_.c_str(); }

 private:
    ErrorKind kind_;
    std::string message_;
};

/// Throws Error(kind) with the printed parts joined.
template <class... Parts>
[[noreturn]] void raise(ErrorKind kind, const Parts&... parts) {
    std::ostringstream text;
    (text << ... << parts);
    throw Error(kind, text.str());
}

}  // namespace cuarray
