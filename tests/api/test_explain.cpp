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

/// Arrays without names live to the end of a statement, in which the result may be read.
void test_operands_without_names_are_not_stored() {
    const Array x = full({1000}, 3.0);
    FuseScope fused;
    const auto stored = [](const Array& y) { return explain(y).runs.at(0).bytes_written(); };
    CHECK(stored(sqrt(x * x + 1.0) - x * 0.5 + 2.0) == 8000);
    CHECK(stored(-(x + 1.0) * where(x > 2.0, x * 2.0, 0.0)) == 8000);
    CHECK(stored(divmod(x * 2.0 + 1.0, maximum(x - 1.0, 1.0)).first) == 16000, "two results");
    const Array named = x * 2.0;
    CHECK(stored(named + 1.0) == 16000, "what has a name is");
    CHECK((sqrt(x * x + 7.0) - x * 0.5)(5).item<double>() == 2.5 && named(7).item<double>() == 6);
    Array moved = x * 3.0;
    CHECK((moved + moved)(2).item<double>() == 18 && (std::move(moved) + 1.0)(2).item<double>() == 10);
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
    test_operands_without_names_are_not_stored();
    test_what_is_stored();
}
