// einsum.cpp -- subscripts of einsum: as a string, or as lists of numbers; and the contraction that they describe.
#include "cuarray/ops/einsum.h"
#include <algorithm>
#include <string>
#include <vector>
#include "bindings/einsum.h"
#include "bindings/module.h"
#include "bindings/ndarray.h"

namespace cuarray::python {
namespace {

/// The label of the last axis of an ellipsis; those before it have lower ones, which are no codes of letters.
constexpr int64_t kLastOfDots = 191;

template <class... Parts>
[[noreturn]] void refuse_subscripts(const Parts&... parts) {
    raise(ErrorKind::Value, "einsum: ", parts...);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Appends the letters of labels that are given as numbers from 0 to 51, and "..." for Ellipsis.
void add_letters(PyObject* labels, std::string& text) {
    const Object iterator = Object::steal_or_null(PyObject_GetIter(labels));
    if (!iterator) {
        PyErr_Clear();
        fail(PyExc_TypeError, "einsum: subscripts must be a string, or integers behind each array, not %R", labels);
    }
    for (int count = 0; PyObject* const next = PyIter_Next(iterator.get()); ++count) {
        const Object label = Object::steal(next);
        if (count > kMaxDims) refuse_subscripts("an array has at most ", kMaxDims, " axes, and more labels are given");
        if (label.get() == Py_Ellipsis) {
            text += "...";
            continue;
        }
        const int64_t number = to_int64(label.get(), {"a label", "einsum"});
        if (number < 0 || number >= 52) refuse_subscripts("label ", number, " is not in 0..51");
        text.push_back(char(number < 26 ? 'A' + number : 'a' + number - 26));
    }
    if (PyErr_Occurred()) throw ExceptionIsSet{};
}

/// The letters before and after the ellipsis of a group, if it has one.
struct SubscriptGroup {
    explicit SubscriptGroup(std::string_view text) : text(text), before(text) {
        const size_t at = text.find("...");
        if (at == text.npos) return;
        has_dots = true;
        before = text.substr(0, at);
        after = text.substr(at + 3);
    }
    int letters() const { return int(before.size() + after.size()); }

    std::string_view text, before, after;
    bool has_dots = false;
};

Dims labels_of(const SubscriptGroup& group, int dots) {
    Dims labels;
    for (const char letter : group.before) labels.push_back(letter);
    for (int64_t k = dots - 1; k >= 0; --k) labels.push_back(kLastOfDots - k);
    for (const char letter : group.after) labels.push_back(letter);
    return labels;
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

/// The letters that appear once, in alphabetical order, after all axes of an ellipsis.
Dims labels_seen_once(std::string_view inputs, int dots) {
    Dims labels = labels_of(SubscriptGroup(""), dots);
    int counts[128] = {};
    for (const char letter : inputs)
        if (is_letter(letter)) ++counts[int(letter)];
    for (int letter = 'A'; letter <= 'z'; ++letter)
        if (counts[letter] == 1) labels.push_back(letter);
    return labels;
}

Dims labels_of_result(std::string_view text, std::string_view inputs, std::string_view output, int dots) {
    const SubscriptGroup group(output);
    if (dots > 0 && !group.has_dots) refuse_subscripts("the result of ", quoted(text), " lacks '...'");
    for (const std::string_view part : {group.before, group.after})
        for (const char letter : part) {
            if (!is_letter(letter) || inputs.find(letter) == inputs.npos)
                refuse_subscripts("the result's subscript '", letter, "' is that of no array");
            if (std::ranges::count(output, letter) > 1)
                refuse_subscripts("the result's subscript '", letter, "' appears twice");
        }
    return labels_of(group, group.has_dots ? dots : 0);
}

}  // namespace

std::string subscripts_of(PyObject* const* operands, Py_ssize_t count, std::vector<PyObject*>& arrays) {
    constexpr const char* kTooFew = "subscripts and at least one array are needed";
    std::string text;
    if (count == 0) refuse_subscripts(kTooFew);
    if (PyUnicode_Check(operands[0])) {
        arrays.assign(operands + 1, operands + count);
        for (const char letter : to_text(operands[0], {"subscripts", "einsum"}))
            if (letter != ' ') text.push_back(letter);
        return text;
    }
    if (count < 2) refuse_subscripts(kTooFew);
    for (Py_ssize_t k = 0; k + 1 < count; k += 2) {
        if (k > 0) text.push_back(',');
        arrays.push_back(operands[k]);
        add_letters(operands[k + 1], text);
    }
    if (count % 2) {
        text += "->";
        add_letters(operands[count - 1], text);
    }
    return text;
}

Subscripts::Subscripts(std::string_view text, std::span<const int> ndims) {
    const size_t arrow = text.find("->");
    const std::string_view inputs = text.substr(0, arrow);
    std::vector<SubscriptGroup> groups;
    for (size_t begin = 0, comma = 0; comma != inputs.npos; begin = comma + 1) {
        comma = inputs.find(',', begin);
        groups.emplace_back(inputs.substr(begin, comma == inputs.npos ? comma : comma - begin));
    }
    if (groups.size() != ndims.size())
        refuse_subscripts(groups.size(), " groups of subscripts in ", quoted(text), " for ", ndims.size(), " arrays");
    int dots = 0;
    for (size_t k = 0; k < groups.size(); ++k) {
        const SubscriptGroup& group = groups[k];
        const int spare = ndims[k] - group.letters();
        if (!std::ranges::all_of(group.before, is_letter) || !std::ranges::all_of(group.after, is_letter))
            refuse_subscripts("subscripts are letters, '...', ',' and '->', not ", quoted(group.text));
        if (spare < 0 || (spare > 0 && !group.has_dots))
            refuse_subscripts(quoted(group.text), " names ", group.letters(), " axes of an array that has ", ndims[k]);
        dots = std::max(dots, spare);
        of_arrays.push_back(labels_of(group, spare));
    }
    of_result = arrow == text.npos ? labels_seen_once(inputs, dots)
                                   : labels_of_result(text, inputs, text.substr(arrow + 2), dots);
}

PyObject* contract(std::vector<LabelledArray> terms, const Dims& wanted, PyObject* first,
                   std::span<const std::pair<int64_t, int64_t>> path) {
    int64_t most = 0;
    for (const LabelledArray& term : terms) most = std::max(most, term.array.size());
    Array result =
        without_gil(is_long(terms[0].array.device(), most), [&] { return einsum(std::move(terms), wanted, path); });
    const bool is_view = !result.is_pending() && result.storage_ref() == array_of(first).storage_ref();
    if (is_view && result.ndim() == 0) return wrap_result(copy(result));
    return is_view ? wrap_view(std::move(result), first) : wrap_result(std::move(result));
}

namespace {

/// einsum_operands(operands): the subscripts as a string, and the arrays as they are given.
PyObject* einsum_operands(PyObject*, PyObject* operands) {
    return guarded([&] {
        std::vector<PyObject*> given;
        const std::string text = subscripts_of(&PyTuple_GET_ITEM(operands, 0), PyTuple_GET_SIZE(operands), given);
        const Object arrays = Object::steal(PyTuple_New(Py_ssize_t(given.size())));
        for (size_t k = 0; k < given.size(); ++k) PyTuple_SET_ITEM(arrays.get(), Py_ssize_t(k), Py_NewRef(given[k]));
        const Object subscripts = Object::steal(PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size())));
        return PyTuple_Pack(2, subscripts.get(), arrays.get());
    });
}

/// einsum(subscripts, arrays, path): arrays of one dtype and device, in a list; pairs of terms in a list or tuple.
PyObject* einsum_of_list(PyObject*, Arguments args, Py_ssize_t) {
    return guarded([&] {
        std::vector<int> ndims;
        std::vector<LabelledArray> terms;
        std::vector<std::pair<int64_t, int64_t>> path;
        for (Py_ssize_t k = 0; k < PyList_Size(args[1]); ++k) {
            terms.push_back({array_of(PyList_GET_ITEM(args[1], k)), {}});
            ndims.push_back(terms.back().array.ndim());
        }
        const Subscripts subscripts(to_text(args[0], {"subscripts"}), ndims);
        for (size_t k = 0; k < terms.size(); ++k) terms[k].labels = subscripts.of_arrays[k];
        for (Py_ssize_t k = 0; k < PySequence_Size(args[2]); ++k) {
            const Object step = Object::steal(PySequence_GetItem(args[2], k));
            const Dims pair = to_dims(step.get(), {"path", "einsum"});
            path.emplace_back(pair[0], pair[1]);
        }
        return contract(std::move(terms), subscripts.of_result, PyList_GET_ITEM(args[1], 0), path);
    });
}

PyMethodDef einsum_functions[] = {
    {"einsum_operands", method(einsum_operands), METH_O, nullptr},
    {"einsum", method(einsum_of_list), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_einsum(pybind11::module_& m) { check(PyModule_AddFunctions(m.ptr(), einsum_functions)); }

}  // namespace cuarray::python
