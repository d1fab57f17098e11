// hooks.h -- callbacks that a host program (the Python package) registers: locating CUDA's libraries, warnings,
// freeing memory, waiting, the current source line, and shutdown.
#pragma once
#include <string>
#include "cuarray/core/dtype.h"
#include "cuarray/core/error.h"

namespace cuarray {

/// Finds a library of NVIDIA's ("nvrtc", "cublas") of one major version: its path, or "" if there is none.
/// May take the GIL: at most the lock of the pending graphs is held during the call, and no thread waits for that lock
/// while it holds the GIL. Must not throw.
using LibraryLocator = std::string (*)(const char* name, int major);
CUARRAY_API void set_library_locator(LibraryLocator locator);
/// Calls the locator; "" without one.
CUARRAY_API std::string locate_library(const char* name, int major);

/// Handles a warning; may take the GIL, like the locator. The default writes a line to stderr.
using WarningHandler = void (*)(const char* message);
CUARRAY_API void set_warning_handler(WarningHandler handler);
CUARRAY_API void warn(const std::string& message);

/// Reports an error that cannot be raised, such as a failed free (Python: sys.unraisablehook). Each text is reported
/// once. Called without any lock of ours; the default warns.
using UnraisableHandler = void (*)(const char* message);
CUARRAY_API void set_unraisable_handler(UnraisableHandler handler);
CUARRAY_API void report_unraisable(const std::string& message) noexcept;

/// Floating-point errors, in the order in which they are reported.
enum FloatingError : unsigned { kDivide = 1, kOver = 2, kUnder = 4, kInvalid = 8 };

/// Told which errors a function of that name has met (Python: warns, raises or calls, as errstate says). May take the
/// GIL and throw: the error is that of the call, whose results have been written.
using FloatingErrorHandler = void (*)(unsigned errors, const char* name);
CUARRAY_API void set_floating_error_handler(FloatingErrorHandler handler);
CUARRAY_API void report_floating_errors(unsigned errors, const char* name);
/// Counts the programs that ask for floating-point errors: call with true to begin, with false to end. While there are
/// any, all devices look for errors, and nothing is deferred (registry.cpp).
CUARRAY_API void want_floating_errors(bool wanted);
CUARRAY_API bool are_floating_errors_wanted();

/// Told that a cast which the caller asked for drops imaginary parts (Python: NumPy's ComplexWarning). May take the GIL
/// and throw, before anything is written.
using LostPartsHandler = void (*)();
CUARRAY_API void set_lost_parts_handler(LostPartsHandler handler);
/// Calls the handler if numbers of the one type lose their imaginary parts in the other.
CUARRAY_API void warn_of_lost_imaginary_part(DType from, DType to);

/// Frees unreachable objects of the host program (Python: gc.collect) when a device is out of memory; may take
/// the GIL, like the locator.
using MemoryReliever = void (*)();
CUARRAY_API void set_memory_reliever(MemoryReliever reliever);
CUARRAY_API void relieve_memory_pressure();

/// Makes other libraries release their cached memory, after our own caches have been released. Called without any
/// lock of ours.
using MemoryFlush = void (*)();
CUARRAY_API void set_memory_flush(MemoryFlush flush);
CUARRAY_API void flush_other_libraries();

/// Finds the line of the host program that this thread is executing; false if there is none. Takes no lock and never
/// blocks, so it may be called anywhere. Lines of threads that work without the GIL are known only while
/// are_lines_wanted().
using LineFinder = bool (*)(std::string* file, int* line);
CUARRAY_API void set_line_finder(LineFinder finder);
CUARRAY_API bool find_line(std::string* file, int* line);
/// Lines of the host program, in one file.
struct SourceLines {
    std::string file;
    int first = 0, last = 0;
};
/// The lines that recorders name for what this thread does during the life of the object; of no file: those that
/// find_line() finds.
class CUARRAY_API LinesScope {
 public:
    explicit LinesScope(SourceLines lines);
    ~LinesScope();
    LinesScope(const LinesScope&) = delete;
    LinesScope& operator=(const LinesScope&) = delete;

 private:
    const SourceLines lines_;
    const SourceLines* const outer_;
};
/// The lines of the innermost scope, or the one of find_line().
CUARRAY_API SourceLines find_lines();
/// Counts the users of lines: call with true to begin, with false to end.
CUARRAY_API void want_lines(bool wanted);
CUARRAY_API bool are_lines_wanted();

/// Runs `wait`, which blocks on another thread, and meanwhile releases what that thread may need (Python: the GIL).
/// Without a waiter, `wait` is simply called.
using Waiter = void (*)(void (*wait)(void*), void* argument);
CUARRAY_API void set_waiter(Waiter waiter);
CUARRAY_API void wait_unlocked(void (*wait)(void*), void* argument);
/// The same for any function, which must not throw.
template <class Wait>
void run_unlocked(Wait wait) {
    wait_unlocked([](void* function) { (*static_cast<Wait*>(function))(); }, &wait);
}

/// Runs the operations that this thread has deferred; errors are raised where their values are read. For runtime/,
/// which knows no arrays: before the current stream changes, and when a device is out of memory.
CUARRAY_API void set_settler(void (*settler)() noexcept);
void run_deferred() noexcept;

/// For the host program's exit handler: reports faults that were never raised; afterwards no driver is called and
/// nothing on a GPU is freed. Safe to call twice.
CUARRAY_API void shutdown();
/// Registers a function that `shutdown` calls, last registered first.
CUARRAY_API void at_shutdown(void (*function)());

}  // namespace cuarray
