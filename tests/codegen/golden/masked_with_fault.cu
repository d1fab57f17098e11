namespace cuarray::kernel {
struct program {
    static constexpr int operands = 4, largest = 8, scalars = 1;
    static constexpr bool unrolled = false, masked = true, faults = true;
    using element = i64;
    template <int V> struct inputs { i64 x0[V]; i64 x1[V]; u8 x2[V]; };
    template <int V> static CUARRAY_FN void shift(inputs<V>& lanes) { shift_lanes(lanes.x0); shift_lanes(lanes.x1); shift_lanes(lanes.x2); }
    template <int V> struct outputs { i64 y0[V]; bool kept[V]; bool fault[V]; };
    template <int V> static CUARRAY_FN void shift(outputs<V>& lanes) { shift_lanes(lanes.y0); shift_lanes(lanes.kept); shift_lanes(lanes.fault); }
    template <class Walk, class In> static CUARRAY_FN void read(const Walk& walk, In& in) {
        walk.read(1, in.x0);
        walk.read(2, in.x1);
        walk.read(3, in.x2);
    }
    template <class Walk, class Out> static CUARRAY_FN void write(const Walk& walk, Out& out) {
        walk.write(0, out.y0, out.kept);
    }
    template <class In, class Out, class S>
    static CUARRAY_FN void evaluate(const In& in, int i, Out& out, int o, const S& scalars) {
        (void)in, (void)i, (void)scalars;
        const i64 v0 = in.x0[i];
        const i64 v1 = in.x1[i];
        i64 v2;
        { const i64 x = v0; const i64 y = v1; v2 = i64(math::pow(x, y)); }
        const i64 v3 = scalar<i64>(scalars, 0);
        bool v4;
        { const i64 x = v1; const i64 y = v3; v4 = bool(math::less(x, y)); }
        const bool v5 = in.x2[i] != 0;
        out.y0[o] = v2;
        out.kept[o] = v5;
        out.fault[o] = v4;
    }
};
extern "C" __global__ void __launch_bounds__(256, 1)
fused_a79d860a604ddc57_contiguous(const __grid_constant__ Flat<4> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    contiguous<program, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
fused_a79d860a604ddc57_rows(const __grid_constant__ Rows<4> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    rows<program, 4, 1>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
fused_a79d860a604ddc57_strided_rows(const __grid_constant__ Rows<4> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    rows<program, 1, 1>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
fused_a79d860a604ddc57_turned(const __grid_constant__ Tiles<4> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    tiles<program, 32, 2, 2>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
fused_a79d860a604ddc57_strided_turned(const __grid_constant__ Tiles<4> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    tiles<program, 32, 1, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
fused_a79d860a604ddc57_strided(const __grid_constant__ Strided<4> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    strided<program, 1>(p, scalars, sink);
}
}
