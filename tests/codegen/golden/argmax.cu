namespace cuarray::kernel {
struct program {
    static constexpr int operands = 2, largest = 4, scalars = 0;
    static constexpr bool unrolled = true, masked = false, faults = false;
    using element = f32;
    template <int V> struct inputs { f32 x0[V]; };
    template <int V> static CUARRAY_FN void shift(inputs<V>& lanes) { shift_lanes(lanes.x0); }
    template <int V> struct outputs { f32 y0[V]; };
    template <int V> static CUARRAY_FN void shift(outputs<V>& lanes) { shift_lanes(lanes.y0); }
    template <class Walk, class In> static CUARRAY_FN void read(const Walk& walk, In& in) {
        walk.read(1, in.x0);
    }
    template <class Walk, class Out> static CUARRAY_FN void write(const Walk& walk, Out& out) {
        walk.write(0, out.y0, nullptr);
    }
    template <class In, class Out, class S>
    static CUARRAY_FN void evaluate(const In& in, int i, Out& out, int o, const S& scalars) {
        (void)in, (void)i, (void)scalars;
        const f32 v0 = in.x0[i];
        out.y0[o] = v0;
    }
};
extern "C" __global__ void __launch_bounds__(512, 1)
argmax_f32_tree(const __grid_constant__ Folded<Index64, 2> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    tree<program, red::argmax<f32>, false, Index64>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
argmax_f32_tree_lines(const __grid_constant__ Folded<Index64, 2> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    tree_lines<program, red::argmax<f32>, 4, 4>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(256, 1)
argmax_f32_short(const __grid_constant__ Folded<Index64, 2> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    short_rows<program, red::argmax<f32>>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(512, 1)
argmax_f32_tree_strided(const __grid_constant__ Folded<Index32, 2> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    tree<program, red::argmax<f32>, true, Index32>(p, scalars, sink);
}
extern "C" __global__ void __launch_bounds__(512, 1)
argmax_f32_tree_strided64(const __grid_constant__ Folded<Index64, 2> p, const __grid_constant__ Scalars<1> scalars, const __grid_constant__ FaultSink sink) {
    tree<program, red::argmax<f32>, true, Index64>(p, scalars, sink);
}
}
