// profile.h -- what the devices do while a part of a program runs, and how long it takes.
#pragma once
#include <memory>
#include <optional>
#include <vector>
#include "cuarray/runtime/record.h"

namespace cuarray {

/// An operation and when its device ran it, in nanoseconds of the clock of the host's times; nothing for work on the
/// host, which runs from `start` to `end`.
struct ProfiledOperation : Record {
    std::optional<double> device_start, device_time;
};

class Recording;

/// Records what all devices do, for every thread, from here to stop() or the end of the scope. Work that was called
/// before runs first.
class CUARRAY_API Profile {
 public:
    Profile();
    ~Profile();
    Profile(const Profile&) = delete;
    Profile& operator=(const Profile&) = delete;

    /// Computes what waits and records no more.
    void stop();
    /// Computes what waits, unless it has stopped, and waits for the devices. The operations since the start, or since
    /// the last call, in the order of their start.
    std::vector<ProfiledOperation> operations();

 private:
    std::unique_ptr<Recording> recording_;
};

}  // namespace cuarray
