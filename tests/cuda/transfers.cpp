// transfers.cpp -- bytes to the GPU, back, within it and to another one, at random sizes and offsets.
#include "programs.h"
#include "random_views.h"

namespace tests {
namespace {

std::vector<char> random_bytes(Random& random, int64_t bytes) {
    std::vector<char> result(static_cast<size_t>(bytes));
    for (char& byte : result) byte = char(random.bits());
    return result;
}

int64_t random_size(Random& random) { return random.one_in(3) ? random.pick(0, 300) : random.pick(0, 5 << 20); }

}  // namespace

void test_transfers(uint64_t seed, int64_t rounds) {
    Random random(seed);
    Backend& gpu = backend({Device::Kind::Cuda, 0});
    Backend& cpu = backend({Device::Kind::Cpu, 0});
    Backend& other = backend({Device::Kind::Cuda, 1});
    for (int64_t round = 0; round < rounds; ++round) {
        const int64_t size = random_size(random), before = random.pick(0, 9), after = random.pick(0, 9);
        std::vector<char> model = random_bytes(random, before + size + after), sent = model;
        const StorageRef a = gpu.allocate(int64_t(model.size())), b = gpu.allocate(int64_t(model.size()));
        gpu.write(*a, 0, sent.data(), int64_t(sent.size()));
        std::fill(sent.begin(), sent.end(), '?');  // the caller's memory may be reused
        CHECK(download(gpu, *a) == model, "upload and download of %zu bytes", model.size());

        const std::vector<char> piece = random_bytes(random, size);
        gpu.write(*a, before, piece.data(), size);
        std::copy(piece.begin(), piece.end(), model.begin() + before);
        gpu.copy(*b, 0, *a, 0, int64_t(model.size()));
        CHECK(download(gpu, *b) == model, "copy on the device");

        // Overlapping ranges of one storage.
        const int64_t shift = random.pick(0, before + after), moved = int64_t(model.size()) - shift;
        const bool up = random.one_in(2);
        gpu.copy(*b, up ? shift : 0, *b, up ? 0 : shift, moved);
        std::memmove(model.data() + (up ? shift : 0), model.data() + (up ? 0 : shift), size_t(moved));
        CHECK(download(gpu, *b) == model, "overlapping copy");

        // To another GPU and back; the source is overwritten immediately, in the source's stream.
        const StorageRef there = other.allocate(int64_t(model.size()));
        gpu.write(*b, 0, sent.data(), int64_t(sent.size()));
        gpu.synchronize();
        gpu.write(*b, 0, model.data(), int64_t(model.size()));
        other.copy(*there, 0, *b, 0, int64_t(model.size()));
        gpu.write(*b, 0, sent.data(), int64_t(sent.size()));
        CHECK(download(other, *there) == model, "copy to another GPU");
        gpu.copy(*b, 0, *there, 0, int64_t(model.size()));
        other.write(*there, 0, sent.data(), int64_t(sent.size()));
        CHECK(download(gpu, *b) == model, "copy from another GPU");

        const StorageRef host = cpu.allocate(int64_t(model.size()));
        gpu.copy(*host, 0, *b, 0, int64_t(model.size()));
        CHECK(std::memcmp(host->data, model.data(), model.size()) == 0, "copy to the host's storage");
        gpu.copy(*a, 0, *host, 0, int64_t(model.size()));
        CHECK(download(gpu, *a) == model, "copy from the host's storage");
    }
}

}  // namespace tests
