// cache.cpp -- the files of the kernel cache: header with checksum, rename into place, refusal of other users'
// directories.
#include "cuda/cache.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>
#include "runtime/hooks.h"

namespace cuarray::cuda {
namespace {

constexpr char kMagic[8] = {'c', 'u', 'a', 'r', 'r', 'a', 'y', '\0'};
constexpr uint32_t kFormat = 1;
constexpr time_t kDay = 24 * 60 * 60, kHour = 60 * 60;
constexpr const char* kSuffix = ".kernel";
constexpr const char* kStamp = "/swept";

struct Header {
    char magic[8];
    uint32_t format, header_bytes;
    Hash key, checksum;
    uint64_t payload_bytes;
};

class File {
 public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    ~File() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    explicit operator bool() const { return descriptor_ >= 0; }
    operator int() const { return descriptor_; }

 private:
    const int descriptor_;
};

bool read_all(int file, char* to, size_t bytes) {
    while (bytes > 0) {
        const ssize_t got = ::read(file, to, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got, bytes -= size_t(got);
    }
    return true;
}

bool write_all(int file, const char* from, size_t bytes) {
    while (bytes > 0) {
        const ssize_t put = ::write(file, from, bytes);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        from += put, bytes -= size_t(put);
    }
    return true;
}

bool make_directories(const std::string& path) {
    for (size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
        const std::string part = path.substr(0, at);
        if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return false;
        if (at == std::string::npos) return true;
    }
}

struct CachedFile {
    std::string path;
    int64_t bytes;
    time_t used;
};

bool ends_with(const char* name, const char* end) {
    const size_t n = std::strlen(name), m = std::strlen(end);
    return n >= m && std::strcmp(name + n - m, end) == 0;
}

/// The kernels in `directory`. Deletes temporary files of killed processes after a day.
std::vector<CachedFile> list_files(const std::string& directory) {
    std::vector<CachedFile> files;
    DIR* const listing = opendir(directory.c_str());
    if (!listing) return files;
    while (const dirent* entry = readdir(listing)) {
        const bool kernel = ends_with(entry->d_name, kSuffix);
        if (!kernel && !std::strstr(entry->d_name, ".temporary.")) continue;
        const std::string path = directory + "/" + entry->d_name;
        struct stat state;
        if (stat(path.c_str(), &state) != 0) continue;
        if (kernel)
            files.push_back({path, int64_t(state.st_size), state.st_mtime});
        else if (state.st_mtime + kDay < time(nullptr))
            unlink(path.c_str());
    }
    closedir(listing);
    return files;
}

}  // namespace

Hash hash_of(std::string_view text) {
    constexpr uint64_t kA = 0x9e3779b97f4a7c15, kB = 0xc2b2ae3d27d4eb4f, kC = 0x165667b19e3779f9;
    Hash hash{kA ^ text.size(), kB + text.size()};
    for (size_t at = 0; at < text.size(); at += 8) {
        uint64_t word = 0;
        std::memcpy(&word, text.data() + at, std::min<size_t>(8, text.size() - at));
        hash.high = std::rotl(hash.high ^ word * kB, 31) * kA;
        hash.low = std::rotl(hash.low + word * kC, 27) * kB;
    }
    const auto finish = [](uint64_t x) {
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
        x = (x ^ x >> 27) * 0x94d049bb133111eb;
        return x ^ x >> 31;
    };
    return {finish(hash.high), finish(hash.low)};
}

std::string to_string(const Hash& hash) {
    char text[33];
    std::snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)hash.high, (unsigned long long)hash.low);
    return text;
}

DiskCache::DiskCache(std::string directory, int64_t limit) : directory_(std::move(directory)), limit_(limit) {}

std::string DiskCache::path(const Hash& key) const { return directory_ + "/" + to_string(key) + kSuffix; }

void DiskCache::warn_once(const std::string& message) {
    {
        const std::lock_guard lock(mutex_);
        if (warned_) return;
        warned_ = true;
    }
    warn("kernel cache: " + message);
}

