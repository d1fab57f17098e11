// record.h -- one operation of a device, as profiles and the log have it.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include "cuarray/core/device.h"
#include "cuarray/core/layout.h"

namespace cuarray {

struct DeviceSpan;

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
    int64_t stream = 0;          ///< its handle, as in exchange protocols
    std::string file;            ///< of the calling line of the host program; "" if unknown
    int line = 0;                ///< of deferred work the first line that it comes from
    int last_line = 0;           ///< and the last one, else the same
    int64_t start = 0, end = 0;  ///< on the host: from the call to the return
    int64_t built = 0;           ///< of that, the time spent on building or loading the kernel
    Build build = Build::None;
    uint32_t thread = 0;               ///< threads are numbered from 1, in the order of their first record
    bool failed = false;               ///< the call threw
    std::shared_ptr<DeviceSpan> span;  ///< what times it on the device; null on the host, or if nobody wants times
};
CUARRAY_API const char* to_string(Record::Kind kind);
CUARRAY_API const char* to_string(Record::Build build);

}  // namespace cuarray
