// module_abi.h -- the interface between a compiled kernel module and the simulator.
#pragma once
// Included by both: the simulator and every kernel.

#define CUDASIM_ABI 10

/// Where the memory of all devices is, its size, and so how far behind an address the CPU reaches the same byte.
#define CUDASIM_MEMORY 0x550000000000ull
#define CUDASIM_MEMORY_SIZE (160ull << 30)

/// Flags of steps with a barrier in memory: it orders memory; an arrival that must not complete the phase; one that
/// was expected from the start.
#define CUDASIM_ORDERS 1u
#define CUDASIM_NO_COMPLETE 2u
#define CUDASIM_NO_INCREASE 4u

struct cudasim_extent {
    unsigned x, y, z;
};

/// The indices of the running thread; the module owns one, the simulator sets it before a thread runs.
struct cudasim_place {
    cudasim_extent thread, block, block_size, grid_size;
    char* dynamic_shared;
    unsigned dynamic_shared_bytes;
    /// Two words that the barriers of a cooperative launch count in; null in other launches.
    unsigned* grid_workspace;
    /// The line of the CUDA text that the thread is at, where the module knows it.
    int line;
};

/// The participating lanes of a warp-wide exchange, and their values (16 bytes per lane).
struct cudasim_exchanged {
    const unsigned char* slots;
    unsigned lanes;
};

/// The functions that kernels call.
struct cudasim_runtime {
    /// Arrives at a barrier of the block, 0 to 15, which `threads` of its threads make complete (0: all of them), and
    /// waits there, or only arrives.
    void (*barrier)(unsigned number, unsigned threads, bool waits, int line);
    cudasim_exchanged (*exchange)(unsigned mask, int kind, const void* value, unsigned bytes);
    void (*yield)();
    void (*fail)(int code, const char* message);
    /// Called only by modules that were compiled with checks; kind 0 reads, 1 writes, 2 and 3 likewise but
    /// atomically, 4 writes atomically for the whole system, 5 and 6 write like 3 and 4 what depends on the old value.
    void (*access)(const void* place, unsigned bytes, int kind);
    void (*fence)();
    /// Copies that happen when the thread waits until at most so many groups of them are left.
    void (*copy_async)(void* to, const void* from, unsigned bytes, unsigned read);
    void (*commit_copies)();
    void (*wait_for_copies)(unsigned groups);
    /// The same of bulk copies from shared memory; those to shared memory tell a barrier there.
    void (*copy_bulk)(void* to, const void* from, unsigned bytes, void* barrier);
    void (*commit_bulk_copies)();
    void (*wait_for_bulk_copies)(unsigned groups);
    /// A step with a barrier in shared memory; its result is a token, or whether a phase has ended.
    unsigned long long (*memory_barrier)(int step, void* place, unsigned long long number, long long bytes,
                                         unsigned flags);
    /// printf of a kernel; returns the number of arguments.
    int (*print)(const char* pattern, const char* arguments);
    void (*assertion)(const char* text, const char* file, unsigned line, const char* function);
    /// malloc and free of a kernel; null where the device's heap has no room.
    void* (*allocate)(unsigned long bytes);
    void (*release)(void* place);
};

/// The bytes that the PTX of a kernel, and of what it calls, declares and names: static shared memory of a block, the
/// own arrays of a thread, constants.
struct cudasim_declared {
    unsigned shared, local, constant;
};

/// One kernel: `call` runs one thread with a block of parameters laid out as CUDA lays them out.
struct cudasim_kernel {
    const char* name;
    void (*call)(const char* parameters);
    unsigned parameter_count;
    const unsigned* sizes;
    const unsigned* offsets;
    unsigned parameter_bytes;
    unsigned max_threads;
    /// Null in modules that are made from CUDA text.
    const cudasim_declared* declared;
};

/// The symbol `cudasim_module_info` of every module.
struct cudasim_module {
    unsigned abi;
    unsigned architecture;
    cudasim_place* place;
    const cudasim_runtime** runtime;
    char* shared_begin;
    char* shared_end;
    const char* image_begin;
    const cudasim_kernel* kernels;
    unsigned kernel_count;
    /// The files that lines are in, where the module knows them: a line is its number + (index of its file << 24).
    const char* const* files;
    unsigned file_count;
};
