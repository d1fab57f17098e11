// explain.cpp -- the notes of a failed launch, gathered after the failure: a successful launch costs nothing.
#include "cuda/explain.h"

#include <cstdio>
#include <sstream>
#include <vector>

#include "cuarray/kernel/rows.h"
#include "cuarray/kernel/scan.h"
#include "cuarray/kernel/tiles.h"

namespace cuarray::cuda {
namespace {

constexpr size_t kToldBytes = 256;  ///< bytes shown of a NamedKernel's parameters: addresses and sizes come first

/// A function attribute as text, or the driver's error number.
std::string attribute(const Driver& driver, CUfunction function, int which) {
    int value = 0;
    const CUresult result = driver.cuFuncGetAttribute.status(&value, which, function);
    return result == CUDA_SUCCESS ? std::to_string(value) : "unknown (error " + std::to_string(result) + ")";
}

std::string shape_note(const Context& context, CUfunction function, const Launch& launch) {
    const auto ask = [&](int which) { return attribute(context.driver, function, which); };
    std::ostringstream text;
    text << "grid (" << launch.grid << ", 1, 1), block (" << launch.block << ", 1, 1) on " << context.name
         << " (compute capability " << context.capability / 10 << "." << context.capability % 10
         << "); the kernel takes at most " << ask(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
         << " threads per block, and has " << ask(CU_FUNC_ATTRIBUTE_NUM_REGS) << " registers and "
         << ask(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES) << " bytes of local memory per thread, "
         << ask(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) << " bytes of shared memory per block, none of it dynamic";
    return text.str();
}

std::string hexadecimal(const void* bytes, size_t count) {
    std::string text;
    char digits[4];
    for (size_t i = 0; i < count; ++i) {
        std::snprintf(digits, sizeof digits, i % 8 == 7 ? "%02x " : "%02x",
                      static_cast<const unsigned char*>(bytes)[i]);
        text += digits;
    }
    return text;
}

/// The first operands of the walk's parameters, as kernel/index.h lays them out.
template <class Parameters>
std::string addresses(const Launch& launch, size_t operands) {
    const auto& parameters = *reinterpret_cast<const Parameters*>(launch.parameters);
    std::ostringstream text;
    for (size_t i = 0; i < operands; ++i)
        text << (i ? ", " : "") << static_cast<const void*>(parameters.operands[i].data);
    return text.str();
}

std::string addresses(const Launch& launch, size_t operands) {
    using namespace kernel;
    switch (launch.walk) {
        case Walk::Contiguous: return addresses<Flat<kMaxOperands>>(launch, operands);
        case Walk::Rows:
        case Walk::StridedRows: return addresses<Rows<kMaxOperands>>(launch, operands);
        case Walk::Tiles:
        case Walk::StridedTiles: return addresses<Tiles<kMaxOperands>>(launch, operands);
        case Walk::Strided: return addresses<Strided<kMaxOperands>>(launch, operands);
        case Walk::TreeStrided: return addresses<Folded<Index32, kMaxOperands>>(launch, operands);
        case Walk::Scan: return addresses<ScanParameters<Index32, kMaxOperands>>(launch, operands);
        case Walk::Scan64:
        case Walk::ScanInOrder: return addresses<ScanParameters<Index64, kMaxOperands>>(launch, operands);
        default: return addresses<Folded<Index64, kMaxOperands>>(launch, operands);
    }
}

std::string argument_note(const Kernel& kernel, const Launch& launch) {
    const Expr& expr = *kernel.program.expr;
    const bool folds = kernel.program.reduction != kNone || kernel.program.loop != kNone;
    const size_t outputs = folds ? 1 : expr.outputs.size();
    std::ostringstream text;
    text << "arguments: " << outputs << " results, then " << expr.inputs.size() << " inputs (";
    for (size_t i = 0; i < expr.inputs.size(); ++i) text << (i ? ", " : "") << info(expr.inputs[i]).name;
    text << ") at " << addresses(launch, outputs + expr.inputs.size());
    for (size_t i = 0; i < expr.scalars.size(); ++i)
        text << "; s" << i << " = bytes " << hexadecimal(launch.scalars.values[i].bytes, 16);
    if (expr.fault != kNoValue) text << "; faults are reported to " << static_cast<void*>(launch.fault.claim);
    return text.str();
}

}  // namespace

void fail_launch(CUresult result, const Context& context, const Kernel& kernel, const Launch& launch) {
    const Walk walks[] = {launch.walk};
    fail(result, "cuLaunchKernel",
         {"kernel " + kernel.entry + ": " + to_infix(*kernel.expr), shape_note(context, kernel.function, launch),
          argument_note(kernel, launch), "the program:\n" + numbered(kernel_source(kernel.program, walks))});
}

void fail_launch(CUresult result, const Context& context, CUfunction function, const NamedLaunch& named,
                 const char* name) {
    const std::string bytes = hexadecimal(named.launch.parameters, kToldBytes);
    fail(result, "cuLaunchKernel",
         {"kernel " + named.kernel.entry + ", for " + name, shape_note(context, function, named.launch),
          "arguments: " + std::string(named.kernel.parameters) + ", which begins with the bytes " + bytes,
          "the program:\n" + numbered(kernel_source(named.kernel))});
}

}  // namespace cuarray::cuda
