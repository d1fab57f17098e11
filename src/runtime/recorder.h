// recorder.h -- records the operations of all devices for listeners: the log, profiles.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include "cuarray/runtime/record.h"

namespace cuarray {

class Event;
class Stream;

/// The time of an operation on an asynchronous device: events before and after it, on its stream.
struct DeviceSpan {
    std::unique_ptr<Event> begin, end;
    DeviceSpan();
    ~DeviceSpan();
};

/// Receives records. Called by the threads that run the operations, concurrently: `begin` before an operation, with an
/// incomplete record, and `take` after it.
class CUARRAY_API Listener {
 public:
    virtual ~Listener() = default;
    virtual void begin(const Record&) noexcept {}
    virtual void take(const Record& record) noexcept = 0;
    /// Whether the device must time launches and copies; that costs two events each.
    virtual bool wants_device_times() const { return false; }
};

/// Records all devices for this listener from now on; without listeners, recording costs nothing.
CUARRAY_API void add_listener(Listener& listener);
/// Returns when no thread is calling the listener any more.
CUARRAY_API void remove_listener(Listener& listener);

/// Counts the nested scopes in which this thread's work is not reported, such as the recorder's own measurements.
CUARRAY_API void hide_from_listeners(bool hides);

/// The record of the operation that this thread is running, or null; backends add what only they know.
CUARRAY_API Record* current_record();

/// Records that building or loading a kernel of this thread's operation took `time` nanoseconds; the operation's device
/// time begins afterwards.
CUARRAY_API void note_build(Record::Build build, int64_t time);

/// Runs and records an operation that is called on a stream, not on its device, such as a wait or a graph launch.
CUARRAY_API void record_stream_work(Record::Kind kind, const char* name, Stream& stream,
                                    const std::function<void()>& run);

/// Nanoseconds of the clock that records use.
CUARRAY_API int64_t record_clock();

}  // namespace cuarray
