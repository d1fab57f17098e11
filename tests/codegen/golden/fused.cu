namespace cuarray::kernel {
struct program {
    static constexpr int operands = 3, largest = 4, scalars = 1;
    static constexpr bool unrolled = false, tiles = true, masked = false, faults = false;
    using element = f32;
    template <int V> struct inputs { stored_t<f16> x0[V]; stored_t<f32> x1[V]; };
    template <int V> static CUARRAY_FN void shift(inputs<V>& lanes) { shift_lanes(lanes.x0); shift_lanes(lanes.x1); }
    template <int V> struct outputs { stored_t<f32> y0[V]; };
    template <int V> static CUARRAY_FN void shift(outputs<V>& lanes) { shift_lanes(lanes.y0); }
    template <class Walk, class In> static CUARRAY_FN void read(const Walk& walk, In& in) {
        walk.template read<1>(in.x0);
        walk.template read<2>(in.x1);
    }
    template <class Walk, class Out> static CUARRAY_FN void write(const Walk& walk, Out& out) {
        walk.template write<0>(out.y0, nullptr);
    }
    template <class In, class Out, class S>
    static CUARRAY_FN void evaluate(const In& in, int i, Out& out, int o, const S& scalars) {
        (void)in, (void)i, (void)scalars;
        const f16 v0 = load<f16>(in.x0[i]);
        const f16 v1 = scalar<f16>(scalars, 0);
        const f16 v2 = fn::call<fn::multiply, f16>(v0, v1);
        const f32 v3 = load<f32>(in.x1[i]);
        const f32 v4 = fn::call<fn::sin, f32>(v3);
        const f32 v5 = cast<f32>(v2);
        const f32 v6 = fn::call<fn::add, f32>(v5, v4);
        out.y0[o] = store<f32>(v6);
    }
};
extern "C" __global__ void __launch_bounds__(256, 1)
fused_a57ff376b254602f_contiguous(const __grid_constant__ Flat<3> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    contiguous<program, 8>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(512, 1)
fused_a57ff376b254602f_strided(const __grid_constant__ Strided<3> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    strided<program, 2, 512>(p, scalars, sink);
}
}
