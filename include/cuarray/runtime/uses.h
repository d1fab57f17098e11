// uses.h -- the queued work that uses a block of memory: its last write, and the reads since.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>
#include "cuarray/core/error.h"
#include "cuarray/core/few.h"

namespace cuarray {

/// A point in a stream: everything queued there up to operation number `ticket`. Streams are numbered from 1 for the
/// life of the process (runtime/runtime.h), so a point never dangles.
class StreamPoint {
 public:
    StreamPoint() = default;
    StreamPoint(uint16_t stream, uint64_t ticket) : bits_(uint64_t(stream) << kTicketBits | ticket) {}
    static StreamPoint from_bits(uint64_t bits) {
        StreamPoint p;
        p.bits_ = bits;
        return p;
    }

    uint16_t stream() const { return uint16_t(bits_ >> kTicketBits); }
    uint64_t ticket() const { return bits_ & ((uint64_t(1) << kTicketBits) - 1); }
    uint64_t bits() const { return bits_; }
    explicit operator bool() const { return bits_ != 0; }  ///< false: no work at all
    friend bool operator==(StreamPoint, StreamPoint) = default;

 private:
    static constexpr int kTicketBits = 48;
    uint64_t bits_ = 0;
};

/// The last write of a block and the reads since, one per stream: what later work on other streams must wait for.
/// Thread-safe. Memory used by one stream only costs two words and no lock.
class CUARRAY_API Uses {
 public:
    /// Records a queued read. Reads do not wait for each other, so the readers of all streams are kept.
    void read_at(StreamPoint point);
    /// Records a queued write, which has waited for all earlier users.
    void written_at(StreamPoint point);

    StreamPoint last_write() const { return StreamPoint::from_bits(write_.load(std::memory_order_acquire)); }
    /// Whether nothing was ever queued, or all of it on this one stream.
    bool is_only_on(uint16_t stream) const {
        const StreamPoint write = last_write(), read = last_read();
        return (!write || write.stream() == stream) && (!read || read.stream() == stream) &&
               !has_more_.load(std::memory_order_acquire);
    }
    bool is_empty() const { return !last_write() && !last_read(); }
    /// The last write and, if `with_reads`, every stream's latest read since.
    Few<StreamPoint, 4> points(bool with_reads) const;

 private:
    StreamPoint last_read() const { return StreamPoint::from_bits(read_.load(std::memory_order_acquire)); }
    void keep(StreamPoint point);

    std::atomic<uint64_t> write_{0}, read_{0};
    std::atomic<bool> has_more_{false};
    std::vector<StreamPoint> more_;  ///< readers on further streams, guarded by one lock of the process
};

}  // namespace cuarray
