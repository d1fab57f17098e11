// cache.cpp -- the kernel cache's files: damage, foreign files, limits, and concurrent writers.
#include "cuda/cache.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
#include "core/check.h"
#include "programs.h"
#include "runtime/hooks.h"

namespace tests {
namespace {

using namespace cuarray;
using namespace cuarray::cuda;
namespace fs = std::filesystem;

int warnings = 0;

std::vector<fs::path> files(const fs::path& directory) {
    std::vector<fs::path> result;
    for (const auto& entry : fs::directory_iterator(directory))
        if (entry.path().extension() == ".kernel") result.push_back(entry.path());
    return result;
}

std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

void test_hash() {
    CHECK(hash_of("a") == hash_of("a") && !(hash_of("a") == hash_of("b")), "hash");
    CHECK(!(hash_of("") == hash_of(std::string_view("\0", 1))), "a zero byte counts");
    CHECK(!(hash_of(std::string(8, 'x')) == hash_of(std::string(9, 'x'))), "length counts");
    CHECK(to_string(hash_of("a")).size() == 32, "digits");
}

void test_round_trip(const fs::path& directory) {
    DiskCache cache(directory / "new" / "v1");
    std::string payload = "old";
    CHECK(!cache.load(hash_of("k"), payload), "an empty cache has something");
    CHECK(!fs::exists(directory / "new"), "reading made a directory");
    cache.store(hash_of("k"), "kernel text");
    CHECK(cache.load(hash_of("k"), payload) && payload == "kernel text", "stored and loaded");
    CHECK(!cache.load(hash_of("other"), payload), "another key");
    struct stat state;
    CHECK(stat(cache.directory().c_str(), &state) == 0 && (state.st_mode & 0777) == 0700, "mode of the directory");
    CHECK(cache.bytes() > 11 && warnings == 0, "size, and no warning");
}

// Every truncation and every changed byte is detected; the next store repairs it.
void test_damage(const fs::path& directory) {
    DiskCache cache(directory / "damage");
    const std::string text = "the payload of a kernel";
    cache.store(hash_of("k"), text);
    const fs::path file = files(directory / "damage").at(0);
    const std::string good = content(file);
    std::string payload;
    for (size_t length = 0; length < good.size(); ++length) {
        put(file, good.substr(0, length));
        CHECK(!cache.load(hash_of("k"), payload), "torn at %zu of %zu", length, good.size());
    }
    for (size_t at = 0; at < good.size(); ++at) {
        std::string bad = good;
        bad[at] = char(bad[at] ^ 0x10);
        put(file, bad);
        CHECK(!cache.load(hash_of("k"), payload), "byte %zu is wrong", at);
    }
    CHECK(warnings == 1, "%d warnings about damage", warnings);
    // A pipe without a writer, or a path that is not a file, does not block.
    fs::remove(file);
    CHECK(mkfifo(file.c_str(), 0600) == 0, "mkfifo");
    CHECK(!cache.load(hash_of("k"), payload), "a pipe is no kernel");
    fs::remove(file);
    fs::create_directory(file);
    CHECK(!cache.load(hash_of("k"), payload), "a directory is no kernel");
    fs::remove(file);
    fs::remove(cache.directory() + "/swept");
    CHECK(mkfifo((cache.directory() + "/swept").c_str(), 0600) == 0, "mkfifo");
    cache.store(hash_of("k"), text);
    CHECK(cache.load(hash_of("k"), payload) && payload == text, "stored beside a pipe");
    put(file, good + "x");
    CHECK(!cache.load(hash_of("k"), payload), "too long");
    cache.store(hash_of("k"), text);
    CHECK(cache.load(hash_of("k"), payload) && payload == text, "mended");
    warnings = 0;
}

void test_unusable(const fs::path& directory) {
    std::string payload;
    const auto is_memory_only = [&](const fs::path& path) {
        DiskCache cache(path);
        warnings = 0;
        cache.store(hash_of("k"), "text");
        cache.store(hash_of("l"), "text");
        return !cache.load(hash_of("k"), payload) && warnings == 1;
    };
    put(directory / "file", "");
    CHECK(is_memory_only(directory / "file"), "a file instead of a directory");
    CHECK(is_memory_only("/proc/none/cache"), "a directory that cannot be made");
    fs::create_directory(directory / "open");
    chmod((directory / "open").c_str(), 0777);
    CHECK(is_memory_only(directory / "open"), "a directory that everybody may write");
    if (geteuid() == 0) {
        fs::create_directory(directory / "foreign");
        CHECK(chown((directory / "foreign").c_str(), 12345, 12345) == 0, "chown");
        CHECK(is_memory_only(directory / "foreign"), "a foreign directory");
    } else {
        fs::create_directory(directory / "fixed");
        chmod((directory / "fixed").c_str(), 0500);
        CHECK(is_memory_only(directory / "fixed"), "a directory without the right to write");
    }
    DiskCache none("");
    warnings = 0;
    none.store(hash_of("k"), "text");
    CHECK(!none.load(hash_of("k"), payload) && warnings == 0, "no directory is no trouble");
}

void test_limit(const fs::path& directory) {
    DiskCache cache(directory / "limit", 10000);
    const std::string text(1000, 'x');
    for (int i = 0; i < 20; ++i) {
        cache.store(hash_of(std::to_string(i)), text);
        const fs::path newest = cache.directory() + "/" + to_string(hash_of(std::to_string(i))) + ".kernel";
        fs::last_write_time(newest, fs::file_time_type::clock::now() - std::chrono::hours(20 - i));
    }
    cache.sweep();
    CHECK(cache.bytes() <= 10000 && cache.bytes() > 8000, "%lld bytes are left", (long long)cache.bytes());
    std::string payload;
    CHECK(cache.load(hash_of("19"), payload) && !cache.load(hash_of("0"), payload), "the oldest go");

    // The remains of a process that was killed while writing.
    const fs::path left = directory / "limit" / "a.kernel.temporary.1.0",
                   fresh = directory / "limit" / "b.kernel.temporary.1.0";
    put(left, "half"), put(fresh, "half");
    fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(30));
    cache.sweep();
    CHECK(!fs::exists(left) && fs::exists(fresh), "temporary files go after a day");
}

// A limit on file size simulates a full disk: both interrupt a write.
void test_full_disk(const fs::path& directory) {
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1000, 1000};
        DiskCache cache(directory / "full");
        std::string payload;
        bool good = setrlimit(RLIMIT_FSIZE, &limit) == 0;
        cache.store(hash_of("large"), std::string(5000, 'x'));
        cache.store(hash_of("larger"), std::string(6000, 'x'));
        good = good && warnings == 1 && !cache.load(hash_of("large"), payload);
        cache.store(hash_of("small"), "fits");
        good = good && cache.load(hash_of("small"), payload) && payload == "fits";
        for (const auto& entry : fs::directory_iterator(directory / "full"))
            good = good && entry.path().string().find("temporary") == std::string::npos;
        _exit(good ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0, "a full disk");
}

