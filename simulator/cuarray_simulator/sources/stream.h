// stream.h -- streams as queues of operations, and the rules by which operations become ready.
#pragma once
#include <deque>
#include <functional>

#include "check.h"
#include "driver.h"

namespace cudasim {

/// The point in a stream that is reached when its `ticket`-th operation has run.
struct Point {
    std::shared_ptr<Stream> stream;
    uint64_t ticket = 0;
    /// The clock of the work up to here, itself included; kept only when checking.
    std::shared_ptr<const Clock> clock = {};
    bool reached() const;
};

/// One piece of queued work.
struct Operation {
    const char* name;
    /// Runs the work; a failure corrupts the context. Empty for pure ordering.
    std::function<CUresult()> run;
    /// Points in other streams that must be reached first.
    std::vector<Point> waits = {};
    std::shared_ptr<const Clock> clock = {};
    /// Bookkeeping (allocation, free) happens even in a corrupted context.
    bool bookkeeping = false;
    /// A function of the program: runs on the driver's own thread, without the driver's lock.
    bool host_function = false;
};

struct Capture;

/// Makes an operation when it is queued: once in a stream, at every launch in a graph.
using MakeOperation = std::function<Operation()>;

/// A queue of operations. `issued` operations were queued so far, `done` of them have run.
struct Stream : std::enable_shared_from_this<Stream> {
    Context* context = nullptr;
    unsigned flags = 0;
    int priority = 0;
    uint64_t id = 0;
    uint64_t issued = 0, done = 0;
    bool running = false;
    bool destroyed = false;
    std::deque<Operation> queue;
    std::shared_ptr<const Clock> clock;
    /// The capture that the stream takes part in, and the nodes of its graph that the next one comes after.
    std::shared_ptr<Capture> capture;
    std::vector<size_t> tail;

    bool blocking() const { return (flags & CU_STREAM_NON_BLOCKING) == 0; }
    Point end() { return {shared_from_this(), issued, clock}; }
};

inline bool Point::reached() const { return !stream || stream->done >= ticket; }

/// The stream behind a handle (null and 1: legacy, 2: the calling thread's own), or null with `error` set.
std::shared_ptr<Stream> stream_of(CUstream handle, CUresult& error);
/// Gives a hidden stream a handle for a while.
CUstream name_stream(const std::shared_ptr<Stream>& stream);
void forget_name(const Stream& stream);
/// A new stream of the context; a hidden one takes no part in the context's implicit order and waits.
std::shared_ptr<Stream> make_stream(Context& context, unsigned flags, int priority, bool hidden = false);

/// Queues an operation, ordered by CUDA's rules for blocking streams, and possibly runs
/// something.
Point enqueue(Stream& stream, Operation operation);
/// Runs work until the point is reached; the lock is given up while a host function runs. Returns the
/// context's error.
CUresult wait_for(Context& context, const Point& point);
/// Waits for everything in the context.
CUresult wait_for_all(Context& context);
/// Whether the point is reached; possibly runs some work, so that polling ends.
bool query(const Point& point);
/// Runs a random amount of work, if that is the mode.
void background_progress();
/// Work of the host itself, which precedes everything queued later.
void begin_host_work(const char* name);
/// Starts the thread that runs host functions, and all work if the program neither calls nor waits for
/// long.
void start_worker();

}  // namespace cudasim

/// Declares `stream` from a handle; returns from the entry point if the handle is invalid.
#define CUDASIM_STREAM(stream, handle)                        \
    CUresult stream##_error;                                  \
    auto stream = cudasim::stream_of(handle, stream##_error); \
    if (!stream) return stream##_error
