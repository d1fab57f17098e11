// system_memory.cpp -- pages from the kernel, and memory figures from /proc and the control group.
#include "host/system_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace cuarray::host {
namespace {

constexpr int64_t kHugePage = int64_t(2) << 20;
constexpr int64_t kHugeFrom = int64_t(4) << 20;

/// A number at the start of a file, or -1.
int64_t read_number(const std::string& path) {
    std::ifstream file(path);
    int64_t value = -1;
    return file >> value ? value : -1;
}

/// A "key value" line of a file, or -1.
int64_t read_entry(const std::string& path, const std::string& key) {
    std::ifstream file(path);
    std::string word;
    while (file >> word) {
        int64_t value;
        if (word == key && file >> value) return value;
    }
    return -1;
}

std::string group_file(const char* name) { return std::string("/sys/fs/cgroup/") + name; }

}  // namespace

int64_t total_memory() {
    int64_t total = read_entry("/proc/meminfo", "MemTotal:") * 1024;
    const int64_t group = read_number(group_file("memory.max"));
    if (group > 0) total = std::min(total, group);
    return std::max(total, int64_t(1) << 30);
}

int64_t available_memory() {
    int64_t available = read_entry("/proc/meminfo", "MemAvailable:") * 1024;
    const int64_t group = read_number(group_file("memory.max")), used = read_number(group_file("memory.current"));
    if (group > 0 && used >= 0) {
        const int64_t files = std::max<int64_t>(read_entry(group_file("memory.stat"), "inactive_file"), 0);
        available = std::min(available, group - used + files);
    }
    return std::max<int64_t>(available, 0);
}

void* map_pages(int64_t bytes) {
    const bool huge = bytes >= kHugeFrom;
    const int64_t slack = huge ? kHugePage : 0;
    void* raw = mmap(nullptr, size_t(bytes + slack), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    if (!huge) return raw;
    char* const begin = static_cast<char*>(raw);
    char* const aligned = begin + (-reinterpret_cast<uintptr_t>(begin) & uintptr_t(kHugePage - 1));
    if (aligned != begin) munmap(begin, size_t(aligned - begin));
    munmap(aligned + bytes, size_t(begin + slack - aligned));
    madvise(aligned, size_t(bytes), MADV_HUGEPAGE);
    return aligned;
}

bool has_huge_pages() {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string words;
    std::getline(file, words);
    return !words.empty() && words.find("[never]") == std::string::npos;
}

}  // namespace cuarray::host
