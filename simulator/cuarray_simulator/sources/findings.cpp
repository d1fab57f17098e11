// findings.cpp -- reports of what is wrong with a program, and what it means.
#include "findings.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "driver.h"

namespace cudasim {
namespace {

constexpr int kLineBits = 24;

/// The kind that reports name for a cause, and what it means and what mends it.
struct Meaning {
    Cause cause;
    const char *kind, *text;
};

constexpr const char* kRaceOfLine =
    "several threads run this line on one element: if each changes it, use an atomic function (atomicAdd, Numba: "
    "cuda.atomic.add); if one reads what another writes, read it, wait at a barrier, and write then";

/// In the order of Cause.
constexpr Meaning kMeanings[] = {
    {Cause::Other, "error", ""},
    {Cause::RaceInBlock, "race in a block",
     "threads of one block run in any order: put __syncthreads() (Numba: cuda.syncthreads()) between the two, or "
     "__syncwarp() if both are in one warp, or make both atomic"},
    {Cause::RaceBetweenBlocks, "race between blocks",
     "blocks run at the same time and in any order: make both atomic, give each block elements of its own, or compute "
     "the second in another kernel"},
    {Cause::RaceOfLineInBlock, "race in a block", kRaceOfLine},
    {Cause::RaceOfLineBetweenBlocks, "race between blocks", kRaceOfLine},
    {Cause::RaceBetweenKernels, "race between kernels",
     "work in two streams runs in any order: have one stream wait for an event of the other, or use one stream"},
    {Cause::RaceOfBulkCopy, "race in a block",
     "a copy reads and writes until somebody has waited for it: by its barrier in memory, or by "
     "cp.async.bulk.wait_group.read before what it reads is written again"},
    {Cause::Uninitialised, "uninitialised",
     "new memory holds anything: fill it first (zeros instead of empty); in shared memory, a barrier may be missing "
     "between the write and this access"},
    {Cause::OutOfBounds, "illegal address",
     "the index is outside of the array, or the array was freed before the kernel ran"},
    {Cause::Freed, "illegal address", "the array was freed before the access, by the host or by a kernel"},
    {Cause::HostMemory, "illegal address",
     "the address may be one of the host: copy the array to the GPU, or use pinned memory"},
    {Cause::NoAccess, "illegal address",
     "memory belongs to its device and context: enable the access of peers, or copy what is needed"},
    {Cause::Copy, "illegal address",
     "a copy or fill runs when its stream comes to it: until then keep both memories, and change neither of them"},
    {Cause::BulkCopy, "illegal address",
     "shared memory goes when its block ends: wait before, at its barrier in memory for a copy to shared memory, by "
     "cp.async.bulk.wait_group for one from it"},
    {Cause::Free, "illegal address",
     "memory is freed while other work may still use it: free it in the same stream, or wait for that work first"},
    {Cause::Misaligned, "misaligned", "an access of n bytes needs an address that is a multiple of n"},
    {Cause::Barrier, "barrier",
     "all threads of a block must reach the same barrier: take it out of the branch or the loop that some leave early"},
    {Cause::MemoryBarrier, "barrier",
     "a barrier in memory (mbarrier, cuda::barrier) is made by one thread before a barrier of the block, counts "
     "exactly the arrivals it was made for, and is waited for by the token or the parity of its current phase"},
    {Cause::Assertion, "assertion", "a condition that the kernel asserts does not hold"},
    {Cause::Endless, "does not end", "threads wait for something that never comes, or a loop has no end"},
    {Cause::EndlessAtBarrier, "does not end",
     "a phase of a barrier in memory ends when all arrivals that mbarrier.init counts, and all bytes of expect_tx, have "
     "come: compare both with what arrives, and the parity or the token with the phase that is meant"},
};

constexpr bool in_order() {
    for (size_t i = 0; i < std::size(kMeanings); ++i)
        if (kMeanings[i].cause != static_cast<Cause>(i)) return false;
    return std::size(kMeanings) == static_cast<size_t>(Cause::Count);
}
static_assert(in_order());

const Meaning& meaning_of(const Finding& f) { return kMeanings[static_cast<size_t>(f.cause)]; }

/// Text between quotes of JSON.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (unsigned char c : text) {
        if (c == '"' || c == '\\')
            out += format("\\%c", c);
        else if (c < 32)
            out += format("\\u%04x", c);
        else
            out += static_cast<char>(c);
    }
    return out + "\"";
}

std::string extent_in_json(const cudasim_extent& e) { return format("[%u, %u, %u]", e.x, e.y, e.z); }

