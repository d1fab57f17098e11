namespace cuarray::kernel {
struct program {
    static constexpr int operands = 3, largest = 2, scalars = 0;
    static constexpr bool unrolled = true, masked = false, faults = false;
    using element = bf16;
    template <int V> struct inputs { bf16 x0[V]; bf16 x1[V]; };
    template <int V> static CUARRAY_FN void shift(inputs<V>& lanes) { shift_lanes(lanes.x0); shift_lanes(lanes.x1); }
    template <int V> struct outputs { bf16 y0[V]; };
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
        const bf16 v0 = in.x0[i];
        const bf16 v1 = in.x1[i];
        bf16 v2;
        { const f32 x = widen(v0); const f32 y = widen(v1); v2 = fn::narrow<bf16>(f32(math::multiply(x, y))); }
        out.y0[o] = v2;
    }
};
extern "C" __global__ void __launch_bounds__(512, 1)
sum_of_multiply_bf16_bf16_tree(const __grid_constant__ Folded<Index64, 3> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    tree<program, red::sum<bf16>, false, Index64>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(128, 1)
sum_of_multiply_bf16_bf16_tree_lines(const __grid_constant__ Folded<Index64, 3> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    tree_lines<program, red::sum<bf16>, 8, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
sum_of_multiply_bf16_bf16_short(const __grid_constant__ Folded<Index64, 3> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    short_rows<program, red::sum<bf16>>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(512, 1)
sum_of_multiply_bf16_bf16_tree_strided(const __grid_constant__ Folded<Index32, 3> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    tree<program, red::sum<bf16>, true, Index32>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(512, 1)
sum_of_multiply_bf16_bf16_tree_strided64(const __grid_constant__ Folded<Index64, 3> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    tree<program, red::sum<bf16>, true, Index64>(p, scalars, sink);
}
}
