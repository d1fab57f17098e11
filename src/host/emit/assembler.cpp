// assembler.cpp -- the VEX and EVEX prefixes, ModRM and SIB bytes, and references to the pool.
#include "host/emit/assembler.h"

#include <cstring>
#include <utility>

namespace cuarray::host::emit {
namespace {

constexpr uint8_t kCounter = uint8_t(General::rcx);
constexpr uint8_t kNoRegister = 0;

uint8_t low(uint8_t id) { return id & 7; }
uint8_t high(uint8_t id) { return id >> 3 & 1; }
uint8_t highest(uint8_t id) { return id >> 4 & 1; }  // masks, from 32 on, are numbers below 8

/// The bytes that a short offset of EVEX form counts.
int unit_of(const Instruction& i, const VectorSource& rm, Form form) {
    if (rm.is_broadcast || i.memory == Instruction::MemoryExtent::Element) return i.wide ? 8 : 4;
    return (i.memory == Instruction::MemoryExtent::HalfVector ? 8 : 16) << form.length;
}

}  // namespace

void Assembler::put32(int32_t number) {
    uint8_t bytes[4];
    std::memcpy(bytes, &number, 4);
    code_.insert(code_.end(), bytes, bytes + 4);
}

void Assembler::rex(bool wide, uint8_t reg, uint8_t index, uint8_t base) {
    put(uint8_t(0x40 | wide << 3 | high(reg) << 2 | high(index) << 1 | high(base)));
}

/// The three-byte form, which encodes everything; register numbers are stored inverted.
void Assembler::vex(const Instruction& i, uint8_t reg, uint8_t from1, const VectorSource& rm, Form form) {
    const uint8_t base = rm.kind == VectorSource::Kind::Pool ? 0 : high(rm.id);
    put(0xc4);
    put(uint8_t((!high(reg)) << 7 | 1 << 6 | (!base) << 5 | i.map));
    put(uint8_t(i.wide << 7 | (~from1 & 15) << 3 | form.length << 2 | i.prefix));
    put(i.opcode);
}

/// The fifth bit of a register as rm stands where memory has the fourth one of its index, which rcx lacks.
void Assembler::evex(const Instruction& i, uint8_t reg, uint8_t from1, const VectorSource& rm, Form form) {
    const bool is_pool = rm.kind == VectorSource::Kind::Pool, is_register = rm.kind == VectorSource::Kind::Register;
    const uint8_t base = is_pool ? 0 : high(rm.id), upper = is_register ? highest(rm.id) : 0;
    put(0x62);
    put(uint8_t((!high(reg)) << 7 | (!upper) << 6 | (!base) << 5 | (!highest(reg)) << 4 | i.map));
    put(uint8_t(i.wide << 7 | (~from1 & 15) << 3 | 1 << 2 | i.prefix));
    put(uint8_t(form.zeroes << 7 | form.length << 5 | rm.is_broadcast << 4 | (!highest(from1)) << 3 | form.mask));
    put(i.opcode);
}

void Assembler::operand(uint8_t reg, const VectorSource& rm, int bytes_behind, int short_unit) {
    const uint8_t middle = uint8_t(low(reg) << 3);
    if (rm.kind == VectorSource::Kind::Register) {
        put(uint8_t(0xc0 | middle | low(rm.id)));
    } else if (rm.kind == VectorSource::Kind::Pool) {
        put(uint8_t(middle | 5));  // relative to the next instruction
        references_.push_back({position(), rm.offset, bytes_behind});
        put32(0);
    } else {
        // rsp and r12 as base need a SIB byte, rbp and r13 an offset: without these their numbers mean other things.
        const int32_t units = rm.offset / short_unit;
        const bool is_near = units * short_unit == rm.offset && units >= -128 && units < 128;
        const bool is_here = rm.offset == 0 && low(rm.id) != 5;
        const bool is_plain = !rm.scale && low(rm.id) != 4;
        put(uint8_t((is_here ? 0x00 : is_near ? 0x40 : 0x80) | middle | (is_plain ? low(rm.id) : 4)));
        const uint8_t scale = rm.scale == 8 ? 3 : rm.scale == 4 ? 2 : rm.scale == 2 ? 1 : 0;
        const uint8_t index = rm.scale ? kCounter : 4;  // 4: none
        if (!is_plain) put(uint8_t(scale << 6 | index << 3 | low(rm.id)));
        if (is_here) return;
        if (is_near)
            put(uint8_t(units));
        else
            put32(rm.offset);
    }
}

void Assembler::encode(const Instruction& i, uint8_t reg, uint8_t from1, const VectorSource& rm, Form form,
                       int bytes_behind) {
    if (form.is_evex) {
        evex(i, reg, from1, rm, form);
        return operand(reg, rm, bytes_behind, unit_of(i, rm, form));
    }
    vex(i, reg, from1, rm, form);
    operand(reg, rm, bytes_behind);
}

namespace {

std::string result_text(const Instruction& i, Vector to, Form form) {
    return operand_text(to, form, i.halves) + mask_text(form);
}
/// What follows the last source: nothing for a predicate, which the name has.
std::string immediate_text(const Instruction& i, uint8_t immediate, Form form) {
    if (i.compares) return "";
    return "," + (i.blends ? operand_text(Vector{uint8_t(immediate >> 4)}, form) : number_text(immediate));
}

}  // namespace

void Assembler::vector(const Instruction& i, Vector to, Vector from1, VectorSource from2, Form form) {
    const int64_t begin = position();
    encode(i, to.id, from1.id, from2, form, 0);
    list(begin, from2, [&] {
        return name_text(i, form) + " " + result_text(i, to, form) + "," + operand_text(from1, form) + "," +
               operand_text(i, from2, form);
    });
}

void Assembler::unary(const Instruction& i, Vector to, VectorSource from, Form form) {
    const int64_t begin = position();
    encode(i, to.id, kNoRegister, from, form, 0);
    list(begin, from,
         [&] { return name_text(i, form) + " " + result_text(i, to, form) + "," + operand_text(i, from, form); });
}

void Assembler::vector(const Instruction& i, Vector to, Vector from1, VectorSource from2, uint8_t immediate,
                       Form form) {
    const int64_t begin = position();
    encode(i, to.id, from1.id, from2, form, 1);
    put(immediate);
    list(begin, from2, [&] {
        return name_text(i, form, immediate) + " " + result_text(i, to, form) + "," + operand_text(from1, form) + "," +
               operand_text(i, from2, form) + immediate_text(i, immediate, form);
    });
}

void Assembler::unary(const Instruction& i, Vector to, VectorSource from, uint8_t immediate, Form form) {
    const int64_t begin = position();
    encode(i, to.id, kNoRegister, from, form, 1);
    put(immediate);
    list(begin, from, [&] {
        return name_text(i, form) + " " + result_text(i, to, form) + "," + operand_text(i, from, form) +
               immediate_text(i, immediate, form);
    });
}

void Assembler::store(const Instruction& i, VectorSource target, Vector from, Form form) {
    const int64_t begin = position();
    encode(i, from.id, kNoRegister, target, form, 0);
    list(begin, target, [&] {
        return name_text(i, form) + " " + operand_text(i, target, form) + mask_text(form) + "," +
               operand_text(from, form);
    });
}

void Assembler::store(const Instruction& i, VectorSource target, Vector from, Form form, uint8_t immediate) {
    const int64_t begin = position();
    encode(i, from.id, kNoRegister, target, form, 1);
    put(immediate);
    list(begin, target, [&] {
        return name_text(i, form) + " " + operand_text(i, target, form) + mask_text(form) + "," +
               operand_text(from, form) + immediate_text(i, immediate, form);
    });
}

void Assembler::shift(const Instruction& i, int extension, Vector to, Vector from, uint8_t bits, Form form) {
    const int64_t begin = position();
    encode(i, uint8_t(extension), to.id, from, form, 1);
    put(bits);
    list(begin, [&] {
        std::string name = name_text(i, form);  // vpsll..., or vpsrl...
        if (extension == 2) name[3] = 'r';
        return name + " " + result_text(i, to, form) + "," + operand_text(from, form) + "," + number_text(bits);
    });
}

void Assembler::move_to_mask(Vector mask, General from) {
    const int64_t begin = position();
    encode({"kmovw", 0, 1, 0x92}, mask.id, kNoRegister, Vector{uint8_t(from)}, kXmm, 0);
    list(begin, [&] { return "kmovw " + operand_text(mask, kXmm) + "," + name_text(from, false); });
}

void Assembler::prefetch(VectorSource place) {
    const int64_t begin = position();
    if (high(place.id)) rex(false, 0, 0, place.id);
    put(0x0f), put(0x18);
    operand(1, place, 0);
    list(begin, [&] { return "prefetcht0 " + address_text(place); });
}

void Assembler::zero_upper() {
    list(position(), [] { return std::string("vzeroupper"); });
    put(0xc5), put(0xf8), put(0x77);
}

void Assembler::push(General x) {
    list(position(), [&] { return "push " + name_text(x); });
    if (high(uint8_t(x))) rex(false, 0, 0, uint8_t(x));
    put(uint8_t(0x50 | low(uint8_t(x))));
}

void Assembler::pop(General x) {
    list(position(), [&] { return "pop " + name_text(x); });
    if (high(uint8_t(x))) rex(false, 0, 0, uint8_t(x));
    put(uint8_t(0x58 | low(uint8_t(x))));
}

void Assembler::move(General to, General from) {
    list(position(), [&] { return "mov " + name_text(to) + "," + name_text(from); });
    rex(true, uint8_t(from), 0, uint8_t(to));
    put(0x89);
    put(uint8_t(0xc0 | low(uint8_t(from)) << 3 | low(uint8_t(to))));
}

void Assembler::move(General to, uint64_t number) {
    list(position(), [&] { return "movabs " + name_text(to) + "," + number_text(number); });
    rex(true, 0, 0, uint8_t(to));
    put(uint8_t(0xb8 | low(uint8_t(to))));
    put32(int32_t(number));
    put32(int32_t(number >> 32));
}

void Assembler::load(General to, General base, int32_t offset) {
    const VectorSource from = VectorSource::memory(base, 0, offset);
    list(position(), [&] { return "mov " + name_text(to) + "," + address_text(from); });
    rex(true, uint8_t(to), 0, uint8_t(base));
    put(0x8b);
    operand(uint8_t(to), from, 0);
}

void Assembler::store(General base, int32_t offset, General from) {
    const VectorSource to = VectorSource::memory(base, 0, offset);
    list(position(), [&] { return "mov " + address_text(to) + "," + name_text(from); });
    rex(true, uint8_t(from), 0, uint8_t(base));
    put(0x89);
    operand(uint8_t(from), to, 0);
}

void Assembler::clear(General x) {
    list(position(), [&] { return "xor " + name_text(x) + "," + name_text(x); });
    rex(true, uint8_t(x), 0, uint8_t(x));
    put(0x31);
    put(uint8_t(0xc0 | low(uint8_t(x)) << 3 | low(uint8_t(x))));
}

void Assembler::and_bits(General x, int32_t mask) {
    list(position(), [&] { return "and " + name_text(x) + "," + number_text(uint64_t(int64_t(mask))); });
    rex(true, 0, 0, uint8_t(x));
    put(0x81);
    put(uint8_t(0xe0 | low(uint8_t(x))));
    put32(mask);
}

void Assembler::add(General x, int32_t number) {
    const int64_t begin = position();
    rex(true, 0, 0, uint8_t(x));
    put(0x81);
    put(uint8_t(0xc0 | low(uint8_t(x))));
    list(begin, Listing::Late::Immediate, position(), [&] { return "add " + name_text(x) + ",@"; });
    put32(number);
}

void Assembler::subtract(General x, General y) {
    list(position(), [&] { return "sub " + name_text(x) + "," + name_text(y); });
    rex(true, uint8_t(y), 0, uint8_t(x));
    put(0x29);
    put(uint8_t(0xc0 | low(uint8_t(y)) << 3 | low(uint8_t(x))));
}

void Assembler::keep_low_bits(General x, General count) {
    list(position(), [&] { return "bzhi " + name_text(x) + "," + name_text(x) + "," + name_text(count); });
    encode({"bzhi", 0, 2, 0xf5, true}, uint8_t(x), uint8_t(count), Vector{uint8_t(x)}, kXmm, 0);
}

void Assembler::shift_right(General x, uint8_t bits) {
    list(position(), [&] { return "shr " + name_text(x) + "," + number_text(bits); });
    rex(true, 0, 0, uint8_t(x));
    put(0xc1), put(uint8_t(0xe8 | low(uint8_t(x)))), put(bits);
}

void Assembler::compare(General x, General y) {
    list(position(), [&] { return "cmp " + name_text(x) + "," + name_text(y); });
    rex(true, uint8_t(y), 0, uint8_t(x));
    put(0x39);
    put(uint8_t(0xc0 | low(uint8_t(y)) << 3 | low(uint8_t(x))));
}

void Assembler::jump_to(General target) {
    list(position(), [&] { return "jmp " + name_text(target); });
    if (high(uint8_t(target))) rex(false, 0, 0, uint8_t(target));
    put(0xff);
    put(uint8_t(0xe0 | low(uint8_t(target))));
}

void Assembler::leave() {
    list(position(), [] { return std::string("ret"); });
    put(0xc3);
}

void Assembler::align(int64_t bytes) {
    while (position() % bytes) {
        list(position(), [] { return std::string("nop"); });
        put(0x90);
    }
}

void Assembler::jump(int64_t target) {
    list(position(), Listing::Late::Target, position() + 1, [] { return std::string("jmp @"); });
    put(0xe9);
    put32(int32_t(target - (position() + 4)));
}

int64_t Assembler::jump_forward(const char* name, uint8_t condition) {
    list(position(), Listing::Late::Target, position() + 2, [&] { return name + std::string(" @"); });
    put(0x0f), put(condition);
    put32(0);
    return position() - 4;
}

void Assembler::jump_if_below(int64_t target) {
    const int64_t place = jump_forward("jb", 0x82);
    patch(place, int32_t(target - (place + 4)));
}

int64_t Assembler::jump_if_equal() { return jump_forward("je", 0x84); }
int64_t Assembler::jump_if_not_above() { return jump_forward("jbe", 0x86); }

void Assembler::patch(int64_t place, int32_t number) { std::memcpy(&code_[size_t(place)], &number, 4); }

void Assembler::land(int64_t place) { patch(place, int32_t(position() - (place + 4))); }

int Assembler::constant(uint64_t bits, int bytes) {
    const uint64_t lanes = bytes == 8 ? bits : (bits & 0xffffffffu) * 0x100000001u;
    for (size_t k = 0; k < pool_.size(); ++k)
        if (pool_[k] == lanes) return int(k);
    pool_.push_back(lanes);
    return int(pool_.size()) - 1;
}

std::vector<uint8_t> Assembler::finish() {
    align(kPoolItem);
    const int64_t pool = position();
    for (const Reference& r : references_) {
        patch(r.place, int32_t(pool + r.number * kPoolItem - (r.place + 4 + r.behind)));
    }
    for (const uint64_t lanes : pool_)
        for (int64_t k = 0; k < kPoolItem; k += 8) {
            put32(int32_t(lanes));
            put32(int32_t(lanes >> 32));
        }
    if (listing_) listing_->finish(code_, pool);
    return std::move(code_);
}

}  // namespace cuarray::host::emit
