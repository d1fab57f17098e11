// print.cpp -- printf of kernels.
#include "print.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "memory.h"

namespace cudasim {
namespace {

/// Packed arguments, read in order.
class Arguments {
 public:
    explicit Arguments(const char* packed) : packed_(packed) {}

    template <class T>
    T next() {
        offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
        T value;
        std::memcpy(&value, packed_ + offset_, sizeof value);
        offset_ += sizeof value;
        ++count_;
        return value;
    }
    int count() const { return count_; }

 private:
    const char* packed_;
    size_t offset_ = 0;
    int count_ = 0;
};

template <class T>
std::string printed(const std::string& conversion, T value) {
    char text[512];
    int length = std::snprintf(text, sizeof text, conversion.c_str(), value);
    if (length < 0) return "";
    if (static_cast<size_t>(length) < sizeof text) return text;
    std::string longer(static_cast<size_t>(length) + 1, 0);
    std::snprintf(longer.data(), longer.size(), conversion.c_str(), value);
    longer.pop_back();
    return longer;
}

/// One conversion, such as "%-8.3f"; moves `pattern` behind it.
std::string convert(const char*& pattern, Arguments& arguments) {
    std::string conversion = "%";
    bool is_long = false;
    for (++pattern; *pattern && std::strchr("-+ #0123456789.*hlLjzt", *pattern); ++pattern) {
        if (*pattern == '*')
            conversion += std::to_string(arguments.next<int>());
        else if (std::strchr("lLjzt", *pattern))
            is_long = true;
        else
            conversion += *pattern;
    }
    const char kind = *pattern;
    if (kind) ++pattern;
    if (kind == '%') return "%";
    if (std::strchr("diuoxXc", kind) && kind) {
        if (is_long) return printed(conversion + "ll" + kind, arguments.next<long long>());
        return printed(conversion + kind, arguments.next<int>());
    }
    conversion += kind;
    if (std::strchr("eEfFgGaA", kind) && kind) return printed(conversion, arguments.next<double>());
    if (kind == 'p') return printed(conversion, arguments.next<const void*>());
    if (kind != 's') return conversion;
    const auto text = arguments.next<CUdeviceptr>();
    return printed(conversion, text ? view(text) : "(null)");
}

}  // namespace

int print(const char* pattern, const char* arguments) {
    if (!pattern) return -1;
    Arguments packed(arguments);
    std::string text;
    while (*pattern) {
        if (*pattern == '%')
            text += convert(pattern, packed);
        else
            text += *pattern++;
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    return packed.count();
}

}  // namespace cudasim
