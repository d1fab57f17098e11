// test_operands.cpp -- every view of every task is one of its operands, read or written as the task says.
#include <map>
#include <set>
#include <string>
#include <typeindex>
#include <vector>

#include "../core/check.h"
#include "cuarray/core/table.h"
#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/task.h"
#include "runtime/owned_task.h"

using namespace cuarray;

namespace {

/// Views of separate storages, by name.
class Views {
 public:
    View make(const char* name, int axes = 1) {
        const StorageRef storage = backend(Device{}).allocate(8);
        names_[storage.get()] = name;
        storages_.push_back(storage);
        return {storage.get(), 0, DType::int64, Dims::filled(axes, 8)};
    }
    std::string name(const Storage* storage) const { return names_.at(storage); }

 private:
    std::map<const Storage*, std::string> names_;
    std::vector<StorageRef> storages_;
};

using Names = std::set<std::string>;

/// The tasks that were checked.
std::set<std::type_index> kinds;

template <class T>
void check(const char* what, const T& task, const Views& views, const Names& read, const Names& written) {
    kinds.insert(typeid(T));
    // A copy that owns its referenced data has the same operands.
    const OwnedTask<T> owned(task);
    for (const T* const one : {&task, &owned.task}) {
        Names reads, writes;
        operands(*one, [&](const Operand& operand) {
            if (operand.access != Access::Write) reads.insert(views.name(operand.view.storage));
            if (operand.access != Access::Read) writes.insert(views.name(operand.view.storage));
        });
        CHECK(reads == read, "of %s", what);
        CHECK(writes == written, "of %s", what);
    }
    Names visited;
    Task(task).visit([&](const auto& same) {
        operands(same, [&](const Operand& operand) { visited.insert(views.name(operand.view.storage)); });
    });
    CHECK(visited.size() == Names([&] {
                                Names all = read;
                                all.insert(written.begin(), written.end());
                                return all;
                            }())
                                .size(),
          "of %s as a Task", what);
}

}  // namespace

