// noted_error.h -- an error with more to tell than fits its message.
#pragma once
#include <utility>
#include <vector>
#include "cuarray/core/error.h"

namespace cuarray {

/// What helps to find the cause and is too long for the message; Python shows it as PEP 678's notes.
class CUARRAY_API NotedError : public Error {
 public:
    NotedError(ErrorKind kind, std::string message, std::vector<std::string> notes)
        : Error(kind, std::move(message)), notes_(std::move(notes)) {}
    const std::vector<std::string>& notes() const { return notes_; }

 private:
    std::vector<std::string> notes_;
};

}  // namespace cuarray
