// element_text.cpp -- writes struct program: every node of the Expr becomes one statement, rounded to its
// dtype.
#include "codegen/element_text.h"

#include <algorithm>
#include <sstream>

#include "codegen/lanes.h"
#include "codegen/tokens.h"

namespace cuarray {
namespace {

const char* text(DType dtype) { return info(dtype).text; }
std::string stored_text(DType dtype) { return dtype == DType::bool_ ? "u8" : text(dtype); }

/// Whether a loop's body gets elements of this dtype as f32: float16 and bfloat16, unless the row works on their bits.
bool widens(const Loop& loop, DType dtype) {
    return (dtype == DType::float16 || dtype == DType::bfloat16) && !rows()[loop.row].has(HalfBits);
}

/// "pair<f32, i32>" for two outputs, each spelled by `spell`.
template <class Spell>
std::string result_text(const Loop& loop, Spell spell) {
    if (rows()[loop.row].nout == 1) return spell(loop.out[0]);
    return std::string("pair<") + spell(loop.out[0]) + ", " + spell(loop.out[1]) + ">";
}

/// Emits the row's body in a block that declares x, y, z, T and U as ufuncs.def defines them. Equivalent to the
/// templates of kernel/functors.h, but cheaper for NVRTC to compile.
void assign_body(std::ostringstream& out, const ExprNode& node, const std::string& target) {
    const Loop& loop = loops()[node.index];
    const Row& row = rows()[loop.row];
    const auto plain = [](DType dtype) { return text(dtype); };
    const auto wide = [&](DType dtype) { return text(widens(loop, dtype) ? DType::float32 : dtype); };
    const std::string result = result_text(loop, plain), made = result_text(loop, wide);
    out << result << " " << target << ";\n        { ";
    const std::vector<Token> tokens = tokenise(row.body);
    const auto says = [&](std::string_view word) {
        return std::any_of(tokens.begin(), tokens.end(), [&](const Token& t) { return t.text == word; });
    };
    if (says("T")) out << "using T = " << wide(loop.T) << "; ";
    if (says("U")) out << "using U = " << wide(loop.U) << "; ";
    for (int i = 0; i < row.nin; ++i) {
        const bool is_half = widens(loop, loop.in[i]);
        out << "const " << wide(loop.in[i]) << " " << "xyz"[i] << (is_half ? " = widen(v" : " = v") << node.source[i]
            << (is_half ? "); " : "; ");
    }
    out << target << " = ";
    if (made != result) out << "fn::narrow<" << result << ">(";
    out << made << "(" << row.body << ")" << (made != result ? "); }\n" : "; }\n");
}

void statement(std::ostringstream& out, const Expr& expr, size_t id) {
    const ExprNode& node = expr.nodes[id];
    const char* type = text(node.dtype);
    const std::string number = std::to_string(id);
    out << "        ";
    if (node.op == ExprNode::Op::Loop) {
        const bool is_pair = rows()[loops()[node.index].row].nout == 2;
        assign_body(out, node, (is_pair ? "pair" : "v") + number);
        if (is_pair) out << "        const " << type << " v" << id << " = pair" << id << ".first;\n";
        return;
    }
    out << "const " << type << " v" << id << " = ";
    switch (node.op) {
        case ExprNode::Op::Input:
            out << "in.x" << node.index << (node.dtype == DType::bool_ ? "[i] != 0" : "[i]");
            break;
        case ExprNode::Op::Scalar: out << "scalar<" << type << ">(scalars, " << node.index << ")"; break;
        case ExprNode::Op::Cast: out << "cast<" << type << ">(v" << node.source[0] << ")"; break;
        case ExprNode::Op::Second: out << "pair" << node.source[0] << ".second"; break;
        case ExprNode::Op::Index: out << "in.index[i]"; break;
        case ExprNode::Op::Loop: break;
    }
    out << ";\n";
}

/// Emits one struct of lanes: an array per member, and its shift().
void lanes(std::ostringstream& out, const char* name, const std::vector<std::string>& members) {
    out << "    template <int V> struct " << name << " {";
    for (const std::string& member : members) out << " " << member << "[V];";
    out << " };\n    template <int V> static CUARRAY_FN void shift(" << name << "<V>& lanes) {";
    for (const std::string& member : members)
        out << " shift_lanes(lanes." << member.substr(member.rfind(' ') + 1) << ");";
    out << (members.empty() ? " (void)lanes; }\n" : " }\n");
}

std::vector<std::string> input_members(const Expr& expr, bool has_index) {
    std::vector<std::string> members;
    for (size_t k = 0; k < expr.inputs.size(); ++k)
        members.push_back(stored_text(expr.inputs[k]) + " x" + std::to_string(k));
    if (has_index) members.push_back("i64 index");
    return members;
}

std::vector<std::string> output_members(const Expr& expr) {
    std::vector<std::string> members;
    for (size_t k = 0; k < expr.outputs.size(); ++k)
        members.push_back(stored_text(expr.nodes[expr.outputs[k]].dtype) + " y" + std::to_string(k));
    if (expr.mask != kNoValue) members.push_back("bool kept");
    if (expr.fault != kNoValue) members.push_back("bool fault");
    return members;
}

void read_and_write(std::ostringstream& out, const Expr& expr, bool has_index) {
    const size_t outputs = expr.outputs.size(), inputs = expr.inputs.size();
    out << "    template <class Walk, class In> static CUARRAY_FN void read(const Walk& walk, In& in) {\n";
    for (size_t k = 0; k < inputs; ++k) out << "        walk.read(" << outputs + k << ", in.x" << k << ");\n";
    if (has_index) out << "        walk.index(" << outputs + inputs << ", in.index);\n";
    if (inputs == 0 && !has_index) out << "        (void)walk, (void)in;\n";
    out << "    }\n    template <class Walk, class Out> static CUARRAY_FN void write(const Walk& walk, Out& "
           "out) {\n";
    for (size_t k = 0; k < outputs; ++k)
        out << "        walk.write(" << k << ", out.y" << k << ", " << (expr.mask != kNoValue ? "out.kept" : "nullptr")
            << ");\n";
    out << "    }\n";
}

void evaluate(std::ostringstream& out, const Expr& expr) {
    out << "    template <class In, class Out, class S>\n"
           "    static CUARRAY_FN void evaluate(const In& in, int i, Out& out, int o, const S& scalars) {\n"
           "        (void)in, (void)i, (void)scalars;\n";
    for (size_t id = 0; id < expr.nodes.size(); ++id) statement(out, expr, id);
    for (size_t k = 0; k < expr.outputs.size(); ++k)
        out << "        out.y" << k << "[o] = v" << expr.outputs[k] << ";\n";
    if (expr.mask != kNoValue) out << "        out.kept[o] = v" << expr.mask << ";\n";
    if (expr.fault != kNoValue) out << "        out.fault[o] = v" << expr.fault << ";\n";
    out << "    }\n";
}

}  // namespace

std::string element_text(const Expr& expr) {
    const ElementSizes sizes = element_sizes(expr);
    std::ostringstream out;
    const auto flag = [](bool value) { return value ? "true" : "false"; };
    out << "struct program {\n    static constexpr int operands = " << sizes.operands << ", largest = " << sizes.largest
        << ", scalars = " << expr.scalars.size() << ";\n    static constexpr bool unrolled = " << flag(is_short(expr))
        << ", masked = " << flag(expr.mask != kNoValue) << ", faults = " << flag(expr.fault != kNoValue) << ";\n";
    if (!expr.outputs.empty()) out << "    using element = " << text(expr.nodes[expr.outputs[0]].dtype) << ";\n";
    lanes(out, "inputs", input_members(expr, sizes.has_index));
    lanes(out, "outputs", output_members(expr));
    read_and_write(out, expr, sizes.has_index);
    evaluate(out, expr);
    out << "};\n";
    return out.str();
}

}  // namespace cuarray
