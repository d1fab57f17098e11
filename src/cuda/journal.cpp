// journal.cpp -- a ring of the latest operations.
#include "cuda/journal.h"
#include <cstring>
#include <utility>
#include "runtime/recorder.h"

namespace cuarray::cuda {

thread_local Journal::Launched Journal::last_;

void Journal::launched(const std::string& entry, const Expr* expr) { last_ = {&entry, expr}; }

void Journal::note(int device, StreamPoint point, const char* name) {
    const cuarray::Record* const recorded = current_record();
    const std::lock_guard lock(mutex_);
    LaunchRecord& record = records_[next_];
    next_ = (next_ + 1) % kKept;
    record.device = device;
    record.point = point;
    const size_t length = strnlen(name, sizeof record.name - 1);
    std::memcpy(record.name, name, length);
    record.name[length] = 0;
    record.kernel = std::exchange(last_, Launched());
    record.line = recorded ? recorded->line : 0;
    if (record.line) record.file = recorded->file;
}

void Journal::finished(StreamPoint point) {
    const std::lock_guard lock(mutex_);
    for (LaunchRecord& record : records_)
        if (record.point.stream() == point.stream() && record.point.ticket() <= point.ticket()) record.device = -1;
}

template <class Visit>
void Journal::visit(Visit&& visit) const {
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < kKept; ++i)
        if (const LaunchRecord& record = records_[(next_ + i) % kKept]; record.device >= 0) visit(record);
}

std::string Journal::text() const {
    std::string text;
    visit([&](const LaunchRecord& record) {
        text += (text.empty() ? "" : ", ") + std::string(record.name) + " (cuda:" + std::to_string(record.device) + ")";
    });
    return text;
}

std::vector<std::string> Journal::lines() const {
    std::vector<std::string> lines;
    visit([&](const LaunchRecord& record) {
        std::string line = "queued on cuda:" + std::to_string(record.device) + ": " + record.name;
        if (record.kernel.entry) line += ", kernel " + *record.kernel.entry;
        if (record.kernel.expr) line += ": " + to_infix(*record.kernel.expr);
        if (record.line) line += ", by " + record.file + ":" + std::to_string(record.line);
        lines.push_back(line);
    });
    return lines;
}

Journal& journal() {
    static Journal* one = new Journal;
    return *one;
}

}  // namespace cuarray::cuda
