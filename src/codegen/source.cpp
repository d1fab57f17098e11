// source.cpp -- generates a program's module: the library declarations it uses, its element text, and one entry point
// per walk.
#include "codegen/source.h"

#include <algorithm>
#include <sstream>

#include "codegen/element_text.h"
#include "codegen/lanes.h"
#include "codegen/sizes.h"
#include "codegen/tree_shaking.h"
#include "cuarray/kernel/index.h"

namespace cuarray {
namespace {

constexpr const char* kWalkNames[] = {"contiguous", "rows",     "strided_rows", "turned",       "strided_turned",
                                      "strided",    "tree",     "tree_lines",   "tree_strided", "tree_strided64",
                                      "short",      "in_order", "tiles",        "tiles64",      "lines"};

constexpr Walk kElementwiseWalks[] = {Walk::Contiguous, Walk::Rows,         Walk::StridedRows,
                                      Walk::Tiles,      Walk::StridedTiles, Walk::Strided};
constexpr Walk kReductionWalks[] = {Walk::Tree, Walk::TreeLines, Walk::Short, Walk::TreeStrided, Walk::TreeStrided64};
constexpr Walk kFoldWalks[] = {Walk::InOrder};
constexpr Walk kScanWalks[] = {Walk::Scan, Walk::Scan64};
constexpr Walk kScanInOrderWalks[] = {Walk::ScanInOrder};

constexpr int kFoldThreads = 512;

constexpr const char* kOptions[] = {"-std=c++17", "-fmad=false", "-minimal", "--device-int128", kFastCompile.data()};

/// A hash of the text alone: a kernel keeps its name when rows are added to the tables.
std::string text_hash(const std::string& text) {
    uint64_t hash = 0xcbf29ce484222325ull;
    for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ull;
    std::ostringstream digits;
    digits << std::hex << hash;
    return digits.str();
}

/// "add_f32_f32", "cast_f32_i32", "fill_f32", or a hash if there are several loops.
std::string expr_name(const Expr& expr) {
    int loop_nodes = 0;
    std::string name;
    for (const ExprNode& node : expr.nodes) {
        if (node.op != ExprNode::Op::Loop) continue;
        ++loop_nodes;
        name = rows()[loops()[node.index].row].name;
    }
    if (loop_nodes > 1) return "fused_" + text_hash(element_text(expr));
    std::ostringstream text;
    text << (loop_nodes ? name : expr.inputs.empty() ? "fill" : "cast");
    for (DType dtype : expr.inputs) text << "_" << info(dtype).text;
    if (!loop_nodes && !expr.outputs.empty()) text << "_" << info(expr.nodes[expr.outputs[0]].dtype).text;
    return text.str();
}

bool is_one_input(const Expr& expr) { return expr.nodes.size() == 1 && expr.inputs.size() == 1; }

bool has_complex(const Program& program) {
    const auto is_complex = [](DType dtype) { return info(dtype).kind == Kind::Complex; };
    for (const ExprNode& node : program.expr->nodes) {
        if (is_complex(node.dtype)) return true;
        if (node.op == ExprNode::Op::Loop && is_complex(loops()[node.index].T)) return true;
    }
    return std::any_of(program.expr->inputs.begin(), program.expr->inputs.end(), is_complex);
}

/// The functor of a fold: a reduction's row at T, or a binary loop from left to right.
std::string fold_type(const Program& program) {
    const DType T = program.expr->nodes[program.expr->outputs[0]].dtype;
    if (program.reduction != kNone)
        return std::string("red::") + reductions()[program.reduction].name + "<" + info(T).text + ">";
    return std::string("InOrder<fn::") + rows()[loops()[program.loop].row].name + ", " + info(T).text + ">";
}

/// The row of a scan.
std::string scan_row(const Program& program) { return std::string("fn::") + rows()[loops()[program.loop].row].name; }

struct EntryText {
    std::string parameters;  ///< the struct of kernel/index.h
    std::string call;        ///< the skeleton with its template arguments
    int threads;
};

EntryText entry_text(const Program& program, Walk walk) {
    const ElementSizes sizes = element_sizes(*program.expr);
    const std::string operands = std::to_string(sizes.operands);
    const std::string index = walk == Walk::TreeStrided || walk == Walk::Scan ? "Index32" : "Index64";
    const std::string folded = "Folded<" + index + ", " + operands + ">";
    const std::string scanned = "ScanParameters<" + index + ", " + operands + ">";
    const std::string lanes = std::to_string(contiguous_lanes(sizes));
    switch (walk) {
        case Walk::Contiguous: return {"Flat<" + operands + ">", "contiguous<program, " + lanes + ">", kThreads};
        case Walk::Rows:
        case Walk::StridedRows: {
            const int in_row = walk == Walk::Rows ? contiguous_lanes(sizes) : 1;
            const std::string shape =
                std::to_string(in_row) + ", " + std::to_string(rows_per_thread(*program.expr, sizes, in_row));
            return {"Rows<" + operands + ">", "rows<program, " + shape + ">", kThreads};
        }
        case Walk::Tiles:
        case Walk::StridedTiles: {
            const TileShape tile = tile_shape(*program.expr, sizes, walk == Walk::Tiles);
            const std::string shape =
                std::to_string(tile.edge) + ", " + std::to_string(tile.lanes) + ", " + std::to_string(tile.rows);
            return {"Tiles<" + operands + ">", "tiles<program, " + shape + ">", tile.threads()};
        }
        case Walk::Strided:
            return {"Strided<" + operands + ">", "strided<program, " + std::to_string(strided_lanes(sizes)) + ">",
                    kThreads};
        case Walk::Tree: return {folded, "tree<program, " + fold_type(program) + ", false, Index64>", kFoldThreads};
        case Walk::TreeLines: {
            const int in_row = line_lanes(program);
            const std::string shape = std::to_string(in_row) + ", " + std::to_string(line_rows(program));
            return {folded, "tree_lines<program, " + fold_type(program) + ", " + shape + ">", line_threads(program)};
        }
        case Walk::TreeStrided:
        case Walk::TreeStrided64:
            return {folded, "tree<program, " + fold_type(program) + ", true, " + index + ">", kFoldThreads};
        case Walk::Short: return {folded, "short_rows<program, " + fold_type(program) + ">", kThreads};
        case Walk::InOrder: return {folded, "in_order<program, " + fold_type(program) + ">", kThreads};
        case Walk::Scan:
        case Walk::Scan64: return {scanned, "scan_tiles<program, " + scan_row(program) + ", " + index + ">", kThreads};
        case Walk::ScanInOrder: return {scanned, "scan_in_order<program, " + scan_row(program) + ">", kThreads};
    }
    return {};
}

/// Whether kFastCompile is left out: for copies in tiles, whose addresses it would compute one by one, and for scans
/// and reductions by trees, whose arrays it would not keep in registers. Without it reductions of large accumulators,
/// and of 16 elements of short rows, take more registers than there are.
bool gains_by_optimising(const Program& program, std::span<const Walk> walks) {
    if (walks.size() == 1 && (walks[0] == Walk::Tiles || walks[0] == Walk::StridedTiles))
        return program.expr->inputs.size() == 1 && is_short(*program.expr);
    if (program.scans) return walks[0] != Walk::ScanInOrder;
    if (program.reduction == kNone || (walks.size() == 1 && walks[0] == Walk::Short)) return false;
    return accumulator_size(program.reduction, program.expr->nodes[program.expr->outputs[0]].dtype) <= 16;
}

void check_limits(const Program& program) {
    const ElementSizes sizes = element_sizes(*program.expr);
    if (sizes.operands <= kernel::kMaxOperands && program.expr->scalars.size() < kernel::kMaxScalars) return;
    raise(ErrorKind::NotImplemented, kernel_name(program), ": ", sizes.operands, " operands and ",
          program.expr->scalars.size(), " scalars; a kernel takes at most ", kernel::kMaxOperands, " and ",
          kernel::kMaxScalars - 1);
}

}  // namespace

const char* to_string(Walk walk) { return kWalkNames[int(walk)]; }

std::span<const Walk> walks(const Program& program) {
    if (program.scans && rows()[loops()[program.loop].row].has(Associative)) return kScanWalks;
    if (program.scans) return kScanInOrderWalks;
    if (program.loop != kNone) return kFoldWalks;
    if (program.reduction != kNone) return kReductionWalks;
    return kElementwiseWalks;
}

std::string kernel_name(const Program& program) {
    std::string fold;
    if (program.reduction != kNone) fold = reductions()[program.reduction].name;
    if (program.loop != kNone)
        fold = std::string(program.scans ? "scan_" : "fold_") + rows()[loops()[program.loop].row].name;
    if (fold.empty()) return expr_name(*program.expr);
    return fold + (is_one_input(*program.expr) ? std::string("_") + info(program.expr->inputs[0]).text
                                               : "_of_" + expr_name(*program.expr));
}

std::string entry_point(const Program& program, Walk walk) { return kernel_name(program) + "_" + to_string(walk); }

std::string kernel_source(const Program& program, std::span<const Walk> walks) {
    check_limits(program);
    std::ostringstream body;
    body << "namespace cuarray::kernel {\n" << element_text(*program.expr);
    // The last slot is a reduction's initial value.
    const size_t scalars = program.expr->scalars.size() + (program.reduction != kNone || program.loop != kNone);
    for (Walk walk : walks) {
        // At least 1 block per multiprocessor: without this bound ptxas spills a few words to fit more blocks.
        const EntryText entry = entry_text(program, walk);
        body << "extern \"C\" __global__ void __launch_bounds__(" << entry.threads << ", 1)\n"
             << entry_point(program, walk) << "(const __grid_constant__ " << entry.parameters
             << " p, const __grid_constant__ Scalars<" << scalars
             << "> scalars, const __grid_constant__ FaultSink sink) {\n    " << entry.call
             << "(p, scalars, sink);\n}\n";
    }
    body << "}\n";
    std::string source(gains_by_optimising(program, walks) ? kOptimised : "");
    append_reachable(source, body.view(), has_complex(program));
    return source.append(body.view());
}

std::string kernel_source(const NamedKernel& kernel) {
    std::ostringstream body;
    body
        << "namespace cuarray::kernel {\nextern \"C\" __global__ void __launch_bounds__(" << kernel.threads << ", 1)\n"
        << kernel.entry << "(const __grid_constant__ " << kernel.parameters
        << " p, const __grid_constant__ Scalars<0> scalars, const __grid_constant__ FaultSink sink) {\n    (void)scalars, "
           "(void)sink;\n    "
        << kernel.function << (kernel.faults ? "(p, sink)" : "(p)") << ";\n}\n}\n";
    std::string source(kernel.is_optimised ? kOptimised : "");
    append_reachable(source, body.view(), kernel.has_complex);
    return source.append(body.view());
}

bool same_program(const Program& a, const Program& b) {
    return a.reduction == b.reduction && a.loop == b.loop && a.scans == b.scans && same_structure(*a.expr, *b.expr);
}

uint64_t program_hash(const Program& program) {
    return (structure_hash(*program.expr) ^ program.reduction) * 0x9e3779b97f4a7c15ull + 2 * program.loop +
           program.scans;
}

std::span<const char* const> compile_options() { return kOptions; }

}  // namespace cuarray
