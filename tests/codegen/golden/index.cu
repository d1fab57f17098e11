namespace cuarray::kernel {
struct program {
    static constexpr int operands = 2, largest = 8, scalars = 0;
    static constexpr bool unrolled = true, masked = false, faults = false;
    using element = f64;
    template <int V> struct inputs { i64 index[V]; };
    template <int V> static CUARRAY_FN void shift(inputs<V>& lanes) { shift_lanes(lanes.index); }
    template <int V> struct outputs { f64 y0[V]; };
    template <int V> static CUARRAY_FN void shift(outputs<V>& lanes) { shift_lanes(lanes.y0); }
    template <class Walk, class In> static CUARRAY_FN void read(const Walk& walk, In& in) {
        walk.index(1, in.index);
    }
    template <class Walk, class Out> static CUARRAY_FN void write(const Walk& walk, Out& out) {
        walk.write(0, out.y0, nullptr);
    }
    template <class In, class Out, class S>
    static CUARRAY_FN void evaluate(const In& in, int i, Out& out, int o, const S& scalars) {
        (void)in, (void)i, (void)scalars;
        const i64 v0 = in.index[i];
        const f64 v1 = cast<f64>(v0);
        out.y0[o] = v1;
    }
};
extern "C" __global__ void __launch_bounds__(256, 1)
fill_f64_contiguous(const __grid_constant__ Flat<2> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    contiguous<program, 2>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
fill_f64_rows(const __grid_constant__ Rows<2> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    rows<program, 2, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
fill_f64_strided_rows(const __grid_constant__ Rows<2> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    rows<program, 1, 8>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(512, 1)
fill_f64_turned(const __grid_constant__ Tiles<2> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    tiles<program, 64, 2, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(512, 1)
fill_f64_strided_turned(const __grid_constant__ Tiles<2> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    tiles<program, 64, 1, 8>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
fill_f64_strided(const __grid_constant__ Strided<2> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    strided<program, 8>(p, scalars, sink);
}
}
