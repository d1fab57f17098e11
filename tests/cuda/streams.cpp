// streams.cpp -- order with streams of other libraries, and faults that are raised at the next wait.
#include <dlfcn.h>
#include <cstdlib>
#include "cuarray/runtime/runtime.h"
#include "programs.h"
#include "random_views.h"

namespace tests {
namespace {

/// The driver as another library of the process uses it.
struct Peer {
    int (*cuStreamCreate)(void**, unsigned);
    int (*cuStreamSynchronize)(void*);
    int (*cuStreamDestroy)(void*);
    int (*cuMemsetD8Async)(unsigned long long, unsigned char, size_t, void*);
    int (*cuMemcpyDtoDAsync)(unsigned long long, unsigned long long, size_t, void*);
    int (*cuDevicePrimaryCtxRetain)(void**, int);
    int (*cuCtxSetCurrent)(void*);
    int (*cuCtxGetCurrent)(void**);

    Peer() {
        const char* path = std::getenv("CUARRAY_LIBCUDA");
        void* library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW);
        const auto bind = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            CHECK(function, "%s", name);
        };
        bind(cuStreamCreate, "cuStreamCreate");
        bind(cuStreamSynchronize, "cuStreamSynchronize");
        bind(cuStreamDestroy, "cuStreamDestroy_v2");
        bind(cuMemsetD8Async, "cuMemsetD8Async");
        bind(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
        bind(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
        bind(cuCtxSetCurrent, "cuCtxSetCurrent");
        bind(cuCtxGetCurrent, "cuCtxGetCurrent");
        void* context = nullptr;
        CHECK(cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxSetCurrent(context) == 0, "peer context");
    }
};

unsigned long long address(const StorageRef& storage) { return reinterpret_cast<unsigned long long>(storage->data); }

// A published block is dropped while the other stream still has to read it: its memory must not be reused,
// or released, before.
void test_lifetime(Backend& gpu, const Peer& peer, void* stream) {
    constexpr int64_t kBytes = 4096;
    const std::vector<char> sevens(kBytes, 7), nines(kBytes, 9);
    const StorageRef kept = gpu.allocate(kBytes);
    for (int round = 0; round < 20; ++round) {
        StorageRef dropped = gpu.allocate(kBytes);
        gpu.write(*dropped, 0, sevens.data(), kBytes);
        gpu.runtime().publish(*dropped, int64_t(stream));
        gpu.runtime().publish(*kept, int64_t(stream));
        CHECK(peer.cuMemcpyDtoDAsync(address(kept), address(dropped), kBytes, stream) == 0, "peer copy");
        dropped = StorageRef();
        if (round % 4 == 3) gpu.memory().trim();
        const StorageRef next = gpu.allocate(kBytes);
        gpu.write(*next, 0, nines.data(), kBytes);
        gpu.synchronize();
        CHECK(peer.cuStreamSynchronize(stream) == 0, "peer synchronize");
        gpu.runtime().adopt(*kept, int64_t(stream));
        CHECK(download(gpu, *kept) == sevens, "round %d: memory was used anew too early", round);
    }
}

constexpr int64_t kSize = 4096;

// Consumers without a stream work on the legacy one, which is not ordered with a non-blocking stream.
void test_export_from_our_stream(Backend& gpu, const Peer& peer) {
    Runtime& runtime = gpu.runtime();
    const StreamRef own = runtime.make_stream(0, false);
    void* const legacy = reinterpret_cast<void*>(1);
    const std::vector<char> sevens(kSize, 7);
    for (int round = 0; round < 20; ++round) {
        const StorageRef a = gpu.allocate(kSize), b = gpu.allocate(kSize), c = gpu.allocate(kSize);
        {
            const StreamScope scope(own);
            gpu.write(*a, 0, sevens.data(), kSize);
            gpu.copy(*c, 0, *a, 0, kSize);
            if (round % 2)
                runtime.publish(*c, 1);
            else
                runtime.show(*c);
        }
        CHECK(peer.cuMemcpyDtoDAsync(address(b), address(c), kSize, legacy) == 0, "peer copy");
        runtime.adopt(*b, 1);
        CHECK(download(gpu, *b) == sevens, "round %d: exported from a stream of ours", round);
    }
}

// Imported memory is returned to its owner, which immediately reuses it on the legacy stream.
void test_return_to_owner(Backend& gpu, const Peer& peer) {
    Runtime& runtime = gpu.runtime();
    const StreamRef own = runtime.make_stream(0, false);
    const std::vector<char> sevens(kSize, 7), nines(kSize, 9);
    for (int round = 0; round < 20; ++round) {
        const StorageRef owned = gpu.allocate(kSize);
        const unsigned long long at = address(owned);
        gpu.write(*owned, 0, nines.data(), kSize);
        int returned = 0;
        {
            const StreamScope scope(own);
            const StorageRef lent = foreign_storage(
                gpu.device(), owned->data, kSize, [](void* count) { ++*static_cast<int*>(count); }, &returned);
            runtime.adopt(*lent, 1);
            const StorageRef source = gpu.allocate(kSize);
            gpu.write(*source, 0, sevens.data(), kSize);
            gpu.copy(*lent, 0, *source, 0, kSize);
        }
        CHECK(returned == 1, "returned %d times", returned);
        CHECK(peer.cuMemsetD8Async(at, 9, kSize, reinterpret_cast<void*>(1)) == 0, "peer memset");
        CHECK(download(gpu, *owned) == nines, "round %d: the owner's work came too early", round);
    }
}

// Work on a stream of another library, which is destroyed before the wait for it.
void test_stale_foreign_stream(Backend& gpu, const Peer& peer) {
    Runtime& runtime = gpu.runtime();
    const std::vector<char> sevens(kSize, 7);
    for (int round = 0; round < 20; ++round) {
        void* handle = nullptr;
        CHECK(peer.cuStreamCreate(&handle, 1) == 0, "cuStreamCreate");
        StorageRef a, b;
        {
            const StreamScope scope(runtime.foreign_stream(int64_t(handle)));
            a = gpu.allocate(kSize);
            b = gpu.allocate(kSize);
            gpu.write(*a, 0, sevens.data(), kSize);
            gpu.copy(*b, 0, *a, 0, kSize);
        }
        CHECK(peer.cuStreamDestroy(handle) == 0, "cuStreamDestroy");
        if (round % 2) a = StorageRef();
        // Its number may be reused only when its work has finished.
        void* next = nullptr;
        CHECK(peer.cuStreamCreate(&next, 1) == 0, "cuStreamCreate");
        {
            const StreamScope scope(runtime.foreign_stream(int64_t(next)));
            const StorageRef other = gpu.allocate(kSize);
            gpu.write(*other, 0, sevens.data(), kSize);
        }
        CHECK(peer.cuStreamDestroy(next) == 0, "cuStreamDestroy");
        CHECK(download(gpu, *b) == sevens, "round %d: work of a stream that is gone", round);
    }
}

}  // namespace

void test_foreign_streams() {
    constexpr unsigned kNonBlocking = 1;
    constexpr int64_t kBytes = 4096;
    Backend& gpu = backend({Device::Kind::Cuda, 0});
    const Peer peer;
    void* made = nullptr;
    CHECK(peer.cuStreamCreate(&made, kNonBlocking) == 0, "cuStreamCreate");
    void* const legacy = reinterpret_cast<void*>(1);
    void* const per_thread = reinterpret_cast<void*>(2);
    for (void* const stream : {made, legacy, per_thread}) {
        for (int round = 0; round < 20; ++round) {
            const StorageRef a = gpu.allocate(kBytes), b = gpu.allocate(kBytes), c = gpu.allocate(kBytes);
            const std::vector<char> sevens(kBytes, 7), nines(kBytes, 9);
            gpu.write(*a, 0, sevens.data(), kBytes);
            gpu.write(*c, 0, sevens.data(), kBytes);
            // cuarray's work, then theirs: they read results that are only queued.
            gpu.runtime().publish(*a, int64_t(stream));
            gpu.runtime().publish(*b, int64_t(stream));
            gpu.runtime().publish(*c, int64_t(stream));
            CHECK(peer.cuMemcpyDtoDAsync(address(b), address(a), kBytes, stream) == 0, "peer copy");
            CHECK(peer.cuMemsetD8Async(address(c), 9, kBytes, stream) == 0, "peer memset");
            // Theirs, then cuarray's.
            gpu.runtime().adopt(*b, int64_t(stream));
            gpu.runtime().adopt(*c, int64_t(stream));
            CHECK(download(gpu, *b) == sevens, "round %d: what another stream copied", round);
            CHECK(download(gpu, *c) == nines, "round %d: what another stream wrote", round);
        }
        CHECK(peer.cuStreamSynchronize(stream) == 0, "peer synchronize");
    }
    test_lifetime(gpu, peer, made);
    // Work on another GPU does not change this thread's context.
    void *before = nullptr, *after = nullptr;
    peer.cuCtxGetCurrent(&before);
    const char byte = 1;
    backend({Device::Kind::Cuda, 1}).write(*backend({Device::Kind::Cuda, 1}).allocate(1), 0, &byte, 1);
    peer.cuCtxGetCurrent(&after);
    CHECK(before && before == after, "another context is current after work on another GPU");
    test_export_from_our_stream(gpu, peer);
    test_return_to_owner(gpu, peer);
    test_stale_foreign_stream(gpu, peer);
    gpu.memory().trim();
    CHECK(gpu.memory().stats().allocations == 0, "published blocks leaked");
}

void test_faults() {
    Backend& gpu = backend({Device::Kind::Cuda, 0});
    // pow(2, y) whose fault value is y < 0.
    Expr expr;
    const DType dtype = DType::int32;
    const ValueId y = expr.input(dtype);
    expr.outputs = {expr.loop(loop_for(find_row("pow"), dtype), expr.scalar(Scalar::of(dtype, int32_t(2))), y)};
    expr.fault = expr.loop(loop_for(find_row("less"), dtype), y, expr.scalar(Scalar::of(dtype, int32_t(0))));
    const auto run = [&](int32_t exponent, const char* name = "pow") {
        std::vector<int32_t> exponents(1000, 3);
        exponents[777] = exponent;
        const StorageRef from = gpu.allocate(4000), to = gpu.allocate(4000);
        gpu.write(*from, 0, exponents.data(), 4000);
        const View input{from.get(), 0, dtype, Dims{4}}, output{to.get(), 0, dtype, Dims{4}};
        gpu.run(Elementwise{&expr, Dims{1000}, {&input, 1}, {&output, 1}, name});
    };
    run(5);
    gpu.synchronize();
    for (int round = 0; round < 3; ++round) {
        bool raised = false;
        try {
            run(-1);
            run(-2, "later");  // only the first fault is kept
            gpu.synchronize();
        } catch (const Error& error) {
            raised = true;
            CHECK(error.kind() == ErrorKind::Value, "%s", error.what());
            CHECK(std::string(error.what()).rfind("pow: ", 0) == 0, "%s", error.what());
        }
        CHECK(raised, "a negative power was not reported");
        run(4);
        gpu.synchronize();  // reported once
    }
    // A read is a wait as well.
    run(-1);
    const StorageRef any = gpu.allocate(4);
    int32_t value = 0;
    gpu.write(*any, 0, &value, 4);
    CHECK(RAISES(Value, gpu.read(&value, *any, 0, 4)), "a read did not report the fault");
    CHECK(gpu.memory().stats().allocations == 1, "faults leaked memory");
}

}  // namespace tests
