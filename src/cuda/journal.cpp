// journal.cpp -- a ring of the latest operations' names.
#include "cuda/journal.h"
#include <cstring>

namespace cuarray::cuda {

void Journal::note(int device, uint64_t ticket, const char* name) {
    const std::lock_guard lock(mutex_);
    Record& record = records_[next_];
    next_ = (next_ + 1) % kKept;
    record.device = device;
    record.ticket = ticket;
    std::strncpy(record.name, name, sizeof record.name - 1);
}

void Journal::finished(int device, uint64_t ticket) {
    const std::lock_guard lock(mutex_);
    for (Record& record : records_)
        if (record.device == device && record.ticket <= ticket) record.device = -1;
}

std::string Journal::text() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (int i = 0; i < kKept; ++i) {
        const Record& record = records_[(next_ + i) % kKept];
        if (record.device < 0) continue;
        if (!text.empty()) text += ", ";
        text += std::string(record.name) + " (cuda:" + std::to_string(record.device) + ")";
    }
    return text;
}

Journal& journal() {
    static Journal* one = new Journal;
    return *one;
}

}  // namespace cuarray::cuda
