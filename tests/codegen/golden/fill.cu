namespace cuarray::kernel {
struct program {
    static constexpr int operands = 1, largest = 8, scalars = 1;
    static constexpr bool unrolled = true, masked = false, faults = false;
    using element = c64;
    template <int V> struct inputs { };
    template <int V> static CUARRAY_FN void shift(inputs<V>& lanes) { (void)lanes; }
    template <int V> struct outputs { c64 y0[V]; };
    template <int V> static CUARRAY_FN void shift(outputs<V>& lanes) { shift_lanes(lanes.y0); }
    template <class Walk, class In> static CUARRAY_FN void read(const Walk& walk, In& in) {
        (void)walk, (void)in;
    }
    template <class Walk, class Out> static CUARRAY_FN void write(const Walk& walk, Out& out) {
        walk.write(0, out.y0, nullptr);
    }
    template <class In, class Out, class S>
    static CUARRAY_FN void evaluate(const In& in, int i, Out& out, int o, const S& scalars) {
        (void)in, (void)i, (void)scalars;
        const c64 v0 = scalar<c64>(scalars, 0);
        out.y0[o] = v0;
    }
};
extern "C" __global__ void __launch_bounds__(256, 1)
fill_c64_contiguous(const __grid_constant__ Flat<1> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    contiguous<program, 2>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
fill_c64_rows(const __grid_constant__ Rows<1> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    rows<program, 2, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
fill_c64_strided_rows(const __grid_constant__ Rows<1> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    rows<program, 1, 8>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(512, 1)
fill_c64_turned(const __grid_constant__ Tiles<1> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    tiles<program, 64, 2, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(512, 1)
fill_c64_strided_turned(const __grid_constant__ Tiles<1> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    tiles<program, 64, 1, 8>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
fill_c64_strided(const __grid_constant__ Strided<1> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    strided<program, 8>(p, scalars, sink);
}
}
