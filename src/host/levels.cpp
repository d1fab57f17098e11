// levels.cpp -- loads _host_<level>.so from the folder of this library and passes it the vector math library.
#include "host/levels.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "cuarray/core/table.h"

namespace cuarray::host {
namespace {

/// Instruction-set levels, highest first.
struct Level {
    const char* name;
    bool supported;
};

#if defined(__x86_64__)
const Level* levels() {
    __builtin_cpu_init();
    static const Level all[] = {
        {"v4", bool(__builtin_cpu_supports("x86-64-v4"))},
        {"v3", bool(__builtin_cpu_supports("x86-64-v3"))},
        {"base", bool(__builtin_cpu_supports("x86-64-v2"))},
        {nullptr, false},
    };
    return all;
}
#else
const Level* levels() {
    static const Level all[] = {{"base", true}, {nullptr, false}};
    return all;
}
#endif

/// The folder of this shared library, with a trailing slash.
std::string own_folder() {
    Dl_info own;
    if (!dladdr(reinterpret_cast<void*>(&own_folder), &own)) return "";
    const std::string path = own.dli_fname;
    return path.substr(0, path.rfind('/') + 1);
}

std::string library_file(const Level& level) { return own_folder() + "_host_" + level.name + ".so"; }

bool is_built(const Level& level) { return access(library_file(level).c_str(), F_OK) == 0; }

const Level& processor_level() {
    const Level* best = levels();
    while (best->name && !best->supported) ++best;
    if (!best->name)
        raise(ErrorKind::Runtime, "cpu: this processor has no SSE4.2 (x86-64-v2), which cuarray and NumPy need");
    return *best;
}

/// The highest level, from a given one down, that was built.
const Level& best_built(const Level& best) {
    for (const Level* level = &best; level->name; ++level)
        if (is_built(*level)) return *level;
    raise(ErrorKind::Runtime, "cpu: there is no ", library_file(best), "; install cuarray again");
}

const Level& choose_level() {
    const Level& best = processor_level();
    const char* wish = std::getenv("CUARRAY_CPU_LEVEL");
    if (!wish || !*wish) return best_built(best);
    for (const Level* level = levels(); level->name; ++level) {
        if (std::string(wish) != level->name) continue;
        if (!level->supported)
            raise(ErrorKind::Value, "CUARRAY_CPU_LEVEL: this processor has ", best.name, ", not ", wish);
        if (!is_built(*level))
            raise(ErrorKind::Value, "CUARRAY_CPU_LEVEL: cuarray was built without ", wish,
                  "; set CUARRAY_ISA_LEVELS=all and install it again");
        return *level;
    }
    raise(ErrorKind::Value, "CUARRAY_CPU_LEVEL: base, v3 or v4 expected, got '", wish, "'; this processor has ",
          best.name);
}

/// Null if the system has no vector math library, or CUARRAY_LIBMVEC=off disables it.
void* vector_mathematics() {
    static void* const library = [] {
        const char* wish = std::getenv("CUARRAY_LIBMVEC");
        const bool hidden = wish && std::string(wish) == "off";
        return hidden ? nullptr : dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
    }();
    return library;
}

void* find_vector_function(const char* name) { return dlsym(vector_mathematics(), name); }

const LoopLibrary& open_library() {
    const std::string file = library_file(choose_level());
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) raise(ErrorKind::Runtime, "cpu: ", dlerror());
    const auto entry = reinterpret_cast<decltype(&cuarray_host_library)>(dlsym(handle, "cuarray_host_library"));
    if (!entry) raise(ErrorKind::Runtime, "cpu: ", file, " is no loop library");
    const LoopLibrary& library = *entry(vector_mathematics() ? find_vector_function : nullptr);
    if (library.bytes != sizeof library || library.loop_count != int(loops().size()) ||
        library.reduction_count != int(reductions().size()) || library.dtype_count != kDTypes)
        raise(ErrorKind::Runtime, "cpu: ", file, " belongs to another build of cuarray; build and install again");
    return library;
}

}  // namespace

const LoopLibrary& loop_library() {
    static const LoopLibrary& library = open_library();
    return library;
}

const char* processor_level_name() { return processor_level().name; }

}  // namespace cuarray::host
