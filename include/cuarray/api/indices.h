// indices.h -- x(slice(1, -1), 0): what NumPy's indices select, read and assigned to.
#pragma once
#include <concepts>
#include <type_traits>
#include <vector>
#include "cuarray/core/integers.h"
#include "cuarray/ops/indexing.h"
#include "cuarray/ops/ufunc.h"

namespace cuarray {

/// All axes that no other index names.
struct Ellipsis {};
constexpr Ellipsis ellipsis{};
/// A new axis of length 1.
struct NewAxis {};
constexpr NewAxis newaxis{};

/// to[...] = values, cast and broadcast as NumPy's assignment does; from any device. OverflowError or ValueError for a
/// number that an integer dtype does not hold.
CUARRAY_API void store(const Array& to, const Argument& values);

/// A view that indices select. Where it is assigned to, its elements are: `x(0) = 1`. Named, it is an array like
/// others, and `v = y` gives the name to another array.
class SelectedView : public Array {
 public:
    explicit SelectedView(Array view) : Array(std::move(view)) {}
    SelectedView(const SelectedView&) = default;
    SelectedView(SelectedView&&) = default;
    const SelectedView& operator=(const SelectedView& values) && { return stored(values); }
    const SelectedView& operator=(const Argument& values) && { return stored(values); }
    /// A temporary that waits is computed into the view.
    template <std::same_as<Array> Temporary>
    const SelectedView& operator=(Temporary&& values) && {
        return stored(operand(std::move(values)));
    }
    SelectedView& operator=(const SelectedView& other) & { return named(other); }
    SelectedView& operator=(const Array& other) & { return named(other); }

 private:
    const SelectedView& stored(const Argument& values) const {
        store(*this, values);
        return *this;
    }
    SelectedView& named(const Array& other) {
        Array::operator=(other);
        return *this;
    }
};

/// The elements that indices with arrays among them select. They are read by a conversion to Array, into new memory, or
/// assigned to: `Array y = x(mask)` is a copy, and `auto y = x(mask)` a selection that is read where it is used.
class CUARRAY_API SelectedElements {
 public:
    template <class... Indices>
    explicit SelectedElements(const Array& array, const Indices&... indices) : array_(array) {
        arrays_.reserve(sizeof...(indices));
        (add(indices), ...);
    }
    SelectedElements(const SelectedElements&) = delete;

    operator Array() const { return elements_at(array_, indices_); }
    /// As an operand of an operation.
    operator Argument() const { return Argument(Array(*this)); }
    Dims shape() const { return Array(*this).shape(); }
    int ndim() const { return Array(*this).ndim(); }
    int64_t size() const { return Array(*this).size(); }
    DType dtype() const { return array_.dtype(); }
    template <NumberType T>
    T item() const {
        return Array(*this).item<T>();
    }
    template <NumberType T>
    std::vector<T> to_vector() const {
        return Array(*this).to_vector<T>();
    }

    void operator=(const SelectedElements& values) && { std::move(*this) = Argument(Array(values)); }
    void operator=(const Argument& values) &&;

 private:
    template <class One>
    void add(const One& one);

    const Array array_;
    std::vector<Array> arrays_;  ///< of integers or bools, to which indices_ point
    std::vector<Index> indices_;
};

namespace api {

template <class T>
concept ArrayIndex = std::derived_from<T, Array> || std::same_as<T, SelectedElements>;
template <class T>
concept AdvancedIndexType = ArrayIndex<T> || std::same_as<T, bool>;

template <class One>
Index as_index(const One& one) {
    Index index;
    if constexpr (std::same_as<One, bool>) {
        index.kind = Index::Kind::Bool;
        index.value = one;
    } else if constexpr (std::same_as<One, Slice>) {
        index = Index(one);
    } else if constexpr (std::same_as<One, Ellipsis>) {
        index.kind = Index::Kind::Ellipsis;
    } else if constexpr (std::same_as<One, NewAxis>) {
        index.kind = Index::Kind::NewAxis;
    } else {
        static_assert(IntegerType<One>, "an index is an integer, slice(...), ellipsis, newaxis, or an array");
        index.value = to_int64(one);
    }
    return index;
}

}  // namespace api

template <class One>
void SelectedElements::add(const One& one) {
    if constexpr (api::ArrayIndex<One>) {
        Index& index = indices_.emplace_back();
        index.kind = Index::Kind::Array;
        index.array = &arrays_.emplace_back(one);
    } else {
        indices_.push_back(api::as_index(one));
    }
}

template <class... Indices>
auto Array::operator()(const Indices&... indices) const {
    if constexpr ((api::AdvancedIndexType<Indices> || ...)) {
        return SelectedElements(*this, indices...);
    } else {
        const std::vector<Index> list{api::as_index(indices)...};
        return SelectedView(basic_index(*this, list));
    }
}

}  // namespace cuarray
