// disassembly.h -- what objdump reads in machine code.
#pragma once
#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>
#include "../core/check.h"

struct Expected {
    std::string mnemonic, operands;
};

/// The instructions as "mnemonic operands", sizes of memory operands and comments removed.
inline std::vector<Expected> disassemble(const std::vector<uint8_t>& code, size_t bytes) {
    const std::string file = "/tmp/cuarray_assembler_" + std::to_string(getpid()) + ".bin";
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(code.data()), std::streamsize(bytes));
    FILE* const pipe = popen(("objdump -D -b binary -m i386:x86-64 -M intel --no-show-raw-insn " + file).c_str(), "r");
    CHECK(pipe);
    std::vector<Expected> all;
    char line[512];
    while (std::fgets(line, sizeof line, pipe)) {
        std::string text = line;
        const size_t tab = text.find(":\t");
        if (tab == std::string::npos) continue;
        text = text.substr(tab + 2, text.find_first_of("#\n") - tab - 2);
        if (const std::string note = "{evex} "; text.rfind(note, 0) == 0) text.erase(0, note.size());
        for (const char* size :
             {"ZMMWORD PTR ", "YMMWORD PTR ", "XMMWORD PTR ", "QWORD PTR ", "DWORD PTR ", "WORD PTR ", "BYTE PTR "})
            if (const size_t at = text.find(size); at != std::string::npos) text.erase(at, std::string(size).size());
        const size_t space = text.find(' ');
        std::string operands = space == std::string::npos ? "" : text.substr(text.find_first_not_of(' ', space));
        while (!operands.empty() && operands.back() == ' ') operands.pop_back();
        all.push_back({text.substr(0, space), operands});
    }
    CHECK(pclose(pipe) == 0);
    std::remove(file.c_str());
    return all;
}
