// error.h -- the exception of the C++ core; the bindings translate each kind to a Python exception type.
#pragma once
#include <concepts>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
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

/// A part of a message: a text or a number.
class MessagePart {
 public:
    MessagePart(const char* text) : kind_(Kind::Text), text_(text ? text : "") {}
    MessagePart(std::string_view text) : kind_(Kind::Text), text_(text) {}
    MessagePart(const std::string& text) : kind_(Kind::Text), text_(text) {}
    MessagePart(char letter) : kind_(Kind::Letter), letter_(letter) {}
    MessagePart(double number) : kind_(Kind::Real), real_(number) {}
    MessagePart(const void* address) : kind_(Kind::Address), address_(address) {}
    template <std::integral T> MessagePart(T number)
        : kind_(Kind::Whole), whole_(int64_t(number)), is_unsigned_(std::is_unsigned_v<T>) {}

 private:
    friend void append(std::string& message, const MessagePart& part);
    enum class Kind { Text, Letter, Real, Address, Whole };
    Kind kind_;
    union {
        std::string_view text_;
        char letter_;
        double real_;
        const void* address_;
        int64_t whole_;
    };
    bool is_unsigned_ = false;
};

[[noreturn, gnu::cold]] CUARRAY_API void raise_message(ErrorKind kind, std::initializer_list<MessagePart> parts);

/// Throws Error(kind) with the concatenated parts as its message.
template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void raise(ErrorKind kind, const Parts&... parts) {
    raise_message(kind, {parts...});
}

}  // namespace cuarray
