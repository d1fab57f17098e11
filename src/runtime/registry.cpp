// registry.cpp -- opens backends and their decorators; the only file that names both kinds of backend.
#include "cuarray/runtime/registry.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include "cuarray/runtime/runtime.h"
#include "runtime/decorators.h"
#include "runtime/hooks.h"
#include "runtime/mutex.h"

namespace cuarray {
namespace {

/// A backend and its decorators.
struct Opened {
    std::atomic<Backend*> itself = nullptr;  ///< set last, under the lock
    Backend* dressed = nullptr;              ///< with the decorators that the environment asks for
    Backend* signalling = nullptr;           ///< the same, with what reports floating-point errors in front
    Backend* recording = nullptr;            ///< the same, with a recorder in front

    /// All get the front: callers keep references to whichever they met first.
    void choose(Backend& backend, bool records, bool signals) {
        Backend& front = records ? *recording : signals ? *signalling : *dressed;
        for (Backend* const each : {&backend, dressed, signalling, recording}) each->set_front(front);
    }
};

struct Kinds {
    BackendFactory factory;
    std::string reason;
    std::atomic<int> count = -1;  ///< -1: not yet known; set after `open`
    std::unique_ptr<Opened[]> open;
};

/// All devices of the process. Backends are never destroyed: arrays may outlive the interpreter.
struct Registry {
    Mutex mutex;
    Kinds kinds[2] = {{host_factory(), {}, -1, {}}, {cuda_factory(), {}, -1, {}}};
    std::atomic<int> chosen = -1;  ///< the default device, as packed_device() makes it; -1: none yet
    std::vector<Device> all;
    bool records = false;
    std::atomic<int> signals = 0;  ///< programs that ask for floating-point errors

    /// With the lock.
    void choose_fronts() {
        for (Kinds& kind : kinds)
            for (int i = 0; i < kind.count; ++i)
                if (Backend* const backend = kind.open[size_t(i)].itself)
                    kind.open[size_t(i)].choose(*backend, records, signals > 0);
    }
};

/// A device as a number, which threads read without a lock, and back.
int packed_device(Device device) { return int(device.kind) * 256 + device.index; }
Device unpacked_device(int number) { return {Device::Kind(number / 256), uint8_t(number % 256)}; }

Registry& registry() {
    static Registry* r = new Registry;
    return *r;
}

/// The number of devices of a kind. Counts them without the lock: finding CUDA's libraries may need the GIL, which
/// another thread may hold while it waits for the lock.
int count_of(Device::Kind kind) {
    Registry& r = registry();
    Kinds& k = r.kinds[int(kind)];
    if (k.count >= 0) return k.count;
    std::string reason;
    const int count = k.factory.count(&reason);
    start_log();
    start_nvtx();
    const std::lock_guard lock(r.mutex);
    if (k.count < 0) {
        k.reason = reason;
        k.open = std::make_unique<Opened[]>(size_t(count));
        k.count = count;
    }
    return k.count;
}

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value && std::strcmp(value, "1") == 0;
}

void decorate(Backend& backend, Opened& opened) {
    opened.dressed = &backend;
    if (is_set("CUARRAY_SYNC")) opened.dressed = &make_waiting(*opened.dressed);
    if (is_set("CUARRAY_VALIDATE")) opened.dressed = &make_validating(*opened.dressed);
    opened.signalling = &make_signalling(*opened.dressed);
    opened.recording = &make_recording(*opened.signalling);
}

thread_local std::optional<Device> thread_device;

/// The backend itself, without its decorators.
Backend& undecorated(Device device) {
    Registry& r = registry();
    Kinds& k = r.kinds[int(device.kind)];
    if (device.index >= k.count) require(device);  // most calls are of devices that are open
    Opened& opened = k.open[device.index];
    if (Backend* const open = opened.itself) return *open;  // the lock takes as long as a small array
    const std::lock_guard lock(r.mutex);
    if (!opened.itself) {
        Backend& backend = k.factory.open(device.index);
        decorate(backend, opened);
        opened.choose(backend, r.records, r.signals > 0);
        opened.itself = &backend;
    }
    return *opened.itself;
}

}  // namespace

void require(Device device) {
    const int count = count_of(device.kind);
    if (device.index < count) return;
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    raise(ErrorKind::Value, "device: there is no ", to_string(device), "; ",
          count ? "this machine has " + std::to_string(count) + " of that kind"
                : r.kinds[int(device.kind)].reason +
                      "; device cpu needs no GPU, and python -m cuarray --simulate gives simulated GPUs");
}

namespace {

/// That of a device, without a look at the registry for the host.
Backend& opened(Device device) {
    static Backend& host = undecorated(Device{});
    return device == Device{} ? host : undecorated(device);
}

}  // namespace