bool DiskCache::is_usable(bool make) {
    if (directory_.empty()) return false;
    {
        const std::lock_guard lock(mutex_);
        if (refused_) return false;
    }
    struct stat state;
    std::string trouble;
    if (stat(directory_.c_str(), &state) != 0) {
        if (!make) return false;
        if (!make_directories(directory_) || stat(directory_.c_str(), &state) != 0)
            trouble = "cannot make " + directory_ + ": " + std::strerror(errno);
    }
    if (trouble.empty() && !S_ISDIR(state.st_mode))
        trouble = directory_ + " is not a directory";
    else if (trouble.empty() && state.st_uid != geteuid())
        trouble = directory_ + " belongs to another user";
    else if (trouble.empty() && (state.st_mode & S_IWOTH))
        trouble = directory_ + " is writable by everybody";
    if (trouble.empty()) return true;
    {
        const std::lock_guard lock(mutex_);
        refused_ = true;
    }
    warn_once(trouble + "; compiled kernels are kept in memory only");
    return false;
}

bool DiskCache::load(const Hash& key, std::string& payload) {
    if (!is_usable(false)) return false;
    const std::string name = path(key);
    // O_NONBLOCK: opening a pipe or a device must not block.
    const File file(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) return false;
    struct stat state;
    Header header;
    if (fstat(file, &state) != 0) return false;
    bool good = S_ISREG(state.st_mode) && state.st_size <= kLimit &&
                read_all(file, reinterpret_cast<char*>(&header), sizeof header) &&
                std::memcmp(header.magic, kMagic, sizeof kMagic) == 0 && header.format == kFormat &&
                header.header_bytes == sizeof header && header.key == key &&
                uint64_t(state.st_size) == sizeof header + header.payload_bytes;
    if (good) {
        payload.resize(header.payload_bytes);
        good = read_all(file, payload.data(), payload.size()) && hash_of(payload) == header.checksum;
    }
    if (!good) {
        warn_once(name + " is damaged; it is ignored and written again");
        return false;
    }
    if (state.st_mtime + kDay < time(nullptr)) futimens(file, nullptr);
    return true;
}

bool DiskCache::write_file(const std::string& path, std::string_view head, std::string_view payload) {
    static std::atomic<unsigned> serial{0};
    const std::string temporary = path + ".temporary." + std::to_string(getpid()) + "." + std::to_string(serial++);
    bool good;
    {
        const File file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        good = file && write_all(file, head.data(), head.size()) && write_all(file, payload.data(), payload.size());
    }
    good = good && rename(temporary.c_str(), path.c_str()) == 0;
    if (!good) {
        const int error = errno;
        unlink(temporary.c_str());
        warn_once("cannot write " + path + ": " + std::strerror(error) + "; compiled kernels are kept in memory only");
    }
    return good;
}

void DiskCache::store(const Hash& key, std::string_view payload) {
    if (!is_usable(true)) return;
    Header header{};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.format = kFormat;
    header.header_bytes = sizeof header;
    header.key = key;
    header.checksum = hash_of(payload);
    header.payload_bytes = payload.size();
    if (write_file(path(key), {reinterpret_cast<const char*>(&header), sizeof header}, payload)) sweep_sometimes();
}

int64_t DiskCache::bytes() const {
    int64_t sum = 0;
    for (const CachedFile& file : list_files(directory_)) sum += file.bytes;
    return sum;
}

// Listing the directory at every write would cost more than the write: the age of a stamp file, shared by all
// processes, decides.
void DiskCache::sweep_sometimes() {
    const std::string stamp = directory_ + kStamp;
    struct stat state;
    if (stat(stamp.c_str(), &state) == 0 && state.st_mtime + kHour > time(nullptr)) return;
    const File file(open(stamp.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
    if (!file) return;
    futimens(file, nullptr);
    sweep();
}

void DiskCache::sweep() {
    std::vector<CachedFile> files = list_files(directory_);
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.used > b.used; });
    int64_t sum = 0;
    for (const CachedFile& file : files)
        if ((sum += file.bytes) > limit_) unlink(file.path.c_str());
}

std::string cache_directory() {
    const char* chosen = std::getenv("CUARRAY_CACHE_DIR");
    if (chosen && *chosen) return chosen;
    const char* home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.cache/cuarray/v1" : std::string();
}

DiskCache& disk_cache() {
    static DiskCache* one = new DiskCache(cache_directory());
    return *one;
}

}  // namespace cuarray::cuda
