// few.h -- a vector, the first N values of which lie in the object: short lists without an allocation.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>

namespace cuarray {

/// As std::vector, for the members that it has.
template <class T, size_t N>
class Few {
 public:
    using value_type = T;
    Few() {}
    Few(std::initializer_list<T> values) { assign(values.begin(), values.size()); }
    Few(size_t count, const T& value) { resize(count, value); }
    Few(const Few& other) { assign(other.data_, other.size_); }
    Few(Few&& other) noexcept { take(other); }
    Few& operator=(const Few& other) {
        if (this != &other) assign(other.data_, other.size_);
        return *this;
    }
    Few& operator=(Few&& other) noexcept {
        if (this == &other) return *this;
        clear();
        release();
        take(other);
        return *this;
    }
    ~Few() {
        clear();
        release();
    }

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    T& operator[](size_t i) { return data_[i]; }
    const T& operator[](size_t i) const { return data_[i]; }
    T& front() { return data_[0]; }
    const T& front() const { return data_[0]; }
    T& back() { return data_[size_ - 1]; }
    const T& back() const { return data_[size_ - 1]; }

    void clear() {
        std::destroy_n(data_, size_);
        size_ = 0;
    }
    void reserve(size_t count) {
        if (count <= capacity_) return;
        T* const grown = static_cast<T*>(::operator new(count * sizeof(T)));
        move(data_, size_, grown);
        release();
        data_ = grown;
        capacity_ = count;
    }
    void push_back(const T& value) {
        T copy = value;  // it may lie in this list
        if (size_ == capacity_) reserve(2 * capacity_);
        std::construct_at(data_ + size_++, std::move(copy));
    }
    void resize(size_t count, const T& value = T()) {
        reserve(count);
        if (count > size_)
            std::uninitialized_fill(data_ + size_, data_ + count, value);
        else
            std::destroy_n(data_ + count, size_ - count);
        size_ = count;
    }
    friend bool operator==(const Few& a, const Few& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

 private:
    T* own() { return reinterpret_cast<T*>(memory_); }
    /// Moves values to memory without any, and leaves none behind.
    static void move(T* from, size_t count, T* to) {
        if constexpr (std::is_trivially_copyable_v<T>) {
            std::memcpy(static_cast<void*>(to), from, count * sizeof(T));
        } else {
            std::uninitialized_move_n(from, count, to);
            std::destroy_n(from, count);
        }
    }
    void assign(const T* from, size_t count) {
        clear();
        reserve(count);
        if constexpr (std::is_trivially_copyable_v<T>)
            std::memcpy(static_cast<void*>(data_), from, count * sizeof(T));
        else
            std::uninitialized_copy_n(from, count, data_);
        size_ = count;
    }
    void take(Few& other) {
        if (other.data_ == other.own()) {
            data_ = own();
            capacity_ = N;
            move(other.data_, other.size_, data_);
        } else {
            data_ = other.data_;
            capacity_ = other.capacity_;
        }
        size_ = other.size_;
        other.data_ = other.own();
        other.size_ = 0;
        other.capacity_ = N;
    }
    void release() {
        if (data_ != own()) ::operator delete(data_);
    }

    alignas(T) std::byte memory_[N * sizeof(T)];
    T* data_ = own();
    size_t size_ = 0, capacity_ = N;
};

}  // namespace cuarray
