// resources.h -- ptxas' resource usage of each kernel of a module, stored in an image after its ELF object.
#pragma once
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>

namespace cudasim {

/// Registers per thread; bytes of static shared memory per block and of local memory per thread.
struct Resources {
    unsigned registers = 0, shared = 0, local = 0;
    bool known() const { return registers > 0; }
};

/// The marker before the lines of an image: "name registers shared local", one per kernel.
inline const std::string kResourcesMark = "cudasim resources 1\n";

/// The text appended to an image; it ends with a zero byte.
inline std::string trailer(const std::string& resources) { return kResourcesMark + resources + '\0'; }

/// The lines for an image, from the log that ptxas writes with -v.
inline std::string resources_in_log(const std::string& log) {
    std::istringstream in(log);
    std::string lines, name;
    Resources found;
    for (std::string line; std::getline(in, line);) {
        char word[4096];
        if (const char* at = std::strstr(line.c_str(), "Compiling entry function '"))
            if (std::sscanf(at, "Compiling entry function '%4095[^']'", word) == 1) name = word, found = {};
        std::sscanf(line.c_str(), "ptxas . %u bytes stack frame", &found.local);
        const char* used = std::strstr(line.c_str(), "Used ");
        if (!used || std::sscanf(used, "Used %u registers", &found.registers) != 1) continue;
        for (const char* at = used; (at = std::strchr(at, ',')); ++at)
            std::sscanf(at, ", %u bytes smem", &found.shared);
        lines += name + ' ' + std::to_string(found.registers) + ' ' + std::to_string(found.shared) + ' ' +
                 std::to_string(found.local) + '\n';
    }
    return lines;
}

/// The resource usage of a kernel from an image's lines; nothing if it was not compiled by ptxas.
inline Resources resources_of(const std::string& lines, const std::string& kernel) {
    std::istringstream in(lines);
    std::string name;
    for (Resources found; in >> name >> found.registers >> found.shared >> found.local;)
        if (name == kernel) return found;
    return {};
}

}  // namespace cudasim
