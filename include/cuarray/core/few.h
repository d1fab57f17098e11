// few.h -- a vector of plain values, the first N of which lie in the object: short lists without an allocation.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <type_traits>

namespace cuarray {

/// As std::vector, for the members that it has.
template <class T, size_t N>
class Few {
    static_assert(std::is_trivially_copyable_v<T>);

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
        release();
        take(other);
        return *this;
    }
    ~Few() { release(); }

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

    void clear() { size_ = 0; }
    void reserve(size_t count) {
        if (count <= capacity_) return;
        T* const grown = static_cast<T*>(::operator new(count * sizeof(T)));
        std::memcpy(static_cast<void*>(grown), data_, size_ * sizeof(T));
        release();
        data_ = grown;
        capacity_ = count;
    }
    void push_back(const T& value) {
        const T copy = value;  // it may lie in this list
        if (size_ == capacity_) reserve(2 * capacity_);
        data_[size_++] = copy;
    }
    void resize(size_t count, const T& value = T()) {
        reserve(count);
        if (count > size_) std::fill(data_ + size_, data_ + count, value);
        size_ = count;
    }
    friend bool operator==(const Few& a, const Few& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

 private:
    T* own() { return reinterpret_cast<T*>(memory_); }
    void assign(const T* from, size_t count) {
        reserve(count);
        std::memcpy(static_cast<void*>(data_), from, count * sizeof(T));
        size_ = count;
    }
    void take(Few& other) {
        if (other.data_ == other.own()) {
            data_ = own();
            capacity_ = N;
            std::memcpy(static_cast<void*>(data_), other.data_, other.size_ * sizeof(T));
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
