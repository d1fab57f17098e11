namespace cuarray::kernel {
struct program {
    static constexpr int operands = 4, largest = 8, scalars = 1;
    static constexpr bool unrolled = false, tiles = true, masked = true, faults = true;
    using element = i64;
    template <int V> struct inputs { stored_t<i64> x0[V]; stored_t<i64> x1[V]; stored_t<bool> x2[V]; };
    template <int V> static CUARRAY_FN void shift(inputs<V>& lanes) { shift_lanes(lanes.x0); shift_lanes(lanes.x1); shift_lanes(lanes.x2); }
    template <int V> struct outputs { stored_t<i64> y0[V]; bool kept[V]; bool fault[V]; };
    template <int V> static CUARRAY_FN void shift(outputs<V>& lanes) { shift_lanes(lanes.y0); shift_lanes(lanes.kept); shift_lanes(lanes.fault); }
    template <class Walk, class In> static CUARRAY_FN void read(const Walk& walk, In& in) {
        walk.template read<1>(in.x0);
        walk.template read<2>(in.x1);
        walk.template read<3>(in.x2);
    }
    template <class Walk, class Out> static CUARRAY_FN void write(const Walk& walk, Out& out) {
        walk.template write<0>(out.y0, out.kept);
    }
    template <class In, class Out, class S>
    static CUARRAY_FN void evaluate(const In& in, int i, Out& out, int o, const S& scalars) {
        (void)in, (void)i, (void)scalars;
        const i64 v0 = load<i64>(in.x0[i]);
        const i64 v1 = load<i64>(in.x1[i]);
        const i64 v2 = fn::call<fn::pow, i64>(v0, v1);
        const i64 v3 = scalar<i64>(scalars, 0);
        const bool v4 = fn::call<fn::less, i64>(v1, v3);
        const bool v5 = load<bool>(in.x2[i]);
        out.y0[o] = store<i64>(v2);
        out.kept[o] = v5;
        out.fault[o] = v4;
    }
};
extern "C" __global__ void __launch_bounds__(256, 1)
fused_311be11e98c6a325_contiguous(const __grid_constant__ Flat<4> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    contiguous<program, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(512, 1)
fused_311be11e98c6a325_strided(const __grid_constant__ Strided<4> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    strided<program, 2, 512>(p, scalars, sink);
}
}