Backend& backend(Device device) { return opened(device).front(); }

DirectLoops* loops_of_host() { return opened(Device{}).direct(); }

Runtime& runtime(Device device) { return undecorated(device).runtime(); }

void set_recording(bool records) {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    r.records = records;
    r.choose_fronts();
}

void want_floating_errors(bool wanted) {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    r.signals += wanted ? 1 : -1;
    r.choose_fronts();
}

bool are_floating_errors_wanted() { return registry().signals.load(std::memory_order_relaxed) > 0; }

const std::vector<Device>& devices() {
    Registry& r = registry();
    const int cuda = count_of(Device::Kind::Cuda), cpu = count_of(Device::Kind::Cpu);
    const std::lock_guard lock(r.mutex);
    if (r.all.empty()) {
        for (int i = 0; i < cuda; ++i) r.all.push_back({Device::Kind::Cuda, uint8_t(i)});
        for (int i = 0; i < cpu; ++i) r.all.push_back({Device::Kind::Cpu, uint8_t(i)});
    }
    return r.all;
}

namespace {

/// The first device that opens; what is wrong with those before it is added to `troubles`. cpu always opens.
Device first_usable(std::string* troubles) {
    for (const Device device : devices()) try {
            backend(device);
            return device;
        } catch (const Error& error) {
            const bool is_of_device = error.kind() == ErrorKind::Cuda || error.kind() == ErrorKind::Memory;
            if (!is_of_device || device == Device{}) throw;
            *troubles += to_string(device) + " cannot be used: " + error.what() + "\n";
        }
    return {};
}

/// The device that CUARRAY_DEVICE names. An error says where the name comes from, now and not at the first operation.
Device usable_device_of_setting(const char* name) try {
    const Device device = parse_device(name);
    backend(device);
    return device;
} catch (const Error& error) {
    std::string_view fault = error.what();
    if (fault.starts_with("device: ")) fault.remove_prefix(8);
    throw Error(error.kind(), "CUARRAY_DEVICE: " + std::string(fault), error.notes());
}

}  // namespace

Device default_device() {
    Registry& r = registry();
    if (const int chosen = r.chosen; chosen >= 0) return unpacked_device(chosen);
    const char* wish = std::getenv("CUARRAY_DEVICE");
    std::string troubles;
    const Device device = wish && *wish ? usable_device_of_setting(wish) : first_usable(&troubles);
    {
        const std::lock_guard lock(r.mutex);
        if (const int chosen = r.chosen; chosen >= 0) return unpacked_device(chosen);
        r.chosen = packed_device(device);
    }
    if (!troubles.empty())
        warn(troubles + "arrays go to " + to_string(device) + " instead (CUARRAY_DEVICE and device= name another)");
    return device;
}

void set_default_device(Device device) {
    backend(device);
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    r.chosen = packed_device(device);
}

Device current_device() { return thread_device ? *thread_device : default_device(); }

bool is_current_device(Device device) {
    if (thread_device) return *thread_device == device;
    if (const int chosen = registry().chosen; chosen >= 0) return unpacked_device(chosen) == device;
    return (device != Device{} || devices().front() == device) && current_device() == device;
}

DeviceScope::DeviceScope(Device device) : had_(thread_device.has_value()), previous_(thread_device.value_or(device)) {
    backend(device);
    thread_device = device;
}

DeviceScope::~DeviceScope() {
    if (had_)
        thread_device = previous_;
    else
        thread_device.reset();
}

bool has_looked_for(Device::Kind kind) { return registry().kinds[int(kind)].count >= 0; }

std::string missing_reason(Device::Kind kind) {
    count_of(kind);
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    return r.kinds[int(kind)].reason;
}

namespace {

class ForeignStorage final : public Storage {
 public:
    ForeignStorage(Backend* backend, void* data, int64_t bytes, void (*free)(void*), void* context,
                   bool (*is_held)(void*))
        : Storage(backend, data, bytes), free_(free), context_(context), is_held_(is_held) {
        begin_export(true);
    }
    void* lender() const override { return is_held_ ? context_ : nullptr; }

 private:
    bool is_held_elsewhere() const override { return !is_held_ || is_held_(context_); }
    void destroy() override {
        backend->runtime().return_to_owner(*this);
        if (free_) free_(context_);
        delete this;
    }
    void (*free_)(void*);
    void* context_;
    bool (*is_held_)(void*);
};

}  // namespace

std::atomic<int64_t> export_clock = 0;

StorageRef foreign_storage(Device device, void* data, int64_t bytes, void (*free)(void*), void* context,
                           bool (*is_held)(void*)) {
    return StorageRef(new ForeignStorage(&opened(device), data, bytes, free, context, is_held));
}

}  // namespace cuarray
