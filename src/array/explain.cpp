// explain.cpp -- settles a copy of the pending nodes, without a device, and tells what that would have run.
#include "cuarray/array/explain.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>

#include "array/rehearsal.h"
#include "runtime/byte_text.h"

namespace cuarray {
namespace {

/// A copy of a graph and its nodes, which leave it as they "run".
class GraphCopy {
 public:
    GraphCopy(const PendingGraph& original, Rehearsal& rehearsal) {
        graph_.rehearsal = &rehearsal;
        for (PendingNode* const node : original.nodes) add(*node);
    }

    void settle(const PendingNode& original) {
        const Ref<PendingNode> node = copies_.at(&original);
        while (node->graph) run_together(graph_, {&node, 1});
    }

 private:
    void add(const PendingNode& original) {
        const Ref<PendingNode> copy(new PendingNode);
        copy->op = original.op, copy->loop = original.loop, copy->dtype = original.dtype;
        copy->device = original.device, copy->shape = original.shape, copy->strides = original.strides;
        copy->handles = original.handles.load(), copy->users = original.users;
        copy->sources = original.sources;
        for (int i = 0; i < original.sources; ++i) {
            copy->source[i] = original.source[i];
            if (original.source[i].node) copy->source[i].node = copies_.at(original.source[i].node.get());
        }
        copy->graph = &graph_;
        graph_.nodes.push_back(copy.get());
        ++waiting_nodes;
        copies_.emplace(&original, copy);
    }

