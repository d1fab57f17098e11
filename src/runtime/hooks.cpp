// hooks.cpp -- the callbacks of the host program: library locator, warning and error handlers, waiting, and functions
// to call at shutdown.
#include "runtime/hooks.h"
#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace cuarray {
namespace {

std::atomic<LibraryLocator> the_locator{nullptr};
std::atomic<WarningHandler> the_handler{nullptr};
std::atomic<UnraisableHandler> the_unraisable_handler{nullptr};
std::atomic<MemoryReliever> the_reliever{nullptr};
std::atomic<MemoryFlush> the_flush{nullptr};
std::atomic<LineFinder> the_finder{nullptr};
std::atomic<int> line_watchers{0};
std::atomic<FloatingErrorHandler> the_error_handler{nullptr};
std::atomic<LostPartsHandler> the_lost_parts_handler{nullptr};
std::atomic<Waiter> the_waiter{nullptr};
std::atomic<void (*)() noexcept> the_settler{nullptr};

struct Endings {
    std::mutex mutex;
    std::vector<void (*)()> functions;
};

// Never destroyed: a host program may call shutdown() after static destructors have begun.
Endings& endings() {
    static Endings* all = new Endings;
    return *all;
}

}  // namespace

void set_library_locator(LibraryLocator locator) { the_locator = locator; }

std::string locate_library(const char* name, int major) {
    const LibraryLocator locator = the_locator;
    return locator ? locator(name, major) : std::string();
}

void set_warning_handler(WarningHandler handler) { the_handler = handler; }

void warn(const std::string& message) {
    if (const WarningHandler handler = the_handler)
        handler(message.c_str());
    else
        std::fprintf(stderr, "cuarray: warning: %s\n", message.c_str());
}

void set_unraisable_handler(UnraisableHandler handler) { the_unraisable_handler = handler; }

void report_unraisable(const std::string& message) noexcept {
    try {
        static std::mutex* const mutex = new std::mutex;
        static std::set<std::string>* const reported = new std::set<std::string>;
        {
            const std::lock_guard lock(*mutex);
            if (!reported->insert(message).second) return;
        }
        if (const UnraisableHandler handler = the_unraisable_handler)
            handler(message.c_str());
        else
            warn(message);
    } catch (const std::exception&) { std::fputs("cuarray: no memory to report an error\n", stderr); }
}

void set_floating_error_handler(FloatingErrorHandler handler) { the_error_handler = handler; }

void report_floating_errors(unsigned errors, const char* name) {
    if (const FloatingErrorHandler handler = the_error_handler) handler(errors, name);
}

void set_lost_parts_handler(LostPartsHandler handler) { the_lost_parts_handler = handler; }

void warn_of_lost_imaginary_part(DType from, DType to) {
    const Kind kind = info(to).kind;
    if (info(from).kind != Kind::Complex || kind == Kind::Complex || kind == Kind::Bool) return;
    if (const LostPartsHandler handler = the_lost_parts_handler) handler();
}

void set_memory_reliever(MemoryReliever reliever) { the_reliever = reliever; }

void set_settler(void (*settler)() noexcept) { the_settler = settler; }

void run_deferred() noexcept {
    if (const auto settler = the_settler.load(std::memory_order_relaxed)) settler();
}

void relieve_memory_pressure() {
    if (const MemoryReliever reliever = the_reliever) reliever();
}

void set_memory_flush(MemoryFlush flush) { the_flush = flush; }

void flush_other_libraries() {
    if (const MemoryFlush flush = the_flush) flush();
}

void set_line_finder(LineFinder finder) { the_finder = finder; }

bool find_line(std::string* file, int* line) {
    const LineFinder finder = the_finder;
    return finder && finder(file, line);
}

namespace {
thread_local const SourceLines* scope_lines = nullptr;
}

LinesScope::LinesScope(SourceLines lines) : lines_(std::move(lines)), outer_(scope_lines) {
    if (lines_.first) scope_lines = &lines_;
}
LinesScope::~LinesScope() { scope_lines = outer_; }

SourceLines find_lines() {
    if (scope_lines) return *scope_lines;
    SourceLines lines;
    find_line(&lines.file, &lines.first);
    lines.last = lines.first;
    return lines;
}

void want_lines(bool wanted) { line_watchers += wanted ? 1 : -1; }

bool are_lines_wanted() { return line_watchers.load(std::memory_order_relaxed) > 0; }

void set_waiter(Waiter waiter) { the_waiter = waiter; }

void wait_unlocked(void (*wait)(void*), void* argument) {
    if (const Waiter waiter = the_waiter)
        waiter(wait, argument);
    else
        wait(argument);
}

void at_shutdown(void (*function)()) {
    const std::lock_guard lock(endings().mutex);
    endings().functions.push_back(function);
}

void shutdown() {
    std::vector<void (*)()> functions;
    {
        const std::lock_guard lock(endings().mutex);
        functions = std::exchange(endings().functions, {});
    }
    while (!functions.empty()) {
        functions.back()();
        functions.pop_back();
    }
}

}  // namespace cuarray
