// loops_of_level.h -- the loop library that the running cpu backend uses, opened a second time for tests.
#pragma once
#include <dlfcn.h>
#include <string>
#include "core/check.h"
#include "cuarray/runtime/registry.h"
#include "host/library.h"

namespace tests {

/// The same tables as the backend's: dlopen gives the same library again.
inline const cuarray::host::LoopLibrary& loops_of_level() {
    const std::string text = cuarray::backend({}).describe(), key = "\"level\": \"";
    const size_t begin = text.find(key) + key.size();
    const std::string level = text.substr(begin, text.find('"', begin) - begin);
    Dl_info info;
    CHECK(dladdr(reinterpret_cast<void*>(&cuarray::backend), &info));
    std::string folder = info.dli_fname;
    folder.resize(folder.rfind('/') + 1);
    void* const handle = dlopen((folder + "_host_" + level + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    CHECK(handle, "%s", dlerror());
    const auto entry = reinterpret_cast<decltype(&cuarray_host_library)>(dlsym(handle, "cuarray_host_library"));
    return *entry(nullptr);
}

}  // namespace tests
