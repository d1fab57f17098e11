// test_table.cpp -- the tables as data: every loop is found by its own types, and the properties of rows.
#include <array>
#include <cstring>
#include <set>
#include <string>

#include "../core/check.h"
#include "cuarray/core/device.h"
#include "cuarray/core/table.h"

using namespace cuarray;

namespace {

ArgType typed(DType dtype) { return {dtype, Weak::Kind::Int}; }

void test_every_loop_is_found_by_its_types() {
    size_t seen = 0;
    std::set<std::string> names;
    for (RowId r = 0; r < rows().size(); ++r) {
        const Row& row = rows()[r];
        CHECK(names.insert(row.name).second && find_row(row.name) == r, "%s", row.name);
        CHECK(row.first_loop == seen && row.loops > 0 && row.nin >= 1 && row.nin <= kMaxIn && row.nout <= kMaxOut, "%s",
              row.name);
        CHECK(*row.doc && *row.body, "%s", row.name);
        uint32_t domain = 0;
        for (LoopId id = row.first_loop; id < row.first_loop + row.loops; ++id, ++seen) {
            const Loop& loop = loops()[id];
            CHECK(loop.row == r && row.domain >> int(loop.T) & 1, "%s", row.name);
            domain |= 1u << int(loop.T);
            for (int i = 0; i < kMaxIn; ++i) CHECK((loop.in[i] != DType::none) == (i < row.nin), "%s", row.name);
            for (int i = 0; i < kMaxOut; ++i) CHECK((loop.out[i] != DType::none) == (i < row.nout), "%s", row.name);
            const ArgType args[] = {typed(loop.in[0]), typed(loop.in[1]), typed(loop.in[2])};
            const bool refused = row.has(NoBool) && loop.T == DType::bool_;
            CHECK(refused || resolve(r, {args, row.nin}) == id, "%s of %s", row.name, info(loop.T).name);
        }
        CHECK(domain == row.domain, "%s", row.name);
    }
    CHECK(seen == loops().size() && seen > 800 && find_row("no such row") == kNone);
}

void test_loop_for() {
    for (RowId r = 0; r < rows().size(); ++r)
        for (int d = 0; d < kDTypes; ++d) {
            const LoopId id = loop_for(r, DType(d));
            CHECK((id != kNone) == (rows()[r].domain >> d & 1), "%s", rows()[r].name);
            CHECK(id == kNone || loops()[id].T == DType(d), "%s", rows()[r].name);
        }
    const Loop& mixed = loops()[resolve(find_row("less"), std::array{typed(DType::uint64), typed(DType::int64)})];
    CHECK(mixed.T == DType::uint64 && mixed.U == DType::int64 && mixed.out[0] == DType::bool_);
    CHECK(loops()[loop_for(find_row("ldexp"), DType::float32)].U == DType::int32);
    CHECK(loops()[loop_for(find_row("where"), DType::int8)].in[0] == DType::bool_);
}

template <class T>
T value_of(const Scalar& scalar) {
    T value;
    std::memcpy(&value, scalar.bytes, sizeof value);
    return value;
}

void test_identities() {
    for (RowId r = 0; r < rows().size(); ++r)
        if (rows()[r].identity)
            for (LoopId id = rows()[r].first_loop; id < rows()[r].first_loop + rows()[r].loops; ++id) {
                const DType dtype = loops()[id].out[0];
                CHECK(row_identity(r, dtype).dtype == dtype, "%s", rows()[r].name);
            }
    CHECK(value_of<uint16_t>(row_identity(find_row("bitwise_and"), DType::uint16)) == 0xffff);
    CHECK(value_of<int16_t>(row_identity(find_row("bitwise_and"), DType::int16)) == -1);
    CHECK(value_of<bool>(row_identity(find_row("bitwise_and"), DType::bool_)));
    CHECK(value_of<float>(row_identity(find_row("logaddexp"), DType::float32)) == -__builtin_inff());
    CHECK(value_of<double>(row_identity(find_row("multiply"), DType::float64)) == 1);
    CHECK(value_of<bool>(row_identity(find_row("logical_and"), DType::bool_)));
}

void test_reductions() {
    for (ReductionId r = 0; r < reductions().size(); ++r) {
        const ReductionRow& row = reductions()[r];
        CHECK(find_reduction(row.name) == r && row.domain != 0, "%s", row.name);
        for (int d = 0; d < kDTypes; ++d) {
            const bool has = row.domain >> d & 1;
            CHECK((reduction_result(r, DType(d)) != DType::none) == has && (accumulator_size(r, DType(d)) > 0) == has,
                  "%s", row.name);
            if (has && row.has_identity)
                CHECK(reduction_identity(r, DType(d)).dtype == reduction_result(r, DType(d)), "%s", row.name);
        }
    }
    for (RowId id = 0; id < kRows; ++id) {
        const ReductionId r = rows()[id].reduction;
        CHECK(find_row(rows()[id].name) == id && (r == kNone || reductions()[r].ufunc == id), "%s", rows()[id].name);
    }
    CHECK(rows()[row::add].reduction == reduction::sum && rows()[row::logical_and].reduction == reduction::all &&
          rows()[row::gcd].reduction == reduction::gcd && rows()[row::subtract].reduction == kNone);
    CHECK(reductions()[reduction::sum].has(LongInt) && reductions()[reduction::argmin].has(GivesIndex) &&
          !reductions()[reduction::max].has(LongInt));
    CHECK(reduction_result(find_reduction("argmax"), DType::float16) == DType::int64);
    CHECK(reduction_result(find_reduction("mean"), DType::bfloat16) == DType::bfloat16);
    CHECK(accumulator_size(find_reduction("sum"), DType::float16) == 4);
    CHECK(!reductions()[reduction::max].has_identity && find_reduction("median") == kNone);
    const double mean = value_of<double>(reduction_identity(find_reduction("mean"), DType::float64));
    CHECK(mean != mean);
}

void test_scalars() {
    Weak number;
    number.integer = 300;
    CHECK(RAISES(Overflow, convert(number, DType::uint8, "add")));
    CHECK(value_of<int16_t>(convert(number, DType::int16, "add")) == 300);
    CHECK(value_of<float>(convert(number, DType::float32, "add")) == 300);
    number.negative = true, number.integer = uint64_t(-129), number.real = -129;
    CHECK(RAISES(Overflow, convert(number, DType::int8, "add")) &&
          RAISES(Overflow, convert(number, DType::uint64, "add")));
    CHECK(value_of<int64_t>(convert(number, DType::int64, "add")) == -129);
    number.big = -1, number.real = -1e30;
    CHECK(RAISES(Overflow, convert(number, DType::int64, "add")));
    CHECK(value_of<double>(convert(number, DType::float64, "add")) == -1e30);
    // Any byte but 0 is true.
    Scalar stored = Scalar::of(DType::bool_, true);
    stored.bytes[0] = 7;
    CHECK(value_of<int32_t>(convert(stored, DType::int32)) == 1);
    CHECK(value_of<int8_t>(convert(Scalar::of(DType::float64, 1e9), DType::int8)) == 127);
    // A number of C++ is converted.
    CHECK(value_of<double>(Scalar::of(DType::float64, 2)) == 2);
    CHECK(value_of<float>(Scalar::of(DType::float32, 1.5)) == 1.5f);
    CHECK(value_of<int64_t>(Scalar::of(DType::int64, -1)) == -1);
    CHECK(value_of<uint16_t>(Scalar::of(DType::float16, 2)) == 0x4000);
    CHECK(Scalar::of(DType::complex64, true) == convert(Scalar::of(DType::float64, 1.0), DType::complex64));
    CHECK(Scalar::of(DType::int64, 7LL) == Scalar::of(DType::int64, int64_t(7)));
}

void test_dtypes() {
    CHECK(find_dtype("bool") == DType::bool_ && find_dtype("bool_") == DType::bool_ &&
          find_dtype("float8") == DType::none);
    CHECK(item_size(DType::bool_) == 1 && item_size(DType::complex128) == 16 && info(DType::complex128).align == 8);
    CHECK(promote(DType::float16, DType::bfloat16) == DType::float32 &&
          promote(DType::int64, DType::uint64) == DType::float64);
    CHECK(real_part(DType::complex64) == DType::float32 && real_part(DType::int8) == DType::int8);
    CHECK(!can_cast(DType::int16, DType::uint32, Casting::SameKind) &&
          can_cast(DType::int64, DType::float16, Casting::SameKind));
    CHECK(RAISES(Type, info(DType::none)));
}

void test_devices() {
    CHECK(to_string(parse_device("cuda")) == "cuda:0" && to_string(parse_device("cuda:12")) == "cuda:12");
    CHECK(parse_device("cpu") == Device() && to_string(Device()) == "cpu");
    for (const char* bad : {"", "gpu", "cuda:", "cuda:x", "cuda:1 ", "cuda:-1", "cuda:300", "cpu:0"})
        CHECK(RAISES(Value, parse_device(bad)), "%s", bad);
}

}  // namespace

int main() {
    test_every_loop_is_found_by_its_types();
    test_loop_for();
    test_identities();
    test_reductions();
    test_scalars();
    test_dtypes();
    test_devices();
}
