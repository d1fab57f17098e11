// einsum.cpp -- the operands of einsum and the order of its products, as Python writes them.
#include <string>
#include <vector>
#include "bindings/functions/readers.h"

namespace cuarray::python {
namespace {

/// Appends the letters of labels that are given as numbers from 0 to 51, and "..." for Ellipsis.
void add_letters(PyObject* labels, std::string& text) {
    const Object iterator = Object::steal_or_null(PyObject_GetIter(labels));
    if (!iterator) {
        PyErr_Clear();
        fail(PyExc_TypeError, "einsum: subscripts must be a string, or integers behind each array, not %R", labels);
    }
    for (int count = 0; PyObject* const next = PyIter_Next(iterator.get()); ++count) {
        const Object label = Object::steal(next);
        if (count > kMaxDims)
            raise(ErrorKind::Value, "einsum: an array has at most ", kMaxDims, " axes, and more labels are given");
        if (label.get() == Py_Ellipsis) {
            text += "...";
            continue;
        }
        const int64_t number = to_int64(label.get(), {"a label", "einsum"});
        if (number < 0 || number >= 52) raise(ErrorKind::Value, "einsum: label ", number, " is not in 0..51");
        text.push_back(char(number < 26 ? 'A' + number : 'a' + number - 26));
    }
    if (PyErr_Occurred()) throw ExceptionIsSet{};
}

/// The subscripts as a string without blanks, and the arrays as they are given, from either call form: a string and
/// arrays, or each array followed by numbers of its labels and the result's last.
std::string subscripts_of(std::span<PyObject* const> operands, std::vector<PyObject*>& arrays) {
    constexpr const char* kTooFew = "einsum: subscripts and at least one array are needed";
    const auto count = Py_ssize_t(operands.size());
    std::string text;
    if (count == 0) raise(ErrorKind::Value, kTooFew);
    if (PyUnicode_Check(operands[0])) {
        arrays.assign(operands.begin() + 1, operands.end());
        for (const char letter : to_text(operands[0], {"subscripts", "einsum"}))
            if (letter != ' ') text.push_back(letter);
        return text;
    }
    if (count < 2) raise(ErrorKind::Value, kTooFew);
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

/// The positions of the terms of each step of a path, behind its first entries; of no step more than `most`.
std::vector<Dims> read_steps(PyObject* path, Py_ssize_t first, size_t most) {
    const Object entries = Object::steal(PySequence_Tuple(path));  // a list may change meanwhile
    std::vector<Dims> steps;
    for (Py_ssize_t i = first; i < length_of(entries.get()); ++i) {
        const Object iterator = Object::steal(PyObject_GetIter(entry_of(entries.get(), i)));
        Dims& places = steps.emplace_back();
        while (size_t(places.size()) < most) {
            const Object place = Object::steal_or_null(PyIter_Next(iterator.get()));
            if (!place) break;
            places.push_back(to_int64(place.get(), {"a position in the path", "einsum"}));
        }
        if (PyErr_Occurred()) throw ExceptionIsSet{};
    }
    return steps;
}

/// The steps that NumPy finds.
std::vector<Dims> found_steps(PyObject* optimize, const std::string& subscripts, std::span<const Dims> shapes) {
    static Attribute found_path{"cuarray._functions.einsum", "found_path"};
    const GilAcquire gil;
    const Object all = Object::steal(PyTuple_New(Py_ssize_t(shapes.size())));
    for (size_t k = 0; k < shapes.size(); ++k)
        PyTuple_SET_ITEM(all.get(), Py_ssize_t(k), to_python(shapes[k]).release());
    const Object text = Object::steal(PyUnicode_FromStringAndSize(subscripts.data(), Py_ssize_t(subscripts.size())));
    PyObject* const arguments[] = {text.get(), all.get(), optimize};
    const Object path = Object::steal(PyObject_Vectorcall(found_path.get(), arguments, 3, nullptr));
    return read_steps(path.get(), 0, shapes.size() + 1);
}

}  // namespace

void Reader<EinsumOperands>::read(const FunctionCall& call, int) {
    std::vector<PyObject*> objects;
    value.subscripts = subscripts_of(call.rest, objects);
    for (PyObject* object : objects) {
        if (!is_ndarray(object)) {
            Reader<Array> reader;
            reader.read(call, object);
            object = made.emplace_back(std::move(reader.owner)).get();
        }
        if (first) refuse_other_device(array_of(first).device(), array_of(object).device(), call.row.name);
        if (!first) first = object;
        value.arrays.push_back(&array_of(object));
    }
}

void Reader<ContractionOrder>::read(const FunctionCall& call, int k) {
    static PyObject* const greedy = PyUnicode_InternFromString("greedy");
    PyObject* object = call.given[k];
    if (is_list(object) && length_of(object) > 0) {
        PyObject* const head = entry_of(object, 0);
        if (PyUnicode_Check(head) && PyUnicode_CompareWithASCIIString(head, "einsum_path") == 0) {
            value.steps = read_steps(object, 1, call.rest.size() + 1);
            return;
        }
    }
    value.is_free_for_few = PyBool_Check(object);
    if (value.is_free_for_few) object = greedy;
    value.find = [object](const std::string& subscripts, std::span<const Dims> shapes) {
        return found_steps(object, subscripts, shapes);
    };
}

}  // namespace cuarray::python
