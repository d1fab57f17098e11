// nvtx_tool.cpp -- a tool that NVTX finds by NVTX_INJECTION64_PATH: prints the ranges of all domains on stderr.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>

namespace {

nvtxDomainHandle_t create_domain(const char* name) {
    std::fprintf(stderr, "domain %s\n", name);
    return reinterpret_cast<nvtxDomainHandle_t>(new char[16]());
}

void name_category(nvtxDomainHandle_t, uint32_t category, const char* name) {
    std::fprintf(stderr, "category %u %s\n", category, name);
}

thread_local int depth = 0;

int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* range) {
    std::fprintf(stderr, "push %d %u %s %lld%s\n", depth, range->category, range->message.ascii,
                 static_cast<long long>(range->payload.llValue), domain ? "" : " in no domain");
    return depth++;
}

int pop(nvtxDomainHandle_t) {
    std::fprintf(stderr, "pop %d\n", --depth);
    return depth;
}

template <class F> void put(NvtxFunctionTable table, unsigned size, int slot, F* function) {
    if (unsigned(slot) < size) *table[slot] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t find) {
    const auto* const tables = static_cast<const NvtxExportTableCallbacks*>(find(NVTX_ETID_CALLBACKS));
    NvtxFunctionTable table = nullptr;
    unsigned size = 0;
    if (!tables || !tables->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) return 0;
    put(table, size, NVTX_CBID_CORE2_DomainCreateA, create_domain);
    put(table, size, NVTX_CBID_CORE2_DomainNameCategoryA, name_category);
    put(table, size, NVTX_CBID_CORE2_DomainRangePushEx, push);
    put(table, size, NVTX_CBID_CORE2_DomainRangePop, pop);
    return 1;
}
