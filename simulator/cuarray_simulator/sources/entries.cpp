// entries.cpp -- cuGetProcAddress: symbols by base name and CUDA version.
#include <cstring>

#include "caller.h"
#include "driver.h"

#define ENTRY(name, symbol, version) extern "C" CUresult symbol(...);
#define cuGetProcAddress cudasim_unused_declaration
#define cuGetProcAddress_v2 cudasim_unused_declaration_v2
#define cuGetExportTable cudasim_unused_declaration_of_tables
#include "entries.def"
#undef cuGetProcAddress
#undef cuGetProcAddress_v2
#undef cuGetExportTable
#undef ENTRY

extern "C" CUresult cuGetProcAddress(const char*, void**, int, uint64_t);
extern "C" CUresult cuGetExportTable(const void**, const CUuuid*);
extern "C" CUresult cuGetProcAddress_v2(const char*, void**, int, uint64_t, CUdriverProcAddressQueryResult*);

using namespace cudasim;

namespace {

struct Entry {
    const char* name;
    void* symbol;
    int version;
};

const Entry kEntries[] = {
#define ENTRY(name, symbol, version) {#name, reinterpret_cast<void*>(symbol), version},
#include "entries.def"
#undef ENTRY
};

/// Finds the newest form of `name` that is not newer than requested or than the driver.
CUdriverProcAddressQueryResult find(const char* name, int version, void** out) {
    const Entry* best = nullptr;
    bool known = false;
    for (const Entry& entry : kEntries) {
        if (std::strcmp(entry.name, name) != 0 || entry.version > settings().driver_version) continue;
        known = true;
        if (entry.version <= version && (!best || entry.version > best->version)) best = &entry;
    }
    *out = best ? best->symbol : nullptr;
    if (best) return CU_GET_PROC_ADDRESS_SUCCESS;
    if (settings().log) say(format("cuGetProcAddress: no %s for CUDA %d", name, version));
    return known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
}

}  // namespace

CUDASIM_API cuGetProcAddress_v2(const char* name, void** out, int version, uint64_t flags,
                                CUdriverProcAddressQueryResult* status) {
    if (!name || !out || flags > 2) return CUDA_ERROR_INVALID_VALUE;
    auto found = find(name, version, out);
    if (status) *status = found;
    return found == CU_GET_PROC_ADDRESS_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUDASIM_API cuGetProcAddress(const char* name, void** out, int version, uint64_t flags) {
    return cuGetProcAddress_v2(name, out, version, flags, nullptr);
}

/// CUDA's runtime asks for private tables, of which there are none: it says so, and its calls fail.
CUDASIM_API cuGetExportTable(const void** table, const CUuuid* id) {
    if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
    *table = nullptr;
    refuse_runtime();
    return CUDA_ERROR_NOT_FOUND;
}
