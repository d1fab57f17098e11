// golden.cpp -- prints the generated part of representative kernels, each behind a line with its name.
#include <iostream>
#include <string>

#include "codegen/source.h"

using namespace cuarray;

namespace {

LoopId loop(const char* row, DType dtype) { return loop_for(find_row(row), dtype); }

/// Prints what the generator wrote itself: the element and the entry points, without the library text before
/// them.
void print(const char* title, const Program& program, std::span<const Walk> walks) {
    const std::string text = kernel_source(program, walks);
    const size_t from = text.rfind("namespace cuarray::kernel {");
    std::cout << "=== " << title << "\n" << text.substr(from);
}

void elementwise(const char* title, const Expr& expr) {
    const Program program{&expr};
    print(title, program, walks(program));
}

void one_row() {
    Expr expr;
    const ValueId a = expr.input(DType::float32), b = expr.input(DType::float32);
    expr.outputs = {expr.loop(loop("add", DType::float32), a, b)};
    elementwise("add", expr);
}

/// a * b + sin(c), with a scalar, a cast and a rounding to half per node.
void fused() {
    Expr expr;
    const ValueId a = expr.input(DType::float16);
    const ValueId b = expr.scalar(Scalar::of(DType::float16, 2.0));
    const ValueId product = expr.loop(loop("multiply", DType::float16), a, b);
    const ValueId sine = expr.loop(loop("sin", DType::float32), expr.input(DType::float32));
    expr.outputs = {expr.loop(loop("add", DType::float32), expr.cast(product, DType::float32), sine)};
    elementwise("fused", expr);
}

void two_outputs() {
    Expr expr;
    const ValueId value = expr.loop(loop("divmod", DType::int16), expr.input(DType::int16), expr.input(DType::int16));
    expr.outputs = {value, expr.second(value)};
    elementwise("two_outputs", expr);
}

/// Stores where the mask is true, reports negative exponents.
void masked_with_fault() {
    Expr expr;
    const ValueId x = expr.input(DType::int64), y = expr.input(DType::int64);
    expr.outputs = {expr.loop(loop("pow", DType::int64), x, y)};
    expr.fault = expr.loop(loop("less", DType::int64), y, expr.scalar(Scalar::of(DType::int64, int64_t(0))));
    expr.mask = expr.input(DType::bool_);
    elementwise("masked_with_fault", expr);
}

void index() {
    Expr expr;
    const ValueId i = expr.push({ExprNode::Op::Index, DType::int64, 0, {kNoValue, kNoValue, kNoValue}});
    expr.outputs = {expr.cast(i, DType::float64)};
    elementwise("index", expr);
}

void fill() {
    Expr expr;
    expr.outputs = {expr.scalar(Scalar::of(DType::complex64, 0.0))};
    elementwise("fill", expr);
}

void second_type() {
    Expr expr;
    const Row& row = rows()[find_row("ldexp")];
    for (LoopId id = row.first_loop; id < row.first_loop + row.loops; ++id) {
        if (loops()[id].T != DType::float32 || loops()[id].U != DType::int64) continue;
        const ValueId mantissa = expr.input(DType::float32);
        expr.outputs = {expr.loop(id, mantissa, expr.input(DType::int64))};
    }
    elementwise("second_type", expr);
}

void reductions_and_folds() {
    Expr plain;
    plain.outputs = {plain.input(DType::float32)};
    const Program argmax{&plain, find_reduction("argmax")};
    print("argmax", argmax, walks(argmax));

    Expr product;
    const ValueId a = product.input(DType::bfloat16), b = product.input(DType::bfloat16);
    product.outputs = {product.loop(loop("multiply", DType::bfloat16), a, b)};
    const Program sum{&product, find_reduction("sum")};
    print("sum_of_product", sum, walks(sum));

    const Program fold{&plain, kNone, loop("subtract", DType::float32)};
    print("fold_subtract", fold, walks(fold));

    for (const char* row : {"add", "subtract"}) {
        const Program scan{&plain, kNone, loop(row, DType::float32), true};
        print((std::string("scan_") + row).c_str(), scan, walks(scan));
    }
}

}  // namespace

int main() {
    one_row();
    fused();
    two_outputs();
    masked_with_fault();
    index();
    fill();
    second_type();
    reductions_and_folds();
}
