// nvtx.cpp -- an NVTX range for every operation, in the domain "cuarray", for tools such as Nsight Systems.
#include <nvtx3/nvToolsExt.h>

#include <cstdlib>

#include "runtime/decorators.h"
#include "runtime/recorder.h"

namespace cuarray {
namespace {

constexpr Record::Kind kRecordKinds[] = {Record::Kind::Launch, Record::Kind::Copy, Record::Kind::Wait,
                                         Record::Kind::Alloc};

uint32_t category_of(Record::Kind kind) { return uint32_t(kind) + 1; }  // 0 means none

class Ranges final : public Listener {
 public:
    Ranges() {
        for (const Record::Kind kind : kRecordKinds)
            nvtxDomainNameCategoryA(domain_, category_of(kind), to_string(kind));
    }

    void begin(const Record& record) noexcept override {
        nvtxEventAttributes_t range = {};
        range.version = NVTX_VERSION;
        range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        range.category = category_of(record.kind);
        range.payloadType = NVTX_PAYLOAD_TYPE_INT64;
        range.payload.llValue = record.bytes;
        range.messageType = NVTX_MESSAGE_TYPE_ASCII;
        range.message.ascii = (record.expression.empty() ? record.name : record.expression).c_str();
        nvtxDomainRangePushEx(domain_, &range);
    }
    void take(const Record&) noexcept override { nvtxDomainRangePop(domain_); }

 private:
    const nvtxDomainHandle_t domain_ = nvtxDomainCreateA("cuarray");
};

}  // namespace

void start_nvtx() {
    // Tools set this variable before they start the process; without it no tool is attached.
    static const bool started = [] {
        const char* const tool = std::getenv("NVTX_INJECTION64_PATH");
        if (tool && *tool) add_listener(*new Ranges);
        return true;
    }();
    static_cast<void>(started);
}

}  // namespace cuarray
