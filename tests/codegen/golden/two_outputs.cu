namespace cuarray::kernel {
struct program {
    static constexpr int operands = 4, largest = 2, scalars = 0;
    static constexpr bool unrolled = true, masked = false, faults = false;
    using element = i16;
    template <int V> struct inputs { i16 x0[V]; i16 x1[V]; };
    template <int V> static CUARRAY_FN void shift(inputs<V>& lanes) { shift_lanes(lanes.x0); shift_lanes(lanes.x1); }
    template <int V> struct outputs { i16 y0[V]; i16 y1[V]; };
    template <int V> static CUARRAY_FN void shift(outputs<V>& lanes) { shift_lanes(lanes.y0); shift_lanes(lanes.y1); }
    template <class Walk, class In> static CUARRAY_FN void read(const Walk& walk, In& in) {
        walk.read(2, in.x0);
        walk.read(3, in.x1);
    }
    template <class Walk, class Out> static CUARRAY_FN void write(const Walk& walk, Out& out) {
        walk.write(0, out.y0, nullptr);
        walk.write(1, out.y1, nullptr);
    }
    template <class In, class Out, class S>
    static CUARRAY_FN void evaluate(const In& in, int i, Out& out, int o, const S& scalars) {
        (void)in, (void)i, (void)scalars;
        const i16 v0 = in.x0[i];
        const i16 v1 = in.x1[i];
        pair<i16, i16> pair2;
        { const i16 x = v1; const i16 y = v0; pair2 = pair<i16, i16>(math::divmod(x, y)); }
        const i16 v2 = pair2.first;
        const i16 v3 = pair2.second;
        out.y0[o] = v2;
        out.y1[o] = v3;
    }
};
extern "C" __global__ void __launch_bounds__(256, 1)
divmod_i16_i16_contiguous(const __grid_constant__ Flat<4> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    contiguous<program, 8>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
divmod_i16_i16_rows(const __grid_constant__ Rows<4> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    rows<program, 8, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
divmod_i16_i16_strided_rows(const __grid_constant__ Rows<4> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    rows<program, 1, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
divmod_i16_i16_turned(const __grid_constant__ Tiles<4> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    tiles<program, 64, 4, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
divmod_i16_i16_strided_turned(const __grid_constant__ Tiles<4> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    tiles<program, 64, 1, 16>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
divmod_i16_i16_strided(const __grid_constant__ Strided<4> p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {
    strided<program, 4>(p, scalars, sink);
}
}
