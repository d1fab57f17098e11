// infix.cpp -- an Expr in infix notation, with only the parentheses that Python requires.
#include <algorithm>
#include <cstdio>
#include <string_view>
#include "cuarray/core/expr.h"

namespace cuarray {
namespace {

struct Symbol {
    std::string_view row;
    const char* text;
    int precedence;
};
constexpr int kPower = 14, kUnary = 13, kSum = 11, kComparison = 6, kAtom = 20, kAnything = 0;
constexpr Symbol kSymbols[] = {
#define OTHER(name, row, symbol, precedence, slot) {#row, symbol, precedence},
#define BINARY OTHER
#define UNARY OTHER
#define COMPARISON OTHER
#include "cuarray/core/operators.def"
};

const Symbol* symbol_of(const char* row) {
    for (const Symbol& symbol : kSymbols)
        if (symbol.text && symbol.row == row) return &symbol;
    return nullptr;
}

std::string number_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string scalar_text(const Scalar& scalar) {
    const Kind kind = info(scalar.dtype).kind;
    const auto as = [&]<class T>(DType dtype, T value) {
        std::memcpy(&value, convert(scalar, dtype).bytes, sizeof value);
        return value;
    };
    if (kind == Kind::Bool) return scalar.bytes[0] ? "True" : "False";
    if (kind == Kind::Signed) return std::to_string(as(DType::int64, int64_t()));
    if (kind == Kind::Unsigned) return std::to_string(as(DType::uint64, uint64_t()));
    if (kind == Kind::Floating) return number_text(as(DType::float64, double()));
    struct ComplexParts {
        double real, imag;
    };
    const ComplexParts pair = as(DType::complex128, ComplexParts());
    return "(" + number_text(pair.real) + (pair.imag < 0 ? "" : "+") + number_text(pair.imag) + "j)";
}

/// "a" ... "z", "a1" ... "z1", "a2" ...
std::string input_name(size_t index) {
    const std::string letter(1, char('a' + index % 26));
    return index < 26 ? letter : letter + std::to_string(index / 26);
}

class Printer {
 public:
    explicit Printer(const Expr& expr) : expr_(expr), uses_(expr.nodes.size(), 0), names_(expr.nodes.size()) {
        for (const ExprNode& node : expr.nodes)
            for (const ValueId source : node.source) count_use(source);
        for (const ValueId output : expr.outputs) count_use(output);
        count_use(expr.mask);
    }

    std::string text() {
        std::string result;
        for (size_t i = 0; i < expr_.outputs.size(); ++i) {
            const std::string value = operand(expr_.outputs[i], kAnything);
            result += (i ? ", " : "") + value;
        }
        if (expr_.outputs.size() > 1) result = "(" + result + ")";
        if (expr_.mask != kNoValue) result += " where " + operand(expr_.mask, kAnything);
        return definitions_ + result;
    }

 private:
    void count_use(ValueId value) {
        if (value != kNoValue) ++uses_[value];
    }

    /// The value as an operand of an operator with `precedence`.
    std::string operand(ValueId value, int precedence) {
        return has_two_results(expr_.nodes[value]) ? named(value, kAtom) + "[0]" : named(value, precedence);
    }

    static bool has_two_results(const ExprNode& node) {
        return node.op == ExprNode::Op::Loop && rows()[loops()[node.index].row].nout == 2;
    }

    /// The value (both outputs if its loop has two), or its name if it is used more than once.
    std::string named(ValueId value, int precedence) {
        const ExprNode& node = expr_.nodes[value];
        const bool is_leaf = node.op == ExprNode::Op::Input || node.op == ExprNode::Op::Scalar;
        if (uses_[value] < 2 || is_leaf) return value_text(node, precedence);
        if (names_[value].empty()) {
            const std::string definition = value_text(node, kAnything);
            names_[value] = "t" + std::to_string(++named_);
            definitions_ += names_[value] + " = " + definition + "; ";
        }
        return names_[value];
    }

    std::string value_text(const ExprNode& node, int precedence) {
        switch (node.op) {
            case ExprNode::Op::Input: return input_name(node.index);
            case ExprNode::Op::Scalar: {
                if (expr_.scalars[node.index].dtype == DType::none) return "s" + std::to_string(node.index);
                const std::string text = scalar_text(expr_.scalars[node.index]);
                return text[0] == '-' && precedence > kUnary ? "(" + text + ")" : text;
            }
            case ExprNode::Op::Cast:
                return std::string(info(node.dtype).name) + "(" + operand(node.source[0], kAnything) + ")";
            case ExprNode::Op::Second: return named(node.source[0], kAtom) + "[1]";
            case ExprNode::Op::Index: return "index";
            case ExprNode::Op::Loop: break;
        }
        return row_text(node, precedence);
    }

    std::string row_text(const ExprNode& node, int precedence) {
        const Row& row = rows()[loops()[node.index].row];
        const Symbol* const symbol = symbol_of(row.name);
        if (!symbol) return call_text(node, row);
        const int own = symbol->precedence;
        std::string text = row.nin == 1 ? symbol->text + operand(node.source[0], own) : binary_text(node, *symbol);
        return own < precedence ? "(" + text + ")" : text;
    }

    std::string binary_text(const ExprNode& node, const Symbol& symbol) {
        const int own = symbol.precedence;
        // ** is right-associative, comparisons are not associative, the others are left-associative.
        const std::string left = operand(node.source[0], own == kPower || own == kComparison ? own + 1 : own);
        const std::string right = operand(node.source[1], own == kPower ? own : own + 1);
        const char* const space = own > kSum ? "" : " ";
        return left + space + symbol.text + space + right;
    }

    std::string call_text(const ExprNode& node, const Row& row) {
        std::string text = std::string(row.name) + "(";
        for (int i = 0; i < row.nin; ++i) text += (i ? ", " : "") + operand(node.source[i], kAnything);
        return text + ")";
    }

    const Expr& expr_;
    std::vector<int> uses_;
    std::vector<std::string> names_;
    std::string definitions_;
    int named_ = 0;
};

}  // namespace

std::string to_infix(const Expr& expr) { return Printer(expr).text(); }

}  // namespace cuarray
