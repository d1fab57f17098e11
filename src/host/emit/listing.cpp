// listing.cpp -- the text of operands, and the numbers that are written into code at its end.
#include "host/emit/listing.h"

#include <cstdio>
#include <cstring>

#include "host/emit/assembler.h"

namespace cuarray::host::emit {
namespace {

constexpr const char* kGeneralNames[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                         "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

/// Those of floating-point comparisons that chains use, and of integers: the lower three bits.
const char* predicate_text(uint8_t predicate, bool is_float) {
    if (!is_float) {
        static constexpr const char* kOrders[] = {"eq", "lt", "le", "", "neq", "nlt", "nle", ""};
        return kOrders[predicate & 7];
    }
    switch (predicate) {
        case 0x00: return "eq";
        case 0x03: return "unord";
        case 0x04: return "neq";
        case 0x11: return "lt_oq";
        case 0x12: return "le_oq";
        case 0x1d: return "ge_oq";
        case 0x1e: return "gt_oq";
        default: return "";
    }
}

std::string offset_text(int32_t offset) {
    return (offset < 0 ? "-" : "+") + number_text(uint64_t(std::abs(int64_t(offset))));
}

}  // namespace

std::string number_text(uint64_t number) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
    return text;
}

std::string name_text(General x, bool is_wide) {
    const std::string name = kGeneralNames[int(x)];
    if (is_wide) return name;
    return int(x) < 8 ? "e" + name.substr(1) : name + "d";
}

std::string name_text(const Instruction& i, const Form& form, uint8_t predicate) {
    std::string name = i.name;
    if (form.is_evex && i.evex_name) name = i.evex_name;
    if (i.is_widened && name.back() == 's')
        name.back() = 'd';
    else if (i.is_widened && name.back() == 'd')
        name.back() = 'q';
    if (!i.compares) return name;
    const bool is_float = name.starts_with("vcmp");
    const size_t stem = is_float ? 4 : 5;
    return name.substr(0, stem) + predicate_text(predicate, is_float) + name.substr(stem);
}

std::string operand_text(const Vector& x, const Form& form, bool is_half) {
    if (x.id >= kFirstMask) return "k" + std::to_string(x.id - kFirstMask);
    const int length = form.length - (is_half && form.length > Form::Xmm);
    return (length == Form::Xmm ? "xmm" : length == Form::Ymm ? "ymm" : "zmm") + std::to_string(x.id);
}

std::string mask_text(const Form& form) {
    if (!form.mask) return "";
    return "{k" + std::to_string(form.mask) + "}" + (form.zeroes ? "{z}" : "");
}

std::string operand_text(const Instruction& i, const VectorSource& rm, const Form& form) {
    if (rm.kind == VectorSource::Kind::Register)
        return operand_text(Vector{rm.id}, form, i.memory == Instruction::MemoryExtent::HalfVector);
    const char* const broadcast = !rm.is_broadcast ? "" : i.wide ? "QWORD BCST " : "DWORD BCST ";
    return broadcast + address_text(rm);
}

std::string address_text(const VectorSource& memory) {
    if (memory.kind == VectorSource::Kind::Pool) return "[rip@]";
    std::string text = std::string("[") + kGeneralNames[memory.id];
    if (memory.scale) text += "+rcx*" + std::to_string(memory.scale);
    if (memory.offset || (memory.id & 7) == 5) text += offset_text(memory.offset);
    return text + "]";
}

void Listing::finish(const std::vector<uint8_t>& code, int64_t pool) {
    for (Line& line : lines_) {
        if (line.late == Late::None) continue;
        int32_t number;
        std::memcpy(&number, &code[size_t(line.place)], sizeof number);
        const std::string text = line.late == Late::Displacement ? offset_text(number)
                                 : line.late == Late::Target     ? number_text(uint64_t(line.place + 4 + number))
                                                                 : number_text(uint64_t(int64_t(number)));
        line.text.replace(line.text.find('@'), 1, text);
    }
    for (int64_t at = pool; at < int64_t(code.size()); at += Assembler::kPoolItem) {
        uint64_t lanes;
        std::memcpy(&lanes, &code[size_t(at)], sizeof lanes);
        lines_.push_back({at, ".quad " + number_text(lanes) + ", four times"});
    }
}

std::string Listing::text() const {
    std::string text;
    for (const Line& line : lines_) {
        char position[32];
        std::snprintf(position, sizeof position, "%5llx:  ", static_cast<unsigned long long>(line.position));
        text += position + line.text + "\n";
    }
    return text;
}

}  // namespace cuarray::host::emit
