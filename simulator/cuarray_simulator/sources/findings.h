// findings.h -- what is wrong with a program: reports on stderr, lines of JSON, and their number.
#pragma once
#include <string>

#include "module_abi.h"

namespace cudasim {

/// The other access of a race.
struct OtherAccess {
    std::string work;  ///< kernel, copy or fill; empty: there is none
    bool is_write = false;
    bool has_thread = false;
    unsigned block = 0, thread = 0;
    std::string line;
};

/// Why something is wrong. findings.cpp has the kind that reports name, and what mends it.
enum class Cause {
    Other,
    RaceInBlock,
    RaceBetweenBlocks,
    /// Races of a line with itself.
    RaceOfLineInBlock,
    RaceOfLineBetweenBlocks,
    RaceBetweenKernels,
    /// A race of a bulk copy of its own block.
    RaceOfBulkCopy,
    Uninitialised,
    OutOfBounds,
    Freed,
    HostMemory,
    NoAccess,
    Copy,
    BulkCopy,
    Free,
    Misaligned,
    Barrier,
    MemoryBarrier,
    Assertion,
    Endless,
    EndlessAtBarrier,
    Count
};

/// What is wrong with a call or an access; nothing if the message is empty.
struct Fault {
    std::string message = {};
    Cause cause = Cause::Other;

    explicit operator bool() const { return !message.empty(); }
};

/// One thing that is wrong, in a kernel or outside of all.
struct Finding {
    Cause cause = Cause::Other;
    std::string message;
    std::string kernel;  ///< its name as written in the program; empty outside of kernels
    cudasim_extent block{}, thread{};
    int line = 0;      ///< 0: unknown
    std::string file;  ///< of the line, if it is known
    unsigned bytes = 0;
    OtherAccess other;
};

/// The name of a kernel as the program writes it, without Numba's marks and C++'s parameters.
std::string readable(const std::string& symbol);

/// A line as modules note it, as words: "line 7", or "line 7 of FILE" where the file is no generated one.
std::string line_name(const cudasim_module& module, int line);
/// The file of a line, or nothing, and its number.
std::string file_of(const cudasim_module& module, int line);
int number_of(int line);

/// Whether findings of a kernel are not reported: CUDASIM_SUPPRESS.
bool is_suppressed(const std::string& kernel);
/// Whether this is the last finding of CUDASIM_LIMIT: a kernel does not go on after it.
bool is_last_finding();
/// Prints a finding and counts it.
void report(const Finding& finding);
/// The number of findings of this process.
long finding_count();
/// Adds a letter to the files of CUDASIM_TALLY, which a program and its child processes share.
void tally(char letter);

}  // namespace cudasim
