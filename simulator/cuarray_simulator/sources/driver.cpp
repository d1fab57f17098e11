// driver.cpp -- settings, the global state, and the checks that open every entry point.
#include "driver.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "check.h"
#include "findings.h"
#include "stream.h"

namespace cudasim {
namespace {

const char* text_setting(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value && *value ? value : otherwise;
}

long long number_setting(const char* name, long long otherwise) {
    const char* value = text_setting(name, nullptr);
    return value ? std::strtoll(value, nullptr, 0) : otherwise;
}

Progress progress_setting() {
    std::string mode = text_setting("CUDASIM_PROGRESS", "random");
    if (mode == "lazy") return Progress::Lazy;
    if (mode == "eager") return Progress::Eager;
    if (mode == "random") return Progress::Random;
    std::fprintf(stderr, "cudasim: CUDASIM_PROGRESS=%s: use lazy, eager or random\n", mode.c_str());
    std::abort();
}

int capture_setting() {
    const std::string mode = text_setting("CUDASIM_CAPTURE", "none");
    constexpr const char* kModes[] = {"global", "thread_local", "relaxed"};
    for (int i = 0; i < 3; ++i)
        if (mode == kModes[i]) return i;
    if (mode == "none") return -1;
    std::fprintf(stderr, "cudasim: CUDASIM_CAPTURE=%s: use global, thread_local, relaxed or none\n", mode.c_str());
    std::abort();
}

uint64_t seed_setting() {
    const char* given = text_setting("CUDASIM_SEED", nullptr);
    if (given) return std::strtoull(given, nullptr, 0);
    auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    uint64_t seed = (static_cast<uint64_t>(now) / 1000) % 1000000;
    std::fprintf(stderr, "cudasim: CUDASIM_SEED=%llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

void failure_setting(Settings& s) {
    s.fail_nth = 0;
    std::string spec = text_setting("CUDASIM_FAIL", "");
    if (spec.empty()) return;
    char name[128];
    int code = 0;
    if (std::sscanf(spec.c_str(), "%127[^:]:%ld:%d", name, &s.fail_nth, &code) != 3) {
        std::fprintf(stderr, "cudasim: CUDASIM_FAIL=%s: use entry:nth:code\n", spec.c_str());
        std::abort();
    }
    s.fail_entry = name;
    s.fail_code = static_cast<CUresult>(code);
}

/// Attributes as number=value, joined by commas.
std::map<int, int> attributes_setting() {
    std::map<int, int> found;
    const char* at = text_setting("CUDASIM_ATTRIBUTES", "");
    for (int key = 0, value = 0, length = 0; std::sscanf(at, "%d=%d%n", &key, &value, &length) == 2;) {
        found[key] = value;
        at += length;
        if (*at == ',') ++at;
    }
    if (*at) {
        std::fprintf(stderr, "cudasim: CUDASIM_ATTRIBUTES: use number=value,number=value, not %s\n", at);
        std::abort();
    }
    return found;
}

Settings read_settings() {
    Settings s{};
    s.seed = seed_setting();
    s.progress = progress_setting();
    s.devices = static_cast<int>(number_setting("CUDASIM_DEVICES", 2));
    std::sscanf(text_setting("CUDASIM_CC", "9.0"), "%d.%d", &s.major, &s.minor);
    s.driver_version = static_cast<int>(number_setting("CUDASIM_DRIVER", 13000));
    s.memory = static_cast<size_t>(number_setting("CUDASIM_MEMORY", 8ll << 30));
    s.total = static_cast<size_t>(number_setting("CUDASIM_TOTAL", static_cast<long long>(s.memory)));
    s.pinned = static_cast<size_t>(number_setting("CUDASIM_PINNED", 64ll << 30));
    s.pools = number_setting("CUDASIM_POOLS", 1) != 0;
    s.launches = std::strcmp(text_setting("CUDASIM_LAUNCHES", "on"), "off") != 0;
    s.log = number_setting("CUDASIM_LOG", 0) != 0;
    s.init_error = static_cast<CUresult>(number_setting("CUDASIM_INIT_ERROR", 0));
    s.capture = capture_setting();
    s.mig = number_setting("CUDASIM_MIG", 0) != 0;
    s.name = text_setting("CUDASIM_NAME", "GPU");
    s.attributes = attributes_setting();
    s.resident = static_cast<unsigned>(number_setting("CUDASIM_RESIDENT", 0));
    s.limit = static_cast<long>(number_setting("CUDASIM_LIMIT", 1));
    s.suppress = text_setting("CUDASIM_SUPPRESS", "");
    s.json = text_setting("CUDASIM_JSON", "");
    s.tally = text_setting("CUDASIM_TALLY", "");
    s.seconds = std::strtod(text_setting("CUDASIM_SECONDS", "0"), nullptr);
    s.idle = static_cast<long>(number_setting("CUDASIM_IDLE", 200));
    failure_setting(s);
    return s;
}

void lock_for_fork() { driver().mutex.lock(); }
void unlock_in_parent() { driver().mutex.unlock(); }
void mark_child() {
    driver().forked = true;
    driver().mutex.unlock();
}

EntryPoint* first_entry_point = nullptr;

/// A clock that is cheap to read; of unknown unit.
uint64_t now() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

bool is_sticky(CUresult code) {
    switch (code) {
#define ERROR(name, number, sticky, text) \
    case CUDA_ERROR_##name: return sticky;
#include "errors.def"
#undef ERROR
        default: return false;
    }
}

/// The failure injected at this call. A sticky one is the context's from now on.
CUresult planned_failure(const EntryPoint& entry) {
    Driver& d = driver();
    const Settings& s = settings();
    CUresult code = CUDA_SUCCESS;
    bool any = s.fail_entry == "*";
    if (s.fail_nth == (any ? static_cast<long>(d.calls) : entry.calls) && (any || s.fail_entry == entry.name))
        code = s.fail_code;
    if (d.fail_after > 0 && --d.fail_after == 0) code = d.fail_code;
    if (code == CUDA_SUCCESS) return code;
    d.failed = entry.name;
    if (is_sticky(code) && current_context()) current_context()->sticky = code;
    return code;
}

CUresult refusal_before(const EntryPoint& entry, Needs needs) {
    if (CUresult planned = planned_failure(entry); planned != CUDA_SUCCESS) return planned;
    if (needs == Needs::Nothing) return CUDA_SUCCESS;
    if (in_host_function) return CUDA_ERROR_NOT_PERMITTED;
    if (driver().exiting) return CUDA_ERROR_DEINITIALIZED;
    if (driver().forked || !driver().initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (needs == Needs::Init) return CUDA_SUCCESS;
    Context* context = current_context();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (context->destroyed) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return context->sticky;
}

}  // namespace

thread_local bool in_host_function = false;

const Settings& settings() {
    static const auto* value = new Settings(read_settings());
    return *value;
}

bool is_device(CUdevice ordinal) { return ordinal >= 0 && ordinal < settings().devices; }

uint32_t Random::next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    uint64_t mixed = (state_ ^ (state_ >> 29)) * 0xBF58476D1CE4E5B9ull;
    return static_cast<uint32_t>(mixed >> 32);
}

Driver& driver() {
    // Never destroyed: static destructors of the program may still call into the driver.
    static Driver* state = [] {
        auto* made = new Driver;
        for (size_t i = 0; i < made->contexts.size(); ++i) {
            made->contexts[i].device = static_cast<int>(i);
            made->contexts[i].peers.assign(made->contexts.size(), false);
        }
        return made;
    }();
    static int hooked = pthread_atfork(lock_for_fork, unlock_in_parent, mark_child);
    (void)hooked;
    return *state;
}

std::string format(const char* pattern, ...) {
    char buffer[2048];
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(buffer, sizeof buffer, pattern, arguments);
    va_end(arguments);
    return buffer;
}

void say(const std::string& line) { std::fprintf(stderr, "cudasim: %s\n", line.c_str()); }

CUresult fail_access(Context& context, const char* what, const Fault& wrong) {
    if (!wrong) return CUDA_SUCCESS;
    Finding finding;
    finding.cause = wrong.cause;
    finding.message = format("%s: ", what) + wrong.message;
    return fail_work(context, CUDA_ERROR_ILLEGAL_ADDRESS, finding);
}

CUresult fail_work(Context& context, CUresult code, const Finding& what) {
    report(what);
    if (context.sticky == CUDA_SUCCESS) context.sticky = code;
    return code;
}

EntryPoint::EntryPoint(const char* symbol) : name(symbol), next(first_entry_point) {
    size_t suffix = name.rfind("_v");
    if (suffix != std::string::npos && name.find_first_not_of("0123456789", suffix + 2) == std::string::npos)
        name.resize(suffix);
    first_entry_point = this;
}

EntryPoint* entry_points() { return first_entry_point; }

Call::Call(EntryPoint& entry, Needs needs) : begin_(now()) {
    // A host function may hold locks of the program, and kernels run under ours: refuse before locking.
    if (in_host_function && needs != Needs::Nothing) {
        refusal_ = CUDA_ERROR_NOT_PERMITTED;
        return;
    }
    lock_ = std::unique_lock<std::mutex>(driver().mutex);
    ++driver().calls;
    ++entry.calls;
    refusal_ = refusal_before(entry, needs);
    if (settings().log) {
        std::string result = refusal_ == CUDA_SUCCESS ? "" : format(" -> %d", refusal_);
        say(format("[%d] %s #%ld%s", static_cast<int>(gettid()), entry.name.c_str(), entry.calls, result.c_str()));
    }
    if (refusal_ == CUDA_SUCCESS && needs == Needs::Context) background_progress();
}

Call::~Call() {
    if (lock_) driver().ticks += now() - begin_;
}

}  // namespace cudasim

/// For tests in the same process: the n-th call from now on fails once; 0 disables it.
extern "C" __attribute__((visibility("default"))) void cudasim_fail_after(long calls, int code) {
    std::lock_guard<std::mutex> lock(cudasim::driver().mutex);
    cudasim::driver().fail_after = calls;
    cudasim::driver().fail_code = static_cast<CUresult>(code);
    cudasim::driver().failed.clear();
}

/// Ticks of a clock, and the ticks spent in entry points.
extern "C" __attribute__((visibility("default"))) uint64_t cudasim_ticks(uint64_t* inside) {
    const std::lock_guard lock(cudasim::driver().mutex);
    *inside = cudasim::driver().ticks;
    return cudasim::now();
}

/// Counts ticks of a simulated library as if they were spent in entry points.
extern "C" __attribute__((visibility("default"))) void cudasim_spend(uint64_t ticks) {
    const std::lock_guard lock(cudasim::driver().mutex);
    cudasim::driver().ticks += ticks;
}

/// The number of calls of an entry point, by its name without a version; of all for null.
extern "C" __attribute__((visibility("default"))) long cudasim_calls(const char* name) {
    const std::lock_guard lock(cudasim::driver().mutex);
    if (!name) return static_cast<long>(cudasim::driver().calls);
    for (cudasim::EntryPoint* entry = cudasim::entry_points(); entry; entry = entry->next)
        if (entry->name == name) return entry->calls;
    return 0;
}

/// Runs the work that is still queued; returns the number of findings of this process.
extern "C" __attribute__((visibility("default"))) long cudasim_end() {
    std::lock_guard<std::mutex> lock(cudasim::driver().mutex);
    if (cudasim::driver().initialised && !cudasim::driver().forked) {
        for (cudasim::Context& context : cudasim::driver().contexts) cudasim::wait_for_all(context);
        for (cudasim::Context& context : cudasim::driver().created) cudasim::wait_for_all(context);
    }
    return cudasim::finding_count();
}

/// The number of calls that spoilt the capture of CUDASIM_CAPTURE.
extern "C" __attribute__((visibility("default"))) long cudasim_spoilt() {
    const std::lock_guard lock(cudasim::driver().mutex);
    return static_cast<long>(cudasim::driver().spoilt);
}

/// The name of the call that has failed since cudasim_fail_after, or an empty text.
extern "C" __attribute__((visibility("default"))) const char* cudasim_failed() {
    std::lock_guard<std::mutex> lock(cudasim::driver().mutex);
    return cudasim::driver().failed.c_str();
}
