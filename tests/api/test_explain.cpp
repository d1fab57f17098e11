// test_explain.cpp -- what waits for an array, and that explaining it runs nothing.
#include <string>
#include "../core/check.h"
#include "cuarray/cuarray.h"

using namespace cuarray;

namespace {

void test_runs() {
    const Array x = full({300, 1}, 3.0), row = full({1, 20}, 2.0);
    FuseScope fused;
    const Array column = x * 2.0 + 1.0, y = column * row;
    const Explanation plan = explain(y);
    CHECK(y.is_pending() && column.is_pending(), "nothing has run");
    CHECK(plan.runs.size() == 2 && plan.stored.empty());
    const ExplainedRun &first = plan.runs[0], &second = plan.runs[1];
    CHECK(first.expression == "a*2 + 1" && first.shape == Dims({300, 1}) && first.device == x.device());
    CHECK(first.operations == std::vector<std::string>({"multiply", "add"}));
    CHECK(first.end == "the next operations have shape (300, 20)" && second.end.empty());
    CHECK(second.inputs.size() == 2 && second.inputs[1].shape == Dims({1, 20}));
    CHECK(second.bytes_read() == 8 * 320 && second.bytes_written() == 8 * 6000);
    CHECK(!first.how.empty() && to_string(plan).starts_with("2 runs: reads "));
    const Array* const both[] = {&column, &y};
    CHECK(explain(both).runs.size() == 2);
    CHECK(sum(y).item<double>() == 7.0 * 2.0 * 6000);
}

void test_what_is_stored() {
    const Array x = full({10}, 1.0);
    const Explanation plan = explain(x);
    CHECK(plan.runs.empty() && plan.stored.starts_with("the array is stored; "));
    CHECK(to_string(plan) == "nothing waits: " + plan.stored);
}

}  // namespace

int main() {
    test_runs();
    test_what_is_stored();
}
