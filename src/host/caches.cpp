// caches.cpp -- the size of the last-level cache, as reported by the system.
#include "host/caches.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "cuarray/core/error.h"

namespace cuarray::host {
namespace {

constexpr int64_t kUsual = int64_t(32) << 20;

/// The last-level cache of one core; sysconf gives the processor's total, even if a core can use only a part of it.
int64_t last_cache() {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
    int64_t kilobytes = 0;
    char unit = 0;
    return file >> kilobytes >> unit && unit == 'K' && kilobytes > 0 ? kilobytes * 1024 : kUsual;
}

int64_t wanted() {
    const char* const text = std::getenv("CUARRAY_STREAM_FROM");
    if (!text || !*text) return last_cache();
    int64_t bytes = -1;
    const char* const end = text + std::strlen(text);
    if (const auto [rest, fault] = std::from_chars(text, end, bytes); fault != std::errc() || rest != end || bytes < 0)
        raise(ErrorKind::Value, "CUARRAY_STREAM_FROM: a number of bytes expected, got '", text, "'");
    return bytes;
}

}  // namespace

int64_t nontemporal_from() {
    static const int64_t bytes = wanted();
    return bytes;
}

}  // namespace cuarray::host
