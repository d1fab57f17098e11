// test_profile.cpp -- profiles: which operations they have, in which order, and when the devices ran them.
#include <algorithm>
#include <string>
#include <vector>
#include "../core/check.h"
#include "cuarray/cuarray.h"

using namespace cuarray;

namespace {

std::vector<ProfiledOperation> launches(Profile& profile) {
    std::vector<ProfiledOperation> all = profile.operations();
    std::erase_if(all, [](const ProfiledOperation& one) { return one.kind != Record::Kind::Launch; });
    return all;
}

void test_operations() {
    const Array x = full({300}, 1.0);
    Profile profile;
    const Array y = exp(x), z = sum(y);
    const std::vector<ProfiledOperation> all = launches(profile);
    CHECK(all.size() == 2 && all[0].name == "exp" && all[1].name == "sum");
    const ProfiledOperation& first = all[0];
    CHECK(first.shape == Dims{300} && first.dtype == std::string("float64") && first.bytes == 4800);
    CHECK(first.device == x.device() && first.thread >= 1 && !first.failed);
    CHECK(first.start < first.end && first.end <= all[1].start);
    const bool is_timed = !(x.device() == Device{});
    CHECK(first.device_start.has_value() == is_timed && first.device_time.has_value() == is_timed);
    CHECK(!is_timed || (*first.device_time > 0 && *all[1].device_start >= *first.device_start));
    CHECK(profile.operations().empty(), "each is given once");
    const Array later = y + 1.0;
    CHECK(launches(profile).size() == 1);
}

void test_the_end() {
    const Array x = full({300}, 1.0);
    Profile profile;
    FuseScope fused;
    const Array before = x * 2.0;
    profile.stop();
    CHECK(launches(profile).size() == 1 && before(0).item<double>() == 2, "what waited at the end was called before");
    const Array after = sqrt(x);
    after.settle();
    profile.stop();
    CHECK(profile.operations().empty());
}

void test_two() {
    const Array x = full({300}, 1.0);
    Profile outer;
    {
        Profile inner;
        const Array y = -x;
        CHECK(launches(inner).size() == 1);
    }
    const Array z = x + x;
    CHECK(launches(outer).size() == 2);
}

}  // namespace

int main() {
    test_operations();
    test_the_end();
    test_two();
}
