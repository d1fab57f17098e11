// print_tables.cpp -- prints the tables as JSON, for scripts/make_names.py, which writes stubs and docs.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>
#include "cuarray/core/table.h"
#include "cuarray/ops/functions.h"

namespace {

using namespace cuarray;

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return result + '"';
}

template <class Range, class Print>
std::string list(const Range& range, Print print) {
    std::string result;
    for (const auto& item : range) result += (result.empty() ? "" : ", ") + print(item);
    return "[" + result + "]";
}

std::string dtypes(std::span<const DType> all) {
    return list(all, [](DType dtype) { return quoted(info(dtype).name); });
}

std::string domain(uint32_t bits) {
    std::string result;
    for (int d = 0; d < kDTypes; ++d)
        if (bits >> d & 1) result += (result.empty() ? "" : ", ") + quoted(info(DType(d)).name);
    return "[" + result + "]";
}

const char* boolean(bool value) { return value ? "true" : "false"; }

/// The dtypes of a reduction's results, by those of its elements.
std::string results(const ReductionRow& row) {
    const ReductionId id = ReductionId(&row - reductions().data());
    std::string text;
    for (int d = 0; d < kDTypes; ++d)
        if (row.domain >> d & 1)
            text += (text.empty() ? "" : ", ") + quoted(info(DType(d)).name) + ": " +
                    quoted(info(reduction_result(id, DType(d))).name);
    return "{" + text + "}";
}

std::string ufunc_entry(const Row& row) {
    auto loop = [&](const Loop& loop) {
        return "{\"in\": " + dtypes({loop.in, row.nin}) + ", \"out\": " + dtypes({loop.out, row.nout}) + "}";
    };
    return "  {\"name\": " + quoted(row.name) + ", \"nin\": " + std::to_string(row.nin) +
           ", \"nout\": " + std::to_string(row.nout) + ", \"doc\": " + quoted(row.doc) +
           ",\n   \"loops\": " + list(loops().subspan(row.first_loop, row.loops), loop) + "}";
}

std::string reduction_entry(const ReductionRow& row) {
    return "  {\"name\": " + quoted(row.name) + ", \"doc\": " + quoted(row.doc) +
           ", \"domain\": " + domain(row.domain) +
           ",\n   \"parameters\": " + quoted(row.parameters ? row.parameters : "") +
           ", \"sample\": " + quoted(kReductionSample) + ", \"example\": " + quoted(row.example ? row.example : "") +
           ", \"is_method\": " + boolean(row.is_method) + ", \"has_identity\": " + boolean(row.has_identity) +
           ",\n   \"flags\": " + list(flag_words(row.flags), quoted) + ", \"results\": " + results(row) + "}";
}

std::string function_entry(const FunctionRow& row) {
    return "  {\"name\": " + quoted(row.name) + ", \"chapter\": " + quoted(row.chapter) +
           ", \"signature\": " + quoted(row.signature) + ",\n   \"doc\": " + quoted(docstring(row)) + "}";
}

/// Those of the namespace: methods have their lines elsewhere.
std::vector<FunctionRow> public_functions() {
    std::vector<FunctionRow> found;
    std::ranges::copy_if(function_rows(), std::back_inserter(found),
                         [](const FunctionRow& row) { return !is_method(row); });
    return found;
}

template <class Rows, class Print>
void print(const char* title, const Rows& rows, Print one, const char* end) {
    std::cout << " " << quoted(title) << ": [\n";
    for (const auto& each : rows) std::cout << one(each) << (&each == &rows.back() ? "\n" : ",\n");
    std::cout << " ]" << end;
}

}  // namespace

int main() {
    std::cout << "{\n \"dtypes\": " << domain((1u << kDTypes) - 1) << ",\n";
    print("ufuncs", rows(), ufunc_entry, ",\n");
    print("reductions", reductions(), reduction_entry, ",\n");
    print("functions", public_functions(), function_entry, "\n");
    std::cout << "}\n";
}