std::string in_json(const Finding& f) {
    std::string out = format("{\"seed\": %llu, \"kind\": ", static_cast<unsigned long long>(settings().seed));
    out += quoted(meaning_of(f).kind) + ", \"kernel\": " + quoted(f.kernel);
    if (!f.kernel.empty())
        out += ", \"block\": " + extent_in_json(f.block) + ", \"thread\": " + extent_in_json(f.thread);
    if (f.line > 0) out += format(", \"line\": %d", f.line);
    if (!f.file.empty()) out += ", \"file\": " + quoted(f.file);
    if (f.bytes) out += format(", \"bytes\": %u", f.bytes);
    if (!f.other.work.empty()) {
        out += ", \"other\": {\"work\": " + quoted(f.other.work) + ", \"access\": ";
        out += f.other.is_write ? "\"write\"" : "\"read\"";
        if (f.other.has_thread) out += format(", \"block\": %u, \"thread\": %u", f.other.block, f.other.thread);
        if (!f.other.line.empty()) out += ", \"line\": " + quoted(f.other.line);
        out += "}";
    }
    return out + ", \"message\": " + quoted(f.message) + ", \"meaning\": " + quoted(meaning_of(f).text) + "}\n";
}

/// Appends to the file in one call, so that the lines of several processes do not mix.
void append(const std::string& path, const std::string& line) {
    std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "ae"), std::fclose);
    if (!file || write(fileno(file.get()), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        say(format("%s: %s", path.c_str(), std::strerror(errno)));
}

/// The text of a line of a program.
std::string text_of(const std::string& path, int line) {
    std::ifstream in(path);
    std::string text;
    for (int i = 0; i < line; ++i)
        if (!std::getline(in, text)) return "";
    size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first);
}

/// The part of a C++ name without result and parameters: `f<int>` of `void f<int>(int*)`.
std::string bare(const std::string& demangled) {
    size_t begin = 0;
    int depth = 0;
    for (size_t i = 0; i < demangled.size(); ++i) {
        char c = demangled[i];
        if (c == '<') ++depth;
        if (c == '>') --depth;
        if (depth > 0) continue;
        if (c == ' ') begin = i + 1;
        if (c == '(' && i > begin) return demangled.substr(begin, i - begin);
    }
    return demangled;
}

long& count() {
    static long findings = 0;
    return findings;
}

}  // namespace

std::string readable(const std::string& symbol) {
    int status = 0;
    std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                std::free);
    if (status != 0 || !text) return symbol;
    std::string name = text.get();
    const bool is_of_numba = name.find("[abi:") != std::string::npos;
    for (size_t mark = name.find("[abi:"); mark != std::string::npos; mark = name.find("[abi:"))
        name.erase(mark, name.find(']', mark) + 1 - mark);
    name = bare(name);
    if (!is_of_numba) return name;
    // module::outer::_3clocals_3e::kernel: the last part is the function's name.
    size_t last = name.rfind("::");
    return last == std::string::npos ? name : name.substr(last + 2);
}

int number_of(int line) { return line & ((1 << kLineBits) - 1); }

std::string file_of(const cudasim_module& module, int line) {
    auto index = static_cast<unsigned>(line) >> kLineBits;
    if (index >= module.file_count) return "";
    std::string file = module.files[index];
    // Compilers are given copies of the text, which are gone.
    bool is_of_program = index > 0 || access(file.c_str(), R_OK) == 0;
    return is_of_program ? file : "";
}

std::string line_name(const cudasim_module& module, int line) {
    std::string file = file_of(module, line);
    return format("line %d", number_of(line)) + (file.empty() ? "" : " of " + file);
}

bool is_suppressed(const std::string& kernel) {
    std::istringstream patterns(settings().suppress);
    std::string pattern;
    while (std::getline(patterns, pattern, ','))
        if (fnmatch(pattern.c_str(), kernel.c_str(), 0) == 0 || pattern == readable(kernel) ||
            fnmatch(pattern.c_str(), readable(kernel).c_str(), 0) == 0)
            return true;
    return false;
}

bool is_last_finding() { return count() + 1 >= settings().limit; }

void report(const Finding& finding) {
    ++count();
    tally('f');
    say(finding.message);
    std::string text = finding.file.empty() ? "" : text_of(finding.file, finding.line);
    if (!text.empty()) say(format("    %d | ", finding.line) + text);
    if (*meaning_of(finding).text) say(std::string("    ") + meaning_of(finding).text);
    if (!settings().json.empty()) append(settings().json, in_json(finding));
}

long finding_count() { return count(); }

void tally(char letter) {
    std::istringstream files(settings().tally);
    std::string file;
    while (std::getline(files, file, ':')) {
        // Not made anew: the process that made it may have ended before this one, which nobody counts then.
        const int fd = open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
        if (fd < 0) continue;
        if (write(fd, &letter, 1) != 1) say(format("%s: %s", file.c_str(), std::strerror(errno)));
        close(fd);
    }
}

}  // namespace cudasim
