// functions.cpp -- the rows of functions.def, and their docstrings.
#include "cuarray/ops/functions.h"
#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <variant>
#include "cuarray/array/elements.h"
#include "cuarray/ops/bincount.h"
#include "cuarray/ops/bit_packing.h"
#include "cuarray/ops/choices.h"
#include "cuarray/ops/clip.h"
#include "cuarray/ops/comparison.h"
#include "cuarray/ops/convolution.h"
#include "cuarray/ops/coordinates.h"
#include "cuarray/ops/creation.h"
#include "cuarray/ops/cross.h"
#include "cuarray/ops/diagonals.h"
#include "cuarray/ops/differences.h"
#include "cuarray/ops/editing.h"
#include "cuarray/ops/einsum.h"
#include "cuarray/ops/geometric.h"
#include "cuarray/ops/interpolation.h"
#include "cuarray/ops/joining.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/products.h"
#include "cuarray/ops/rearranging.h"
#include "cuarray/ops/rounding.h"
#include "cuarray/ops/scan.h"
#include "cuarray/ops/selection.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/ops/sort.h"
#include "cuarray/ops/triangles.h"
#include "cuarray/ops/unique.h"

namespace cuarray {
namespace {

/// How docstrings call a type; the build makes annotations of these words.
template <class T>
constexpr const char* kWords = nullptr;
template <> constexpr const char* kWords<Array> = "array_like";
template <> constexpr const char* kWords<std::optional<Array>> = "array_like, optional";
template <> constexpr const char* kWords<ArrayList> = "array_like";
template <> constexpr const char* kWords<Blocks> = "array_like or nested list of array_like";
template <> constexpr const char* kWords<std::span<const Dims>> = "int or tuple of int";
template <> constexpr const char* kWords<ArgumentList> = "array_like";
template <> constexpr const char* kWords<IndexArray> = "array_like of int";
template <> constexpr const char* kWords<IndexList> = "array_like of int or bool";
template <> constexpr const char* kWords<CountedIntegers> = "array_like of int";
template <> constexpr const char* kWords<WhereMask> = "bool or array_like of bool";
template <> constexpr const char* kWords<OutputArray> = "ndarray";
template <> constexpr const char* kWords<StoredValues> = "array_like";
template <> constexpr const char* kWords<InsertedValues> = "array_like";
template <> constexpr const char* kWords<AxisPositions> = "int, slice, array_like of int or bool";
template <> constexpr const char* kWords<CopySource> = "array_like";
template <> constexpr const char* kWords<Outside> = "{'raise', 'wrap', 'clip'}";
template <> constexpr const char* kWords<BitOrder> = "{'big', 'little'}";
template <> constexpr const char* kWords<Few<Outside, 4>> = "{'raise', 'wrap', 'clip'} or a tuple of them";
template <> constexpr const char* kWords<std::optional<Argument>> = "number or array_like, optional";
template <> constexpr const char* kWords<Argument> = "number or array_like";
template <> constexpr const char* kWords<Array*> = "ndarray, optional";
template <> constexpr const char* kWords<EinsumOperands> = "str, array_like or list of int";
template <> constexpr const char* kWords<ContractionOrder> = "bool, str or tuple";
template <> constexpr const char* kWords<UfuncOutput> = "ndarray, optional";
template <> constexpr const char* kWords<std::optional<LoopSignature>> = "str or tuple of dtype, optional";
template <> constexpr const char* kWords<std::optional<CoreAxes>> = "list of tuple of int, optional";
template <> constexpr const char* kWords<ContractedAxes> = "int or pair of sequences of int";
template <> constexpr const char* kWords<SingleAxis> = "int, optional";
template <> constexpr const char* kWords<StrictBool> = "bool";
template <> constexpr const char* kWords<DType> = "dtype, optional";
template <> constexpr const char* kWords<Casting> = "{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}";
template <> constexpr const char* kWords<Sections> = "int or sequence of int";
template <> constexpr const char* kWords<int64_t> = "int";
template <> constexpr const char* kWords<std::optional<int64_t>> = "int, optional";
template <> constexpr const char* kWords<Dims> = "int or sequence of int";
template <> constexpr const char* kWords<OptionalDims> = "int or sequence of int, optional";
template <> constexpr const char* kWords<Axes> = "int or tuple of int";
template <> constexpr const char* kWords<OptionalAxes> = "int or tuple of int, optional";
template <>
constexpr const char* kWords<AxisList> = "int or tuple of int";
template <> constexpr const char* kWords<Integers> = "int or array_like of int";
template <> constexpr const char* kWords<RepeatCounts> = "int or array_like of int";
template <> constexpr const char* kWords<GridIndexing> = "{'xy', 'ij'}";
template <> constexpr const char* kWords<Side> = "{'left', 'right'}";
template <> constexpr const char* kWords<Ranks> = "int or array_like of int";
template <>
constexpr const char* kWords<std::optional<SortKind>> = "{'quicksort', 'heapsort', 'mergesort', 'stable'}, optional";
template <> constexpr const char* kWords<SelectionKind> = "{'introselect'}";
template <> constexpr const char* kWords<OlderName> = "number or array_like, optional";
template <> constexpr const char* kWords<ElementMask> = "array_like of bool";
template <> constexpr const char* kWords<Overlaps> = "{'full', 'same', 'valid', 2, 1, 0}";
template <> constexpr const char* kWords<NoFields> = "None";
template <> constexpr const char* kWords<bool> = "bool";
template <> constexpr const char* kWords<std::optional<bool>> = "bool, optional";
template <> constexpr const char* kWords<char> = "str";
template <> constexpr const char* kWords<std::optional<char>> = "str";
template <> constexpr const char* kWords<FillValue> = "number or array_like";
template <> constexpr const char* kWords<Length> = "int";
template <> constexpr const char* kWords<std::optional<Length>> = "int, optional";
template <> constexpr const char* kWords<SquareLength> = "int";
template <> constexpr const char* kWords<std::optional<PlainNumber>> = "number, optional";
template <> constexpr const char* kWords<std::optional<NumberStep>> = "number, optional";
template <> constexpr const char* kWords<std::optional<Device>> = "device or str, optional";
template <> constexpr const char* kWords<MemoryKind> = "{'device', 'direct', 'pinned', 'managed'}, optional";

template <class R>
constexpr const char* kResultWords = "ndarray";
template <> constexpr const char* kResultWords<void> = "";
template <> constexpr const char* kResultWords<bool> = "bool";
template <> constexpr const char* kResultWords<Dims> = "tuple of int";
template <> constexpr const char* kResultWords<std::vector<Array>> = "tuple of ndarray";
template <> constexpr const char* kResultWords<std::vector<ArrayOrNumber>> = "tuple of ndarray";

/// The words for the first parameter.
template <bool is_variadic, class T>
constexpr const char* kFirstWords =
    std::is_same_v<T, ArgumentList> || (std::is_same_v<T, ArrayList> && !is_variadic) ? "sequence of array_like"
                                                                                      : kWords<T>;

template <bool is_variadic, class First, class... Others>
constexpr const char* kTypes[] = {kFirstWords<is_variadic, First>, kWords<Others>...};

template <bool is_variadic, class R, class First, class... Others>
constexpr FunctionRow described(FunctionRow row, R (*)(First, Others...)) {
    using FirstType = std::remove_cvref_t<First>;
    static_assert(kWords<FirstType> && (kWords<std::remove_cvref_t<Others>> && ...), "a type without words");
    row.types = kTypes<is_variadic, FirstType, std::remove_cvref_t<Others>...>;
    row.result = kResultWords<R>;
    if (row.gives == Gives::List) row.result = "list of ndarray";
    if (row.gives == Gives::Each || row.gives == Gives::Arrays || (is_variadic && std::is_same_v<FirstType, Array>))
        row.result = "ndarray or tuple of ndarray";
    return row;
}

constexpr int kRowCount = 0
#define FUNCTION(...) +1
#include "cuarray/functions.def"
    ;

/// A constant: made at run time, the table is 50 KB of code.
constexpr std::array<FunctionRow, kRowCount> kFunctionRows = [] {
    std::array<FunctionRow, kRowCount> rows{};
    size_t count = 0;
    const char* chapter = "";
#define CHAPTER(title) chapter = title;
#define FUNCTION(name, gives, signature, summary, parameters, raises, example) \
    rows[count++] = described<signature[0] == '*'>(                            \
        {chapter, #name, Gives::gives, signature, summary, parameters, raises, example}, &functions::name);
#define BUILTIN(...)      \
    FUNCTION(__VA_ARGS__) \
    rows[count - 1].is_bound = false;
#define RENAMED(python_name, ...) \
    FUNCTION(__VA_ARGS__)         \
    rows[count - 1].name = python_name;
#define GENERALIZED(dimensions, ...) \
    FUNCTION(__VA_ARGS__)            \
    rows[count - 1].core = dimensions;
#include "cuarray/functions.def"
    return rows;
}();

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find(separator, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::string joined_words(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
}

/// The text in lines of at most 100 letters, each indented.
std::string indented(const std::string& text) {
    std::string lines;
    size_t length = 0;
    for (const std::string& word : split(text, ' ')) {
        const bool breaks = length == 0 || length + 1 + word.size() > 96;
        lines += breaks ? "\n    " : " ";
        length = breaks ? word.size() : length + 1 + word.size();
        lines += word;
    }
    return lines;
}

/// What is said of parameters in many functions.
constexpr std::pair<std::string_view, const char*> kGlossary[] = {
    {"out", "Output array."},
    {"subok", "Accepted and ignored: there are no subclasses."},
    {"kind", "Accepted for NumPy compatibility: the method is always the same."},
    {"order", "Accepted for NumPy compatibility: arrays have no fields."},
    {"casting", "Which casts of arguments and result are allowed."},
    {"stable", "Accepted for NumPy compatibility, if `kind` is not given: the sort is always stable."},
    {"device", "By default the current device."},
    {"like", "The result goes to the device of this array."},
};

std::string section(const std::string& title, const std::string& text) {
    return text.empty() ? "" : "\n\n" + title + "\n" + std::string(title.size(), '-') + text;
}

std::string parameters_section(const FunctionRow& row) {
    struct ParameterEntry {
        std::vector<std::string> names;
        std::string type, text;
    };
    std::vector<ParameterEntry> entries;
    for (const std::string& line : split(row.parameters, '\n')) {
        const size_t bracket = line.find(" ["), colon = line.find(": ", bracket < line.find(": ") ? line.find("]") : 0);
        const bool has_type = bracket < colon;
        ParameterEntry entry{{}, has_type ? line.substr(bracket + 2, colon - bracket - 3) : "", line.substr(colon + 2)};
        for (const std::string& name : split(line.substr(0, has_type ? bracket : colon), ','))
            entry.names.push_back(name.substr(name.find_first_not_of(' ')));
        entries.push_back(entry);
    }
    std::string text;
    size_t place = 0;  // of the parameter in C++
    for (const std::string& name : parameter_names(row)) {
        const char* const type = name == "like" ? "ndarray, optional" : is_ignored(name) ? "bool" : row.types[place++];
        const std::string bare = name.substr(name.find_first_not_of('*'));
        ParameterEntry own{{name}, type, ""};
        for (const auto& [known, words] : kGlossary)
            if (known == bare) own.text = words;
        bool is_first = true;
        for (const ParameterEntry& entry : entries)
            for (const std::string& one : entry.names)
                if (one == bare) {
                    is_first = bare == entry.names.front();
                    if (!entry.type.empty()) own.type = entry.type;
                    own.text = entry.text;
                    if (entry.names.size() > 1) own.names = entry.names;
                }
        if (is_first) text += "\n" + joined_words(own.names) + " : " + own.type + indented(own.text);
    }
    return text;
}

bool takes_out(const FunctionRow& row) { return std::ranges::find(row.types, kWords<Array*>) != row.types.end(); }

const char* result_text(const FunctionRow& row) {
    if (std::string_view(row.result) != "ndarray") return "";
    switch (row.gives) {
        case Gives::Blank: return "A new array.";
        case Gives::Array: return takes_out(row) ? "A new array, or `out`." : "A new array.";
        case Gives::Shown: return "A view where possible.";
        default: return "";
    }
}

}  // namespace

std::span<const FunctionRow> function_rows() { return kFunctionRows; }

std::vector<std::string> parameter_names(const FunctionRow& row) {
    std::vector<std::string> names;
    int depth = 0;
    std::string name;
    const auto end = [&] {
        name = name.substr(0, name.find('='));
        name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
        if (!name.empty() && name != "/" && name != "*") names.push_back(name);
        name.clear();
    };
    for (const char* letter = row.signature; *letter; ++letter) {
        depth += (*letter == '(') - (*letter == ')');
        if (*letter == ',' && depth == 0)
            end();
        else
            name += *letter;
    }
    end();
    return names;
}

bool is_method(const FunctionRow& row) { return std::string_view(row.name).ends_with("_in_place"); }

std::string python_name(const FunctionRow& row) {
    const std::string name = row.name;
    return is_method(row) ? name.substr(0, name.rfind("_in_place")) : name;
}

bool is_ignored(std::string_view parameter) { return parameter == "subok" || parameter == "like"; }

std::string docstring(const FunctionRow& row) {
    std::string raises;
    for (const std::string& line : split(row.raises, '\n')) {
        const size_t colon = line.find(": ");
        raises += "\n" + line.substr(0, colon) + indented(line.substr(colon + 2));
    }
    const std::string result =
        row.gives == Gives::Nothing ? "" : std::string("\n") + row.result + indented(result_text(row));
    return row.summary + section("Parameters", parameters_section(row)) + section("Returns", result) +
           section("Raises", raises) +
           section("See Also", (is_method(row) ? "\nnumpy.ndarray." : "\nnumpy.") + python_name(row)) +
           section("Examples", std::string("\n>>> import cuarray as ca\n") + row.example) + "\n";
}

}  // namespace cuarray
