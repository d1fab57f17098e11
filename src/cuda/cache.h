// cache.h -- compiled kernels on disk: one file with a checksum per key, shared by processes; every failure is a
// cache miss.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include "cuarray/core/error.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {

/// A 128-bit hash: enough for a cache, not for security.
struct Hash {
    uint64_t high = 0, low = 0;
    friend bool operator==(const Hash&, const Hash&) = default;
};
CUARRAY_API Hash hash_of(std::string_view text);
CUARRAY_API std::string to_string(const Hash& hash);  ///< 32 hexadecimal digits

/// A directory of files that any number of processes read and write. Every failure (no directory, foreign
/// owner, full disk, damaged file) is a miss, with one warning.
class CUARRAY_API DiskCache {
 public:
    static constexpr int64_t kLimit = int64_t(1) << 30;

    /// Uses `directory`, which is created (mode 0700) at the first write; "" disables the cache.
    explicit DiskCache(std::string directory, int64_t limit = kLimit);

    /// The payload stored under `key`, or false.
    bool load(const Hash& key, std::string& payload);
    /// Stores a payload: a temporary file, then a rename, so that readers never see a partial file.
    void store(const Hash& key, std::string_view payload);

    const std::string& directory() const { return directory_; }
    int64_t bytes() const;  ///< total size of the files
    /// Removes the least recently used files until the rest fits `limit`.
    void sweep();

 private:
    bool is_usable(bool make);
    bool write_file(const std::string& path, std::string_view head, std::string_view payload);
    void sweep_sometimes();
    void warn_once(const std::string& message);
    std::string path(const Hash& key) const;

    std::string directory_;
    const int64_t limit_;
    Mutex mutex_;
    bool warned_ = false, refused_ = false;
};

/// $CUARRAY_CACHE_DIR, else ~/.cache/cuarray/v1, else "".
std::string cache_directory();
/// The process's cache, in cache_directory().
DiskCache& disk_cache();

}  // namespace cuarray::cuda
