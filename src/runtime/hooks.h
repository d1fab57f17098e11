// hooks.h -- what a host program (the Python package) plugs into the library: where CUDA's libraries are,
// where warnings go, what frees memory, how to wait, which line is being executed, and when everything ends.
#pragma once
#include <string>
#include "cuarray/core/error.h"

namespace cuarray {

/// Finds a library of NVIDIA's ("nvrtc", "cublas") of one major version: its path, or "" where there is none.
/// It may take the GIL: no lock is held then but that of pending work, which is never waited for with the GIL. It must
/// not throw.
using LibraryLocator = std::string (*)(const char* name, int major);
CUARRAY_API void set_library_locator(LibraryLocator locator);
/// Asks the locator; "" without one.
CUARRAY_API std::string locate_library(const char* name, int major);

/// Takes a warning; may take the GIL as the locator may. The default writes a line to stderr.
using WarningHandler = void (*)(const char* message);
CUARRAY_API void set_warning_handler(WarningHandler handler);
CUARRAY_API void warn(const std::string& message);

/// Takes an error that has nobody to be raised to, such as a free that failed; Python: sys.unraisablehook. Each text is
/// reported once. Called without any lock of ours; the default warns.
using UnraisableHandler = void (*)(const char* message);
CUARRAY_API void set_unraisable_handler(UnraisableHandler handler);
CUARRAY_API void report_unraisable(const std::string& message) noexcept;

/// Drops what a host program keeps alive without need (Python: gc.collect) when a device is out of memory;
/// may take the GIL as the locator may.
using MemoryReliever = void (*)();
CUARRAY_API void set_memory_reliever(MemoryReliever reliever);
CUARRAY_API void relieve_memory_pressure();

/// Makes other libraries give back what they keep for reuse, when nothing of ours is left to give. Called without
/// any lock of ours.
using MemoryFlush = void (*)();
CUARRAY_API void set_memory_flush(MemoryFlush flush);
CUARRAY_API void flush_other_libraries();

/// Finds the line of the host program that this thread is executing; false where there is none. It takes no lock and
/// waits for nobody, so it may be called anywhere. Lines of threads that work without the GIL are known only while
/// somebody wants them.
using LineFinder = bool (*)(std::string* file, int* line);
CUARRAY_API void set_line_finder(LineFinder finder);
CUARRAY_API bool find_line(std::string* file, int* line);
/// Counts those who want lines: each says so once, and once more when it wants them no longer.
CUARRAY_API void want_lines(bool wanted);
CUARRAY_API bool are_lines_wanted();

/// Runs `wait`, which blocks until another thread gets on, letting go meanwhile of what that thread may need (Python:
/// the GIL). Without one the wait is just run.
using Waiter = void (*)(void (*wait)(void*), void* argument);
CUARRAY_API void set_waiter(Waiter waiter);
CUARRAY_API void wait_unlocked(void (*wait)(void*), void* argument);

/// Says that the process is about to end: reports faults that nobody has waited for, and from then on no
/// driver is called and nothing on a GPU is freed. For the host program's exit handler; safe to call twice.
CUARRAY_API void shutdown();
/// Registers a function that `shutdown` calls, last registered first.
CUARRAY_API void at_shutdown(void (*function)());

}  // namespace cuarray