void test_two_processes(const fs::path& directory) {
    const std::string path = directory / "shared";
    const auto payload_of = [](int i) { return std::string(size_t(1000 + i), char('a' + i % 26)); };
    std::vector<pid_t> children;
    for (int process = 0; process < 3; ++process) {
        const pid_t child = fork();
        if (child == 0) {
            DiskCache cache(path);
            bool good = true;
            for (int i = 0; i < 200; ++i) {
                const int key = (i * 7 + process) % 20;
                std::string payload;
                if (cache.load(hash_of(std::to_string(key)), payload)) good = good && payload == payload_of(key);
                cache.store(hash_of(std::to_string(key)), payload_of(key));
            }
            _exit(good && warnings == 0 ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = -1;
        waitpid(child, &status, 0);
        CHECK(status == 0, "a process saw another one's half-written file");
    }
    CHECK(files(path).size() == 20, "%zu files", files(path).size());
    for (const auto& entry : fs::directory_iterator(path))
        CHECK(entry.path().string().find("temporary") == std::string::npos, "a temporary file is left");
}

}  // namespace

void test_cache_directory(const char* directory) {
    set_warning_handler([](const char*) { ++warnings; });
    test_hash();
    test_round_trip(directory);
    test_damage(directory);
    test_unusable(directory);
    warnings = 0;
    test_limit(directory);
    test_full_disk(directory);
    test_two_processes(directory);
}

}  // namespace tests
