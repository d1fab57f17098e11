// profile.cpp -- keeps records, and tells when the devices ran them.
#include "cuarray/api/profile.h"
#include <algorithm>
#include <map>
#include <utility>
#include "api/recording.h"
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/runtime.h"

namespace cuarray {

bool Recording::start() {
    if (is_on_) return false;
    settle_all();  // may fail: nothing records then
    add_listener(*this);
    return is_on_ = true;
}

void Recording::stop() {
    if (std::exchange(is_on_, false)) remove_listener(*this);
}

void Recording::take(const Record& record) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        records_.push_back(record);
    } catch (const std::exception&) { ++lost_; }
}

std::vector<Device> Recording::devices() {
    const std::lock_guard lock(mutex_);
    std::vector<Device> devices;
    for (const Record& r : records_)
        if (r.span && std::find(devices.begin(), devices.end(), r.device) == devices.end()) devices.push_back(r.device);
    return devices;
}

std::vector<ProfiledOperation> Recording::taken() {
    std::vector<Record> records;
    {
        const std::lock_guard lock(mutex_);
        records.swap(records_);
    }
    std::vector<ProfiledOperation> operations;
    std::map<std::string, const Record*> firsts;  // by device: its work is placed by the first record's start
    for (const Record& r : records) {
        ProfiledOperation& operation = operations.emplace_back(ProfiledOperation{r, {}, {}});
        try {
            if (!r.span || !r.span->end->is_done()) continue;
            const Record& first = *firsts.try_emplace(to_string(r.device), &r).first->second;
            const double time = r.span->end->elapsed_ms(*r.span->begin);
            const double after = &r == &first ? 0 : r.span->begin->elapsed_ms(*first.span->begin);
            operation.device_start = double(first.start) + after * 1e6;
            operation.device_time = time * 1e6;
        } catch (const Error&) {
            // A device that was lost tells no times; whoever waits for it learns why.
        }
    }
    return operations;
}

Profile::Profile() : recording_(std::make_unique<Recording>()) { recording_->start(); }
Profile::~Profile() = default;

void Profile::stop() {
    settle_all();
    recording_->stop();
}

std::vector<ProfiledOperation> Profile::operations() {
    if (recording_->is_on()) settle_all();
    hide_from_listeners(true);
    try {
        for (const Device device : recording_->devices()) backend(device).synchronize();
    } catch (...) {
        hide_from_listeners(false);
        throw;
    }
    hide_from_listeners(false);
    std::vector<ProfiledOperation> all = recording_->taken();
    std::ranges::stable_sort(all, {}, &ProfiledOperation::start);
    return all;
}

}  // namespace cuarray
