namespace cuarray::kernel {
struct program {
    static constexpr int operands = 3, largest = 4, scalars = 0;
    static constexpr bool unrolled = true, masked = false, faults = false;
    using element = f32;
    template <int V> struct inputs { f32 x0[V]; f32 x1[V]; };
    template <int V> static CUARRAY_FN void shift(inputs<V>& lanes) { shift_lanes(lanes.x0); shift_lanes(lanes.x1); }
    template <int V> struct outputs { f32 y0[V]; };
    template <int V> static CUARRAY_FN void shift(outputs<V>& lanes) { shift_lanes(lanes.y0); }
    template <class Walk, class In> static CUARRAY_FN void read(const Walk& walk, In& in) {
        walk.read(1, in.x0);
        walk.read(2, in.x1);
    }
    template <class Walk, class Out> static CUARRAY_FN void write(const Walk& walk, Out& out) {
        walk.write(0, out.y0, nullptr);
    }
    template <class In, class Out, class S>
    static CUARRAY_FN void evaluate(const In& in, int i, Out& out, int o, const S& scalars) {
        (void)in, (void)i, (void)scalars;
        const f32 v0 = in.x0[i];
        const f32 v1 = in.x1[i];
        f32 v2;
        { const f32 x = v0; const f32 y = v1; v2 = f32(math::add(x, y)); }
        out.y0[o] = v2;
    }
};
extern "C" __global__ void __launch_bounds__(256, 1)
add_f32_f32_contiguous(const __grid_constant__ Flat<3> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    contiguous<program, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
add_f32_f32_rows(const __grid_constant__ Rows<3> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    rows<program, 4, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
add_f32_f32_strided_rows(const __grid_constant__ Rows<3> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    rows<program, 1, 8>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
add_f32_f32_turned(const __grid_constant__ Tiles<3> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    tiles<program, 64, 4, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
add_f32_f32_strided_turned(const __grid_constant__ Tiles<3> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    tiles<program, 64, 1, 16>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
add_f32_f32_strided(const __grid_constant__ Strided<3> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    strided<program, 2>(p, scalars, sink);
}
}
