// same_call.h -- whether a hand-written signature equals NVIDIA's, for types of equal representation.
#pragma once
#include <type_traits>

namespace cuarray::cuda {

/// Enums become int and opaque pointers void*: cuarray's are other types of the same representation.
template <class T, class = void>
struct Plain {
    using type = T;
};
template <class T>
struct Plain<T, std::enable_if_t<std::is_enum_v<T>>> {
    using type = int;
};
template <class T>
struct Plain<T*> {
    using target = std::remove_const_t<T>;
    using plain = typename Plain<target>::type;
    static constexpr bool is_opaque = std::is_class_v<target>;
    using type = std::conditional_t<is_opaque, void*, std::conditional_t<std::is_const_v<T>, const plain*, plain*>>;
};
template <class R, class... Args>
struct Plain<R (*)(Args...)> {
    using type = typename Plain<R>::type (*)(typename Plain<Args>::type...);
};

template <class Ours, class Theirs>
constexpr bool is_same_call = std::is_same_v<typename Plain<Ours>::type, typename Plain<Theirs>::type>;

template <class... Args>
struct Call {
    using type = int (*)(Args...);
};

}  // namespace cuarray::cuda
