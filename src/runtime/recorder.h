// recorder.h -- records the operations of all devices for listeners: the log, profiles.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include "cuarray/core/device.h"
#include "cuarray/core/layout.h"

namespace cuarray {

class Event;
class Stream;

/// The time of an operation on an asynchronous device: events before and after it, on its stream.
struct DeviceSpan {
    std::unique_ptr<Event> begin, end;
    DeviceSpan();
    ~DeviceSpan();
};

/// One operation, as of its return to the caller. Times are nanoseconds of the steady clock.
struct Record {
    enum class Kind : uint8_t { Launch, Copy, Wait, Alloc };
    /// Where the kernel came from; None where nothing is compiled (the cpu device, copies).
    enum class Build : uint8_t { None, Known, Disk, Compiled };

    Kind kind;
    std::string name;        ///< "add", "write"
    std::string kernel;      ///< "add_f32_f32"
    std::string expression;  ///< "a + b"
    Dims shape;              ///< the iteration space of a launch
    const char* dtype = "";  ///< of the first result
    int64_t bytes = 0;       ///< read and written, each element once
    Device device;
    int64_t stream = 0;  ///< its handle, as in exchange protocols
    std::string file;    ///< of the calling line of the host program; "" if unknown
    int line = 0;
    int64_t start = 0, end = 0;  ///< on the host: from the call to the return
    int64_t built = 0;           ///< of that, the time spent on building or loading the kernel
    Build build = Build::None;
    uint32_t thread = 0;               ///< threads are numbered from 1, in the order of their first record
    bool failed = false;               ///< the call threw
    std::shared_ptr<DeviceSpan> span;  ///< null for work on the host, or if no listener wants times
};
CUARRAY_API const char* to_string(Record::Kind kind);
CUARRAY_API const char* to_string(Record::Build build);

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