    PendingGraph graph_;
    std::map<const PendingNode*, Ref<PendingNode>> copies_;
};

std::string text_of(AtCall why) {
    switch (why) {
        case AtCall::FloatingErrors: return "floating-point errors are raised or reported (errstate)";
        case AtCall::Off: return "CUARRAY_FUSE=off";
        case AtCall::Few: return "results of fewer than " + std::to_string(deferred_from) + " elements do not wait";
        case AtCall::Eager: return "this is a scope of eager()";
        case AtCall::Devices: return "their operands are on several devices";
        case AtCall::Threads: return "several threads compute";
        case AtCall::AtOnce: return "a graph is captured, or every operation is checked";
        case AtCall::Shared: return "the array's memory is shared with other code";
        case AtCall::No: break;
    }
    return "";
}

std::string why_stored(const Array& array) {
    const Array* const one = &array;
    if (array.ndim() == 0 && array.device() == Device{})
        return "the array is stored; it is a number on cpu, with which operations run at the call";
    AtCall why = why_at_call({&one, 1}, array.size(), false);
    if (why == AtCall::Few)  // a reason that holds at every size tells more
        if (const AtCall at_any = why_at_call({&one, 1}, INT64_MAX - 1, false); at_any != AtCall::No) why = at_any;
    if (why == AtCall::No) return "the array is stored; operations on it wait";
    return "the array is stored; operations on it run at the call: " + text_of(why);
}

/// The runs that are cut for no limit end where values are needed in another shape.
void note_shapes(std::vector<ExplainedRun>& runs, size_t begin) {
    for (size_t k = begin; k + 1 < runs.size(); ++k)
        if (runs[k].end.empty() && !(runs[k].shape == runs[k + 1].shape))
            runs[k].end = "the next operations have shape " + to_string(runs[k + 1].shape);
}

}  // namespace

int64_t ExplainedRun::bytes_read() const {
    return std::accumulate(inputs.begin(), inputs.end(), int64_t(0),
                           [](int64_t sum, const ExplainedOperand& one) { return sum + one.bytes; });
}

int64_t ExplainedRun::bytes_written() const {
    return std::accumulate(outputs.begin(), outputs.end(), int64_t(0),
                           [](int64_t sum, const ExplainedOperand& one) { return sum + one.bytes; });
}

Explanation explain(std::span<const Array* const> arrays, bool with_code) {
    const GraphLock lock = lock_graph();
    Rehearsal rehearsal(with_code);
    std::map<const PendingGraph*, GraphCopy> copies;
    Explanation explanation;
    for (const Array* const array : arrays) {
        const PendingNode* const node = array->pending();
        if (!node || !node->graph) {
            if (!explanation.stored.empty()) continue;
            explanation.stored =
                node && node->error ? "the computation failed: reading the array raises its error" : why_stored(*array);
            continue;
        }
        const size_t begin = rehearsal.runs.size();
        copies.try_emplace(node->graph, *node->graph, rehearsal).first->second.settle(*node);
        note_shapes(rehearsal.runs, begin);
    }
    explanation.runs = std::move(rehearsal.runs);
    if (!explanation.runs.empty()) explanation.stored.clear();
    return explanation;
}

Explanation explain(const Array& array, bool with_code) {
    const Array* const one = &array;
    return explain({&one, 1}, with_code);
}

namespace {

constexpr size_t kLongestLine = 100;

std::string shortened(const std::string& text) {
    return text.size() <= kLongestLine ? text : text.substr(0, kLongestLine - 3) + "...";
}

/// "multiply, add 2": how often each row occurs, in the order in which they begin.
std::string counted(const std::vector<std::string>& names) {
    std::vector<std::pair<std::string, int>> counts;
    for (const std::string& name : names) {
        const auto at = std::find_if(counts.begin(), counts.end(), [&](const auto& one) { return one.first == name; });
        if (at == counts.end())
            counts.emplace_back(name, 1);
        else
            ++at->second;
    }
    std::string text;
    for (const auto& [name, count] : counts)
        text += (text.empty() ? "" : ", ") + name + (count > 1 ? " " + std::to_string(count) : "");
    return text;
}

/// Equal operands that follow one another are counted: "2 x (100,) float64".
void write(std::ostream& out, const char* head, const std::vector<ExplainedOperand>& operands, int64_t bytes) {
    std::string text;
    for (size_t k = 0, end = 0; k < operands.size(); k = end) {
        while (end < operands.size() && operands[end].shape == operands[k].shape &&
               operands[end].dtype == operands[k].dtype)
            ++end;
        text += (k ? ", " : "") + (end > k + 1 ? std::to_string(end - k) + " x " : "") + to_string(operands[k].shape) +
                " " + info(operands[k].dtype).name;
    }
    out << "   " << head << "  " << byte_text(bytes) << ": " << shortened(text) << "\n";
}

void write(std::ostream& out, size_t number, const ExplainedRun& run) {
    out << "\n" << number << "  " << shortened(run.expression) << "\n";
    out << "   " << run.operations.size() << (run.operations.size() == 1 ? " operation" : " operations") << " on "
        << to_string(run.shape) << ", " << to_string(run.device) << ": " << shortened(counted(run.operations)) << "\n";
    write(out, "reads ", run.inputs, run.bytes_read());
    write(out, "writes", run.outputs, run.bytes_written());
    out << "   by      " << run.how << "\n";
    if (!run.end.empty()) out << "   ends    " << run.end << "\n";
    if (run.code.empty()) return;
    std::istringstream lines(run.code);
    for (std::string line; std::getline(lines, line);) out << (line.empty() ? "" : "      ") << line << "\n";
}

}  // namespace

std::string to_string(const Explanation& explanation) {
    if (explanation.runs.empty()) return "nothing waits: " + explanation.stored;
    int64_t read = 0, written = 0;
    for (const ExplainedRun& run : explanation.runs) read += run.bytes_read(), written += run.bytes_written();
    std::ostringstream out;
    const size_t count = explanation.runs.size();
    out << count << (count == 1 ? " run" : " runs") << ": reads " << byte_text(read) << ", writes "
        << byte_text(written) << "\n";
    for (size_t k = 0; k < count; ++k) write(out, k + 1, explanation.runs[k]);
    std::string text = out.str();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

}  // namespace cuarray
