// tracking.cpp -- the table of lines that allocated live blocks; a block stores the number of its line.
#include "runtime/tracking.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

#include "cuarray/runtime/backend.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

struct AllocationSite {
    Device device;
    LineAllocations made;
};

/// Allocation sites are never removed: a program has few of them.
struct AllocationSites {
    std::mutex mutex;
    std::vector<AllocationSite> all;  // line number n of a Storage is all[n - 1]
    std::map<std::tuple<std::string, int, int, int>, uint32_t> numbers;

    AllocationSites();
};

AllocationSites& lines() {
    static AllocationSites* const one = new AllocationSites;
    return *one;
}

// Holds the lock across a fork: a thread that held it would not exist in the child to release it.
AllocationSites::AllocationSites() {
    pthread_atfork([] { lines().mutex.lock(); }, [] { lines().mutex.unlock(); }, [] { lines().mutex.unlock(); });
}

int first_demands() {
    lines();  // registers the fork handler first, so that it locks last: threads take this lock while holding others
    const char* wish = std::getenv("CUARRAY_TRACK_MEMORY");
    const bool is_wanted = wish && std::strcmp(wish, "1") == 0;
    if (is_wanted) want_lines(true);
    return is_wanted ? 1 : 0;
}

}  // namespace

std::atomic<int> tracking_demands{first_demands()};

void track_memory(bool begin) {
    want_lines(begin);
    tracking_demands.fetch_add(begin ? 1 : -1);
}

bool is_tracking_memory() { return tracking_demands.load() > 0; }

void note_line(Storage& storage) {
    std::string file;
    int line = 0;
    if (!find_line(&file, &line)) file = "unknown";
    const Device device = storage.device();
    AllocationSites& l = lines();
    const std::lock_guard lock(l.mutex);
    const auto [place, is_new] =
        l.numbers.try_emplace({file, line, int(device.kind), device.index}, uint32_t(l.all.size() + 1));
    if (is_new) l.all.push_back({device, {file, line, 0, 0}});
    LineAllocations& made = l.all[place->second - 1].made;
    ++made.allocations;
    made.bytes += storage.bytes;
    storage.line = place->second;
}

void Storage::forget_line() {
    const std::lock_guard lock(lines().mutex);
    LineAllocations& made = lines().all[line - 1].made;
    --made.allocations;
    made.bytes -= bytes;
    line = 0;
}

std::vector<LineAllocations> tracked_memory(Device device) {
    std::vector<LineAllocations> found;
    {
        const std::lock_guard lock(lines().mutex);
        for (const AllocationSite& line : lines().all)
            if (line.device == device && line.made.allocations > 0) found.push_back(line.made);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const LineAllocations& a, const LineAllocations& b) { return a.bytes > b.bytes; });
    return found;
}

}  // namespace cuarray
