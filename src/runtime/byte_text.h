// byte_text.h -- a number of bytes in words.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

namespace cuarray {

/// "800 B", "12.3 kB", "45.6 MB"
inline std::string byte_text(int64_t bytes) {
    char text[32];
    if (bytes < 10000)
        std::snprintf(text, sizeof text, "%lld B", static_cast<long long>(bytes));
    else if (bytes < 10000000)
        std::snprintf(text, sizeof text, "%.1f kB", double(bytes) * 1e-3);
    else
        std::snprintf(text, sizeof text, "%.1f MB", double(bytes) * 1e-6);
    return text;
}

}  // namespace cuarray
