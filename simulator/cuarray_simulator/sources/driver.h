// driver.h -- the simulated driver's shared state, and the common start of every entry point.
#pragma once
#include <condition_variable>
#include <cstdarg>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda_abi.h"

#define CUDASIM_API extern "C" __attribute__((visibility("default"))) CUresult

namespace cudasim {

struct Stream;

/// When queued work runs: only when waited for, immediately, or at random times.
enum class Progress { Lazy, Eager, Random };

/// The settings of the environment variables CUDASIM_*; read once.
struct Settings {
    uint64_t seed;
    Progress progress;
    int devices;
    int major, minor;
    int driver_version;
    /// What can be allocated of each device, and the size that it reports; the rest is as if others used it.
    size_t memory, total;
    size_t pinned;
    bool pools;
    bool launches;
    bool log;
    CUresult init_error;
    /// The mode of the capture that another thread of the program is in, or -1.
    int capture;
    bool mig;
    std::string fail_entry;
    long fail_nth;
    CUresult fail_code;
    /// What devices are called: "Simulated GPU 0"; attributes that are not the simulator's own.
    std::string name;
    std::map<int, int> attributes;
    /// Blocks of a grid that are resident at once; 0: drawn.
    unsigned resident;
    /// The finding that ends a kernel; kernels whose findings are not reported; the file for lines of JSON; the files
    /// that count what the processes of a program have found.
    long limit;
    std::string suppress, json, tally;
    /// A kernel that runs longer is ended; 0: never.
    double seconds;
    /// After this many milliseconds without a driver call, pending work runs by itself.
    long idle;
};
const Settings& settings();
/// Whether there is a device of this ordinal.
bool is_device(CUdevice ordinal);

/// The resources of a multiprocessor of the simulated compute capability, from CUDA's table of capabilities.
struct Limits {
    int capability;
    unsigned threads_per_multiprocessor, blocks_per_multiprocessor;
    unsigned shared_per_multiprocessor, shared_per_block_optin;
};
const Limits& limits();
/// The multiprocessors of a device.
int multiprocessors();
constexpr unsigned kRegistersPerBlock = 65536;

/// A small seeded generator; every choice of the simulator comes from one of these.
class Random {
 public:
    explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 0x632BE59BD9B4E019ull) {}
    uint32_t next();
    uint32_t below(uint32_t n) { return static_cast<uint32_t>((uint64_t(next()) * n) >> 32); }
    bool chance(unsigned one_in) { return below(one_in) == 0; }

 private:
    uint64_t state_;
};

/// A device's primary context, or one that the program has created beside it.
struct Context {
    int device = 0;
    int retained = 0;
    /// Of cuCtxCreate; such a context is never used again once it is destroyed.
    bool created = false;
    unsigned flags = 0;
    bool destroyed = false;
    CUresult sticky = CUDA_SUCCESS;
    std::shared_ptr<Stream> legacy;
    std::vector<std::shared_ptr<Stream>> streams;
    std::vector<bool> peers;
    /// The size of the heap from which kernels allocate, and what they have allocated.
    size_t heap = 8 << 20, heap_used = 0;
};

/// Everything that is process-wide. Guarded by `mutex`, which each entry point holds; kernels run under it.
struct Driver {
    std::mutex mutex;
    std::condition_variable_any changed;
    Random random{settings().seed};
    bool initialised = false;
    bool forked = false;
    bool exiting = false;
    uint64_t calls = 0;
    /// Ticks of now() that the program has spent in entry points.
    uint64_t ticks = 0;
    /// Calls that spoilt a capture of the other thread.
    uint64_t spoilt = 0;
    /// Calls until one fails, as requested by the program itself, and how; 0: none.
    long fail_after = 0;
    CUresult fail_code = CUDA_SUCCESS;
    std::string failed;
    /// The primary contexts, by device, and the created ones: destroyed ones stay, as threads may have them current.
    std::vector<Context> contexts = std::vector<Context>(settings().devices);
    std::list<Context> created;
};
Driver& driver();

/// The calling thread's current context, or null.
Context* current_context();
/// The context behind a handle, or null when the handle is not one.
Context* as_context(CUcontext handle);
inline CUcontext handle_of(Context* context) { return reinterpret_cast<CUcontext>(context); }

struct Finding;
struct Fault;
/// Records a failure of queued work in a context and reports it. Returns `code`.
CUresult fail_work(Context& context, CUresult code, const Finding& what);
/// The same of an illegal address: returns CUDA_ERROR_ILLEGAL_ADDRESS, or CUDA_SUCCESS if nothing is wrong.
CUresult fail_access(Context& context, const char* what, const Fault& wrong);
/// Formats like printf.
std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));
/// Prints one line on stderr, marked as the simulator's.
void say(const std::string& line);

/// Name and call count of one entry point; made once per entry point, at its first call.
struct EntryPoint {
    explicit EntryPoint(const char* symbol);
    std::string name;
    long calls = 0;
    EntryPoint* next;
};
EntryPoint* entry_points();

/// The preconditions of an entry point.
enum class Needs { Nothing, Init, Context };

/// Locks the driver for one call, counts and logs it, injects failures, and checks state in CUDA's order.
class Call {
 public:
    Call(EntryPoint& entry, Needs needs);
    ~Call();
    CUresult refusal() const { return refusal_; }

 private:
    const uint64_t begin_;
    std::unique_lock<std::mutex> lock_;
    CUresult refusal_;
};

/// True in a host function that a stream runs: there, driver calls are not permitted.
extern thread_local bool in_host_function;

}  // namespace cudasim

#define CUDASIM_ENTER(needs)                                                      \
    static cudasim::EntryPoint& entry_point = *new cudasim::EntryPoint(__func__); \
    cudasim::Call call(entry_point, cudasim::Needs::needs);                       \
    if (call.refusal() != CUDA_SUCCESS) return call.refusal()
