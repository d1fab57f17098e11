// scratch.h -- temporary memory of a task, from a stack per thread.
#pragma once
#include <cstddef>
#include <cstdint>

namespace cuarray::host {

/// A scope of temporary memory, released by the destructor; scopes must end in the reverse order of their beginning.
class Scratch {
 public:
    Scratch();
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    /// `bytes` with undefined contents, 64-byte aligned.
    char* take(int64_t bytes);
    template <class T>
    T* take_array(int64_t count) {
        return reinterpret_cast<T*>(take(count * int64_t(sizeof(T))));
    }

 private:
    int64_t mark_;
    struct Large* large_ = nullptr;
};

}  // namespace cuarray::host