int main() {
    Views views;
    const Dims shape{2};
    Expr expr;
    expr.outputs = {expr.input(DType::int64)};
    const View inputs[] = {views.make("x"), views.make("y")}, outputs[] = {views.make("out")};
    const View a = views.make("a"), b = views.make("b"), c = views.make("c"), d = views.make("d");
    check("Elementwise", Elementwise{&expr, shape, inputs, outputs}, views, {"x", "y"}, {"out"});
    check("Reduce", Reduce{&expr, shape, inputs, outputs, {0}, find_reduction("sum")}, views, {"x", "y"}, {"out"});
    check("LeftFold", LeftFold{&expr, shape, inputs, outputs, {0}, 0}, views, {"x", "y"}, {"out"});
    check("Scan", Scan{&expr, shape, inputs, outputs, 0, 0}, views, {"x", "y"}, {"out"});
    check("SegmentedReduce", SegmentedReduce{shape, 0, a, 1, b, c, d}, views, {"a", "b", "c"}, {"d"});
    const View left = views.make("left", 2), right = views.make("right", 2), product = views.make("product", 2);
    check("Matmul", Matmul{{}, 1, 1, 1, left, right, product, false, false}, views, {"left", "right"}, {"product"});
    check("Correlate", Correlate{1, 1, 0, 1, a, b, c}, views, {"a", "b"}, {"c"});

    const IndexedAxis indices[] = {{a, 2, 8, 0}, {b, 2, 8, 1}};
    using Access = IndexedAccess::Kind;
    check("gather", IndexedAccess{Access::Gather, shape, c, indices, d}, views, {"a", "b", "c"}, {"d"});
    check("scatter", IndexedAccess{Access::Scatter, shape, c, indices, d}, views, {"a", "b", "d"}, {"c"});
    check("update", IndexedAccess{Access::Update, shape, c, indices, d}, views, {"a", "b", "c", "d"}, {"c"});

    const View before = views.make("before");
    const MaskCounts counts{1, StorageRef(before.storage)};
    using Move = Compaction::Kind;
    check("compress", Compaction{Move::Compress, shape, a, &counts, b, c}, views, {"a", "b", "before"}, {"c"});
    check("expand", Compaction{Move::Expand, shape, a, &counts, b, c}, views, {"a", "c", "before"}, {"b"});
    const View coordinates = views.make("coordinates", 2);
    check("nonzero", Compaction{Move::Nonzero, shape, a, &counts, {}, coordinates}, views, {"a", "before"},
          {"coordinates"});

    const View rows = views.make("rows", 2), sorted = views.make("sorted", 2);
    const int64_t kth[] = {0};
    check("Sort", Sort{1, 1, rows, sorted, false, false, false}, views, {"rows"}, {"sorted"});
    check("refining Sort", Sort{1, 1, rows, sorted, true, true, false}, views, {"rows", "sorted"}, {"sorted"});
    check("OrderStatistics", OrderStatistics{1, 1, rows, kth, sorted}, views, {"rows"}, {"sorted"});
    check("SearchSorted", SearchSorted{1, 1, a, b, c, false}, views, {"a", "b"}, {"c"});
    check("RandomFill", RandomFill{RandomDraw::uniform_double, {.n = 2}, a}, views, {}, {"a"});
    const View end = views.make("end", 2);
    const kernel::SequenceParameters sequence{.numbers = {.n = 2}};
    check("SequenceFill", SequenceFill{SequenceDraw::uniform_double, sequence, a}, views, {}, {"a"});
    check("SequenceFill of numbers that take several units",
          SequenceFill{SequenceDraw::normal_double, sequence, a, "", end}, views, {}, {"a", "end"});
    check("Histogram", Histogram{1, 1, a, b, false, c, d}, views, {"a", "b", "c"}, {"d"});
    check("Histogram of bin numbers", Histogram{1, 1, a, {}, false, {}, d}, views, {"a"}, {"d"});
    using Direction = FourierTransform::Kind;
    check("FourierTransform", FourierTransform{Direction::Forward, 1, {1}, rows, sorted}, views, {"rows"}, {"sorted"});
    check("FourierTransform to real", FourierTransform{Direction::ToReal, 1, {1}, rows, sorted}, views, {"rows"},
          {"rows", "sorted"});

    using Routine = LapackRoutine::Kind;
    using VectorSet = LapackRoutine::VectorSet;
    const auto stack = [&](const char* name) { return views.make(name, 3); };
    const View matrix = stack("matrix"), right_sides = stack("right"), u = stack("u"), vt = stack("vt");
    const View numbers = views.make("numbers", 2), info = views.make("info");
    const auto routine = [&](Routine kind, const View& values, const View& sides, const View& left, const View& rows) {
        return LapackRoutine{kind, 1, 1, 1, 1, 1, true, VectorSet::Full, matrix, values, sides, left, rows, info};
    };
    check("potrf", routine(Routine::Potrf, {}, {}, {}, {}), views, {"matrix"}, {"matrix", "info"});
    check("getrf", routine(Routine::Getrf, numbers, {}, {}, {}), views, {"matrix"}, {"matrix", "numbers", "info"});
    check("getrs", routine(Routine::Getrs, numbers, right_sides, {}, {}), views, {"matrix", "numbers", "right"},
          {"right", "info"});
    check("geqrf", routine(Routine::Geqrf, numbers, {}, {}, {}), views, {"matrix"}, {"matrix", "numbers", "info"});
    check("orgqr", routine(Routine::Orgqr, numbers, {}, {}, {}), views, {"matrix", "numbers"}, {"matrix", "info"});
    check("syevd", routine(Routine::Syevd, numbers, {}, {}, {}), views, {"matrix"}, {"matrix", "numbers", "info"});
    check("gesvd", routine(Routine::Gesvd, numbers, {}, u, vt), views, {"matrix"},
          {"matrix", "numbers", "u", "vt", "info"});
    bool has_failed = false;
    check("LapackDriver of an SVD",
          LapackDriver{LapackDriver::Kind::Singular,
                       VectorSet::Full,
                       true,
                       1,
                       {matrix, 1, 1},
                       {},
                       {u, 1, 1},
                       {stack("values"), 1, 1},
                       {vt, 1, 1},
                       &has_failed},
          views, {"matrix"}, {"u", "values", "vt"});
    check("LapackDriver of equations",
          LapackDriver{LapackDriver::Kind::Solve,
                       VectorSet::None,
                       true,
                       1,
                       {matrix, 1, 1},
                       {right_sides, 1, 1},
                       {u, 1, 1},
                       {},
                       {},
                       &has_failed},
          views, {"matrix", "right"}, {"u"});
    check("geev", routine(Routine::Geev, numbers, {}, {}, vt), views, {"matrix"}, {"matrix", "numbers", "vt", "info"});
    CHECK(kinds.size() == Task::kinds(), "a line for each task; %zu of %zu are there", kinds.size(), Task::kinds());
    return 0;
}
