// log.cpp -- CUARRAY_LOG=launch,alloc,copy,wait: one line on stderr for every operation of those kinds.
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>
#include "runtime/byte_text.h"
#include "runtime/decorators.h"
#include "runtime/hooks.h"
#include "runtime/recorder.h"

namespace cuarray {
namespace {

constexpr Record::Kind kKinds[] = {Record::Kind::Launch, Record::Kind::Alloc, Record::Kind::Copy, Record::Kind::Wait};
constexpr size_t kLongest = 160;  ///< characters of an expression, to keep lines readable

std::string time_text(int64_t nanoseconds) {
    char text[32];
    if (nanoseconds < 1000000)
        std::snprintf(text, sizeof text, "%.1f us", double(nanoseconds) * 1e-3);
    else
        std::snprintf(text, sizeof text, "%.2f ms", double(nanoseconds) * 1e-6);
    return text;
}

std::string line_of(const Record& record) {
    std::ostringstream text;
    text << "cuarray " << to_string(record.kind) << "  " << record.name;
    if (record.kind == Record::Kind::Launch) {
        const bool is_long = record.expression.size() > kLongest;
        text << "  " << record.expression.substr(0, kLongest) << (is_long ? "..." : "") << "  "
             << to_string(record.shape) << " " << record.dtype;
    }
    if (record.kind != Record::Kind::Wait) text << "  " << byte_text(record.bytes);
    text << "  " << to_string(record.device);
    if (record.stream) text << " stream " << std::hex << "0x" << record.stream << std::dec;
    text << "  " << time_text(record.end - record.start);
    if (record.built)
        text << " (" << time_text(record.built) << " for the kernel, "
             << (record.build == Record::Build::Disk ? "from disk" : "compiled") << ")";
    if (record.failed) text << "  FAILED";
    if (record.line) text << "  " << record.file << ":" << record.line;
    text << "\n";
    return text.str();
}

class Log final : public Listener {
 public:
    explicit Log(unsigned kinds) : kinds_(kinds) {}

    void take(const Record& record) noexcept override {
        if (!(kinds_ >> unsigned(record.kind) & 1)) return;
        try {
            std::fputs(line_of(record).c_str(), stderr);
        } catch (const std::exception&) { std::fputs("cuarray: no memory for a line of the log\n", stderr); }
    }

 private:
    const unsigned kinds_;  ///< bit k: kind k is written
};

/// The kinds in a comma-separated list; warns of any other word.
unsigned kinds_of(const std::string& wish) {
    unsigned kinds = 0;
    std::istringstream words(wish);
    for (std::string word; std::getline(words, word, ',');) {
        word.erase(0, word.find_first_not_of(' '));
        word.erase(word.find_last_not_of(' ') + 1);
        unsigned found = 0;
        for (const Record::Kind kind : kKinds)
            if (word == to_string(kind)) found = 1u << unsigned(kind);
        if (!found) warn("CUARRAY_LOG: '" + word + "' is none of launch, alloc, copy, wait");
        kinds |= found;
    }
    return kinds;
}

}  // namespace

void start_log() {
    static const bool started = [] {
        const char* const wish = std::getenv("CUARRAY_LOG");
        const unsigned kinds = wish ? kinds_of(wish) : 0;
        if (kinds) add_listener(*new Log(kinds));
        return true;
    }();
    static_cast<void>(started);
}

}  // namespace cuarray
