// recorder.h -- what devices are asked to do, told to whoever listens: the log, profiles.
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

/// When an operation ran on a device that works on its own: events before and behind it, on its stream.
struct DeviceSpan {
    std::unique_ptr<Event> begin, end;
    DeviceSpan();
    ~DeviceSpan();
};

/// One operation, as it stood when it returned to its caller. Times are nanoseconds of the steady clock.
struct Record {
    enum class Kind : uint8_t { Launch, Copy, Wait, Alloc };
    /// Where the kernel came from; None where nothing is compiled (the cpu device, copies).
    enum class Build : uint8_t { None, Known, Disk, Compiled };

    Kind kind;
    std::string name;            ///< "add", "write"
    std::string kernel;          ///< "add_f32_f32"
    std::string expression;      ///< "a + b"
    Dims shape;                  ///< all elements that a launch walks over
    const char* dtype = "";      ///< of the first result
    int64_t bytes = 0;           ///< read and written, each element once
    Device device;
    int64_t stream = 0;          ///< the number that protocols name
    std::string file;            ///< of the host program's line that asked for it; "" where unknown
    int line = 0;
    int64_t start = 0, end = 0;  ///< on the host: from the call to the return
    int64_t built = 0;           ///< of that, time spent on making the kernel ready
    Build build = Build::None;
    uint32_t thread = 0;         ///< threads are numbered as they come, from 1
    bool failed = false;         ///< the call threw
    std::shared_ptr<DeviceSpan> span;  ///< null where the host did the work, and where nobody wants times
};
CUARRAY_API const char* to_string(Record::Kind kind);
CUARRAY_API const char* to_string(Record::Build build);

/// Somebody who listens. Called by the thread that runs the operation, several at a time: `begin` before it, with what is
/// known then, and `take` behind it.
class CUARRAY_API Listener {
 public:
    virtual ~Listener() = default;
    virtual void begin(const Record&) noexcept {}
    virtual void take(const Record& record) noexcept = 0;
    /// Whether launches and copies are to be timed by the device; that costs two events each.
    virtual bool wants_device_times() const { return false; }
};

/// From now on all devices are recorded for this listener; without any, recording costs nothing.
CUARRAY_API void add_listener(Listener& listener);
/// Returns when no thread is in the listener any more.
CUARRAY_API void remove_listener(Listener& listener);

/// Counts the scopes in which this thread's work is nobody's business: measurements of the recorder's own.
CUARRAY_API void hide_from_listeners(bool hides);

/// The record of the operation that this thread is running, or null: backends put in what only they know.
CUARRAY_API Record* current_record();

/// Tells that a kernel of this thread's operation was made ready, in so many nanoseconds; the device's own time begins
/// afterwards.
CUARRAY_API void note_build(Record::Build build, int64_t time);

/// Runs what a stream is asked for without its device, such as a wait or a graph, and tells the listeners about it.
CUARRAY_API void record_stream_work(Record::Kind kind, const char* name, Stream& stream, const std::function<void()>& run);

/// Nanoseconds of the clock that records use.
CUARRAY_API int64_t record_clock();

}  // namespace cuarray
