// simt.cpp -- runs a grid: resident blocks, thread scheduling, and early termination of a launch.
#include "simt.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

#include "block.h"
#include "faults.h"
#include "host_memory.h"
#include "memory.h"
#include "pool.h"
#include "print.h"

namespace cudasim {
namespace {

constexpr unsigned kMostResidentThreads = 2048;
constexpr unsigned kMostResidentBlocks = 6;
/// This many consecutive yields without a thread ending or passing a barrier are a deadlock of spinning threads.
constexpr unsigned long kSpinLimit = 5'000'000;

/// A permutation of 0..n-1: i -> (first + i * step) mod n.
struct Order {
    unsigned long long n, first, step;

    Order(unsigned long long count, Random& random) : n(count) {
        first = wide(random) % n;
        do step = wide(random) % n | 1;
        while (std::gcd(step, n) != 1);
    }
    unsigned long long operator()(unsigned long long i) const {
        return static_cast<unsigned long long>((static_cast<unsigned __int128>(i) * step + first) % n);
    }
    static unsigned long long wide(Random& random) {
        unsigned long long high = random.next();
        return high << 32 | random.next();
    }
};

void fiber_body();

/// The cause of an error that a kernel itself reports.
Cause usual_cause(CUresult code) {
    if (code == CUDA_ERROR_ILLEGAL_ADDRESS) return Cause::OutOfBounds;
    if (code == CUDA_ERROR_MISALIGNED_ADDRESS) return Cause::Misaligned;
    if (code == CUDA_ERROR_LAUNCH_TIMEOUT) return Cause::Endless;
    if (code == CUDA_ERROR_ASSERT) return Cause::Assertion;
    return Cause::Other;
}

/// Fibers are kept from launch to launch; idle ones are parked at the end of their loop.
struct Fibers {
    std::vector<std::unique_ptr<Fiber>> all;
    std::vector<Fiber*> idle;

    Fiber* take() {
        if (idle.empty()) {
            all.push_back(std::make_unique<Fiber>(fiber_body));
            return all.back().get();
        }
        Fiber* fiber = idle.back();
        idle.pop_back();
        return fiber;
    }
    /// After an aborted launch: discards the contents of the stacks.
    void rewind_all() {
        idle.clear();
        for (auto& fiber : all) {
            fiber->rewind();
            idle.push_back(fiber.get());
        }
    }
};

Fibers& fibers() {
    static auto* pool = new Fibers;
    return *pool;
}

/// Finished blocks, kept so that small launches allocate nothing.
std::vector<std::unique_ptr<Block>>& spare_blocks() {
    static auto* spare = new std::vector<std::unique_ptr<Block>>;
    return *spare;
}

/// The execution of one grid. Functions marked "on a fiber" run on a kernel thread's stack.
class Execution {
 public:
    explicit Execution(const Grid& grid)
        : grid_(grid),
          suppressed_(checking() && is_suppressed(grid.kernel->name)),
          random_(grid.seed),
          order_(block_count(grid), random_),
          place_(*grid.module->place) {
        place_.block_size = grid.block;
        place_.grid_size = grid.size;
        place_.line = 0;
        threads_ = grid.block.x * grid.block.y * grid.block.z;
        unsigned fit = std::max(1u, std::min(kMostResidentBlocks, kMostResidentThreads / threads_));
        residency_ = 1 + random_.below(fit);
        if (settings().resident) residency_ = settings().resident;
        place_.dynamic_shared_bytes = grid.dynamic_shared;
        place_.grid_workspace = grid.is_cooperative ? workspace_ : nullptr;
        if (grid.is_cooperative) residency_ = order_.n;
        shared_bytes_ = static_cast<size_t>(grid.module->shared_end - grid.module->shared_begin);
    }

    GridResult run() {
        while (result_.code == CUDA_SUCCESS && (admitted_ < order_.n || !resident_.empty())) {
            while (admitted_ < order_.n && resident_.size() < residency_) admit();
            Fiber* next = choose();
            if (!next) {
                place_at_waiting_thread();
                fail(CUDA_ERROR_LAUNCH_FAILED, {"deadlock: " + stalled(), endless()});
                break;
            }
            cudasim_switch_stacks(&main_stack_, next->stack_pointer);
            retire();
        }
        if (result_.code != CUDA_SUCCESS) fibers().rewind_all();
        for (Allocation* block : freed_) give_back(*block);
        return result_;
    }

    // On a fiber.
    void run_new_threads() {
        while (block_->unstarted() > 0) {
            thread_ = &block_->begin_thread(fiber_);
            place_.thread = thread_->index;
            place_.line = 0;
            grid_.kernel->call(grid_.parameters);
            spins_ = 0;
            end_thread();
        }
        Fiber* self = fiber_;
        fibers().idle.push_back(self);
        switch_from(self, block_->finished() ? nullptr : choose());
    }

    // On a fiber.
    void barrier(unsigned number, unsigned threads, bool waits, int line) {
        Fault wrong = number == 0 && waits && (threads == 0 || threads == (threads_ + 31) / 32 * 32)
                          ? block_->arrive(*thread_, line, waits, *grid_.module)
                          : block_->arrive_named(*thread_, number, threads, line, waits);
        place_.line = line;
        check(wrong);
        spins_ = 0;
        if (waits) leave();
    }

    // On a fiber.
    cudasim_exchanged exchange(unsigned mask, int kind, const void* value, unsigned bytes) {
        bool waits = false;
        check(block_->join(*thread_, mask, kind, value, bytes, waits));
        spins_ = 0;
        if (waits) leave();
        return block_->exchanged(*thread_);
    }

    // On a fiber.
    void yield() {
        thread_->line = place_.line;
        if (++spins_ > kSpinLimit)
            give_up(CUDA_ERROR_LAUNCH_TIMEOUT, {"threads wait for ever: " + stalled(), endless()});
        if (is_late_) give_up_late();
        block_->make_ready(*thread_);
        leave();
    }

    // On a fiber.
    void fence() { KernelOrder::fence(block_->time, thread_->number); }

    // On a fiber.
    void access(const void* place, unsigned bytes, Access kind) {
        if (fiber_->contains(place)) return;
        if (is_late_) give_up_late();
        auto at = reinterpret_cast<uintptr_t>(place);
        if (place >= workspace_ && place < std::end(workspace_)) {
            order_between_blocks_.atomic(block_->time, thread_->number, at);
            return;
        }
        Cell* cells = shadow_of(at, bytes);
        if (!cells) return;
        Wrong wrong = order_between_blocks_.touch(cells, bytes, kind, block_->time, thread_->number, place_.line);
        if (wrong && !suppressed_) found(wrong, at, bytes);
        if (is_atomic(kind)) order_between_blocks_.atomic(block_->time, thread_->number, at);
    }

    // On a fiber.
    void copy_async(void* to, const void* from, unsigned bytes, unsigned read) {
        thread_->copies.copies.push_back(begin_copy(to, from, bytes, read, thread_->copies));
    }

    // On a fiber.
    void commit_copies() { ++thread_->copies.group; }
    void commit_bulk_copies() { ++thread_->bulk_copies.group; }

    // On a fiber.
    void wait_for_copies(unsigned groups) { end_copies(*thread_, thread_->copies, groups); }
    void wait_for_bulk_copies(unsigned groups) { end_copies(*thread_, thread_->bulk_copies, groups); }

    // On a fiber. With a barrier to shared memory, else from it.
    void copy_bulk(void* to, const void* from, unsigned bytes, void* barrier) {
        if (!in_shared(barrier ? to : from, bytes))
            give_up(CUDA_ERROR_ILLEGAL_ADDRESS,
                    format("%u bytes of a bulk copy that are not in the block's shared memory", bytes));
        PendingCopy copy = begin_copy(to, from, bytes, bytes, thread_->bulk_copies);
        if (!barrier)
            thread_->bulk_copies.copies.push_back(copy);
        else
            barrier_at(barrier, Access::AtomicUpdate).deliveries.push_back({thread_->number, copy, 0});
    }

    // On a fiber. Returns a token, or whether the phase has ended.
    unsigned long long memory_barrier(BarrierStep step, void* place, unsigned long long number, long long bytes,
                                      unsigned flags) {
        if (step == BarrierStep::Init) {
            make_barrier(place, number);
            return 0;
        }
        const bool tests = step == BarrierStep::Test || step == BarrierStep::TestParity;
        MemoryBarrier& b = barrier_at(place, tests ? Access::AtomicRead : Access::AtomicUpdate);
        if (tests) return has_ended(b, place, step, number, flags & CUDASIM_ORDERS);
        if (step == BarrierStep::Invalidate) {
            std::memset(place, kPoison, sizeof(uint64_t));
            block_->memory_barriers.erase(place);
            return 0;
        }
        const uint64_t token = b.token();
        check(change(b, step, number, bytes, flags));
        keep(b, place);
        return token;
    }

    // On a fiber. Only threads of this kernel can know the address, and each must be told it.
    void* allocate(size_t bytes) {
        Allocation* block = allocate_on_heap(bytes, *grid_.context);
        if (!block) return nullptr;
        if (shadowed(block)) {
            Cell* cells = shadow(offset_of(block->base));
            std::fill(cells, cells + bytes, Cell{});
        }
        return translates() ? reinterpret_cast<void*>(block->base) : view(block->base);
    }

    // On a fiber. The address is not used again by this kernel, so that later uses are found.
    void release(void* place) {
        if (!place) return;
        CUdeviceptr address = reinterpret_cast<uintptr_t>(place);
        if (!translates()) address -= static_cast<CUdeviceptr>(kViewOffset);
        Allocation* block = is_device_address(address) ? allocation_at(address) : nullptr;
        if (!block || block->base != address || !block->of_heap)
            check({format("free of what malloc has not returned, or of what is free: %s", describe(address).c_str())});
        if (!guards_intact(*block)) check({format("writes beside memory of malloc: %s", describe(address).c_str())});
        if (checking()) access(view(address), static_cast<unsigned>(block->live_size), Access::Write);
        allowed_begin_ = allowed_end_ = 0;
        freed_.push_back(block);
        check({free_on_heap(*block)});
    }

    // On a fiber, or in a signal handler that interrupted one.
    [[noreturn]] void give_up(CUresult code, const std::string& message) {
        give_up(code, {message, usual_cause(code)});
    }
    [[noreturn]] void give_up(CUresult code, const Fault& wrong) {
        fail(code, wrong);
        abandon();
    }

    [[noreturn]] void abandon() {
        void* abandoned;
        cudasim_switch_stacks(&abandoned, main_stack_);
        std::abort();
    }

    // In a signal handler that interrupted a fiber. Functions of the simulator are not interrupted: the next call of
    // theirs that waits ends the kernel.
    void end_late(const void* instruction) {
        is_late_ = true;
        auto at = reinterpret_cast<uintptr_t>(instruction);
        auto begin = reinterpret_cast<uintptr_t>(grid_.module->image_begin);
        if (at >= begin && at < reinterpret_cast<uintptr_t>(grid_.module->shared_end)) give_up_late();
    }

    const Fiber* fiber() const { return fiber_; }

 private:
    static unsigned long long block_count(const Grid& g) { return 1ull * g.size.x * g.size.y * g.size.z; }

    /// Whether the kernel's pointers are device addresses, which it translates at each access: those of PTX.
    bool translates() const { return grid_.kernel->declared; }

    void check(const Fault& wrong) {
        if (wrong) give_up(CUDA_ERROR_LAUNCH_FAILED, wrong);
    }

    // On a fiber. Nobody else can wait for the thread's copies from shared memory, which goes with the block.
    void end_thread() {
        if (!thread_->bulk_copies.copies.empty()) {
            place_.line = thread_->bulk_copies.copies.front().line;
            check({"the thread ends before this bulk copy from shared memory has been waited for", Cause::BulkCopy});
        }
        if (!block_->end_thread(*thread_)) {
            place_.line = block_->barrier_line();
            check(block_->left_early(*thread_, *grid_.module));
        }
        const Delivery* late = block_->finished() ? block_->undelivered() : nullptr;
        if (!late) return;
        place_.thread = block_->thread(late->thread).index;
        place_.line = late->copy.line;
        check({"the block ends before anybody has waited for this copy to shared memory", Cause::BulkCopy});
    }

    /// Whether bytes lie in the running block's shared memory.
    bool in_shared(const void* place, size_t bytes) const {
        auto lies_in = [&](const char* begin, size_t size) {
            const size_t at = static_cast<size_t>(static_cast<const char*>(place) - begin);
            return at < size && size - at >= bytes;
        };
        return lies_in(grid_.module->shared_begin, shared_bytes_) ||
               lies_in(place_.dynamic_shared, grid_.dynamic_shared);
    }

    /// Notes a copy. Until somebody has waited for it, the target holds nothing that may be read.
    PendingCopy begin_copy(void* to, const void* from, unsigned bytes, unsigned read, const PendingCopies& copies) {
        if (checking()) {
            access(to, bytes, Access::Write);
            Cell* cells = shadow_of(reinterpret_cast<uintptr_t>(to), bytes);
            if (cells) std::fill(cells, cells + bytes, Cell{});
        }
        std::memset(to, kPoison, bytes);
        return {static_cast<char*>(to), static_cast<const char*>(from), bytes, read, copies.group, place_.line};
    }

    /// Makes a copy, as an access of the thread that has begun it.
    void end_copy(Thread& owner, const PendingCopy& copy) {
        Thread* self = thread_;
        const int line = place_.line;
        copying_ = true;
        thread_ = &owner;
        place_.thread = owner.index;
        place_.line = copy.line;
        if (checking() && copy.read) access(copy.from, copy.read, Access::Read);
        if (checking()) access(copy.to, copy.bytes, Access::Write);
        std::memset(copy.to, 0, copy.bytes);
        std::memcpy(copy.to, copy.from, copy.read);
        copying_ = false;
        thread_ = self;
        place_.thread = self->index;
        place_.line = line;
    }

    /// Makes the copies of all groups but the last ones.
    void end_copies(Thread& owner, PendingCopies& copies, unsigned groups) {
        std::vector<PendingCopy> left;
        for (const PendingCopy& copy : copies.copies) {
            if (copy.group + groups >= copies.group)
                left.push_back(copy);
            else
                end_copy(owner, copy);
        }
        copies.copies = std::move(left);
    }

    void make_barrier(void* place, unsigned long long arrivals) {
        if (!in_shared(place, sizeof(uint64_t)))
            give_up(CUDA_ERROR_INVALID_ADDRESS_SPACE, "a barrier in memory that is not the block's shared memory");
        if (checking()) access(place, sizeof(uint64_t), Access::Write);
        MemoryBarrier& b = block_->memory_barriers[place] = {};
        b.line = place_.line;
        check(b.init(arrivals));
        keep(b, place);
    }

    /// The barrier at an address, which the thread accesses.
    MemoryBarrier& barrier_at(void* place, Access kind) {
        auto found = block_->memory_barriers.find(place);
        if (found == block_->memory_barriers.end())
            check({"there is no barrier in this memory: mbarrier.init makes one in the block's shared memory",
                   Cause::MemoryBarrier});
        if (checking()) access(place, sizeof(uint64_t), kind);
        uint64_t word;
        std::memcpy(&word, place, sizeof word);
        if (word != found->second.word())
            check({"the memory of a barrier was written by something else", Cause::MemoryBarrier});
        return found->second;
    }

    static void keep(const MemoryBarrier& b, void* place) {
        const uint64_t word = b.word();
        std::memcpy(place, &word, sizeof word);
    }

    Fault change(MemoryBarrier& b, BarrierStep step, unsigned long long number, long long bytes, unsigned flags) {
        if (step == BarrierStep::Expect) return b.expect(bytes);
        if (step == BarrierStep::Complete) return b.complete(bytes);
        if (step == BarrierStep::ArriveAfterCopies) {
            Fault wrong = flags & CUDASIM_NO_INCREASE ? Fault{} : b.expect_arrival();
            PendingCopy none{};
            none.line = place_.line;
            b.deliveries.push_back({thread_->number, none, ++thread_->copies.group});
            return wrong;
        }
        if (step == BarrierStep::Drop)
            if (Fault wrong = b.drop(number)) return wrong;
        if (Fault wrong = b.expect(bytes)) return wrong;
        if (checking() && flags & CUDASIM_ORDERS) KernelOrder::arrive(block_->time, thread_->number, b.arriving);
        return b.arrive(number, !(flags & CUDASIM_NO_COMPLETE));
    }

    /// Whether the phase has ended that a thread asks for; if not, others run first.
    bool has_ended(MemoryBarrier& b, void* place, BarrierStep step, unsigned long long number, bool orders) {
        bool ended = false;
        auto ask = [&] {
            if (step == BarrierStep::TestParity)
                ended = b.has_ended_of_parity(number);
            else
                check(b.has_ended(number, ended));
        };
        ask();
        if (!ended) {
            deliver(b);
            keep(b, place);
            ask();
        }
        if (ended) {
            spins_ = 0;
            if (checking() && orders) KernelOrder::learn_from(block_->time, thread_->number, b.arrived);
        } else {
            yield();
        }
        return ended;
    }

    /// Has some of the copies come that a barrier waits for.
    void deliver(MemoryBarrier& b) {
        for (size_t i = 0; i < b.deliveries.size();) {
            if (random_.chance(2)) {
                ++i;
                continue;
            }
            const Delivery d = b.deliveries[i];
            b.deliveries.erase(b.deliveries.begin() + static_cast<long>(i));
            Thread& owner = block_->thread(d.thread);
            if (d.groups > 0)
                end_copies(owner, owner.copies, owner.copies.group - d.groups);
            else
                end_copy(owner, d.copy);
            if (checking()) KernelOrder::arrive(block_->time, d.thread, b.arriving);
            place_.line = d.copy.line;
            check(d.groups > 0 ? b.arrive(1) : b.complete(d.copy.bytes));
        }
    }

    [[noreturn]] void give_up_late() {
        thread_->line = place_.line;
        give_up(CUDA_ERROR_LAUNCH_TIMEOUT,
                format("the kernel has run for more than %g s, the limit that --seconds sets: ", settings().seconds) +
                    stalled());
    }

    /// A deadlock is reported for a thread that waits, not for the one that ran last.
    void place_at_waiting_thread() {
        for (const auto& block : resident_)
            if (const Thread* thread = block->waiting_thread()) {
                place_.block = block->index;
                place_.thread = thread->index;
                place_.line = thread->line;
                return;
            }
    }

    /// What an endless wait is due to: a barrier in memory, if one lacks something.
    Cause endless() const {
        for (const auto& block : resident_)
            for (const auto& [place, barrier] : block->memory_barriers)
                if (barrier.lacks_something()) return Cause::EndlessAtBarrier;
        return Cause::Endless;
    }

    /// Where the resident blocks are.
    std::string stalled() const {
        std::string text;
        for (const auto& block : resident_) text += (text.empty() ? "" : "; ") + block->stalled(*grid_.module);
        return text;
    }

    /// A finding at the place of the running thread.
    Finding here(const Fault& wrong) const {
        const auto& b = place_.block;
        const auto& t = place_.thread;
        Finding f;
        f.cause = wrong.cause;
        f.kernel = readable(grid_.kernel->name);
        f.block = b;
        f.thread = t;
        f.line = number_of(place_.line);
        f.file = file_of(*grid_.module, place_.line);
        std::string line = f.line > 0 ? ", " + line_name(*grid_.module, place_.line) : "";
        f.message = format("kernel %s, block (%u, %u, %u), thread (%u, %u, %u)", f.kernel.c_str(), b.x, b.y, b.z, t.x,
                           t.y, t.z) +
                    line + ": " + wrong.message;
        return f;
    }

    void fail(CUresult code, const Fault& wrong) {
        result_.code = code;
        result_.finding = here(wrong);
    }

    Cause cause_of(const Wrong& wrong) const {
        if (wrong.kind == Wrong::Kind::Uninitialised) return Cause::Uninitialised;
        if (wrong.other.work != current_work()) return Cause::RaceBetweenKernels;
        if (copying_ && wrong.other.block == block_->time.number) return Cause::RaceOfBulkCopy;
        const bool is_one_line = number_of(wrong.other.line) > 0 && wrong.other.line == place_.line;
        if (wrong.other.block == block_->time.number)
            return is_one_line ? Cause::RaceOfLineInBlock : Cause::RaceInBlock;
        return is_one_line ? Cause::RaceOfLineBetweenBlocks : Cause::RaceBetweenBlocks;
    }

    /// Reports a wrong access once for each pair of lines, of which either may come first; ends the kernel if that was
    /// the last finding.
    void found(const Wrong& wrong, uintptr_t at, unsigned bytes) {
        const Cause cause = cause_of(wrong);
        auto [low, high] = std::minmax(place_.line, wrong.other.line);
        if (!reported_.emplace(cause, low, wrong.other.work, high).second) return;
        std::string message = format("%u bytes at %s: %s", bytes, place_name(at).c_str(), message_of(wrong).c_str());
        OtherAccess other;
        if (wrong.kind == Wrong::Kind::Race) {
            other.work = work_name(wrong.other);
            other.is_write = wrong.other_is_write;
            other.has_thread = has_thread(wrong.other);
            other.block = wrong.other.block;
            other.thread = wrong.other.thread;
            // Lines of another kernel may be of another file.
            bool is_here = wrong.other.work == current_work();
            if (number_of(wrong.other.line) > 0)
                other.line = is_here ? line_name(*grid_.module, wrong.other.line)
                                     : format("line %d", number_of(wrong.other.line));
            if (!other.line.empty()) message += ", " + other.line;
        }
        if (is_last_finding()) {
            fail(CUDA_ERROR_LAUNCH_FAILED, {message, cause});
            result_.finding.bytes = bytes;
            result_.finding.other = other;
            abandon();
        }
        Finding finding = here({message, cause});
        finding.bytes = bytes;
        finding.other = other;
        report(finding);
    }

    /// The shadow of memory that a kernel accesses; null if none is kept. Ends the launch if it may not access
    /// it.
    Cell* shadow_of(uintptr_t at, unsigned bytes) {
        auto window = reinterpret_cast<uintptr_t>(grid_.module->shared_begin);
        auto dynamic = reinterpret_cast<uintptr_t>(place_.dynamic_shared);
        if (in_shared(reinterpret_cast<const void*>(at), bytes))
            return &block_->time.shared[at - window < shared_bytes_ ? at - window : shared_bytes_ + at - dynamic];
        if (at >= reinterpret_cast<uintptr_t>(grid_.module->image_begin) && at < window) return nullptr;
        if (at - reinterpret_cast<uintptr_t>(grid_.parameters) < grid_.kernel->parameter_bytes) return nullptr;
        CUdeviceptr address = at - static_cast<CUdeviceptr>(kViewOffset);
        if (address >= allowed_begin_ && address + bytes <= allowed_end_)
            return allowed_shadow_ ? shadow(offset_of(address)) : nullptr;
        if (!is_device_address(address)) {
            if (host_range_at(at)) return nullptr;
            give_up(CUDA_ERROR_ILLEGAL_ADDRESS,
                    {format("access of %u bytes to 0x%zx, which is no memory of the device", bytes, at),
                     Cause::HostMemory});
        }
        if (Fault wrong = why_unusable(*grid_.context, address, bytes)) give_up(CUDA_ERROR_ILLEGAL_ADDRESS, wrong);
        Allocation* allocation = allocation_at(address);
        allowed_begin_ = allocation->base;
        allowed_end_ = allocation->base + allocation->live_size;
        allowed_shadow_ = shadowed(allocation);
        return allowed_shadow_ ? shadow(offset_of(address)) : nullptr;
    }

    std::string place_name(uintptr_t at) const {
        CUdeviceptr address = at - static_cast<CUdeviceptr>(kViewOffset);
        return is_device_address(address) ? describe(address) : "shared memory";
    }

    void admit() {
        unsigned long long n = order_(admitted_++);
        auto& spare = spare_blocks();
        if (spare.empty()) spare.push_back(std::make_unique<Block>());
        auto block = std::move(spare.back());
        spare.pop_back();
        cudasim_extent at{static_cast<unsigned>(n % grid_.size.x),
                          static_cast<unsigned>(n / grid_.size.x % grid_.size.y),
                          static_cast<unsigned>(n / grid_.size.x / grid_.size.y)};
        Order threads(threads_, random_);
        block->start(at, grid_.size, grid_.block, static_cast<unsigned>(threads.first),
                     static_cast<unsigned>(threads.step), shared_bytes_, grid_.dynamic_shared);
        resident_.push_back(std::move(block));
    }

    void retire() {
        for (size_t i = 0; i < resident_.size();) {
            Block& block = *resident_[i];
            if (!block.finished()) {
                ++i;
                continue;
            }
            if (!block.dynamic_guard_intact() && result_.code == CUDA_SUCCESS)
                fail(CUDA_ERROR_ILLEGAL_ADDRESS, {"a write past the end of dynamic shared memory", Cause::OutOfBounds});
            if (block_ == &block) block_ = nullptr;
            spare_blocks().push_back(std::move(resident_[i]));
            resident_.erase(resident_.begin() + static_cast<long>(i));
        }
    }

    /// Makes a block the running one: its shared memory is moved to the address that the kernel's code uses.
    void enter(Block& block) {
        if (block_ == &block) return;
        char* window = grid_.module->shared_begin;
        if (block_ && shared_bytes_) std::memcpy(block_->static_shared.data(), window, shared_bytes_);
        if (shared_bytes_) std::memcpy(window, block.static_shared.data(), shared_bytes_);
        block_ = &block;
        place_.block = block.index;
        place_.dynamic_shared = block.dynamic_shared.data();
    }

    Block* choose_block() {
        if (block_ && block_->runnable() && !random_.chance(8)) return block_;
        size_t n = resident_.size(), start = n > 1 ? random_.below(static_cast<uint32_t>(n)) : 0;
        for (size_t i = 0; i < n; ++i) {
            Block* block = resident_[(start + i) % n].get();
            if (block->runnable()) return block;
        }
        return nullptr;
    }

    /// The next fiber, made the current one; null if none can run.
    Fiber* choose() {
        Block* block = choose_block();
        if (!block) return nullptr;
        enter(*block);
        bool start_new = block->unstarted() > 0 && (block->ready() == 0 || random_.chance(2));
        if (start_new) {
            fiber_ = fibers().take();
        } else {
            thread_ = &block->take_ready(random_.below(static_cast<uint32_t>(block->ready())));
            place_.thread = thread_->index;
            place_.line = thread_->line;
            fiber_ = thread_->fiber;
        }
        return fiber_;
    }

    /// Leaves the running fiber for the next one. Returns when this fiber is chosen again.
    void leave() {
        thread_->line = place_.line;
        Fiber* self = fiber_;
        switch_from(self, choose());
    }

    // No member may be accessed after the switch: an idle fiber resumes in another launch.
    void switch_from(Fiber* self, Fiber* next) {
        if (next == self) return;
        cudasim_switch_stacks(&self->stack_pointer, next ? next->stack_pointer : main_stack_);
    }

    Grid grid_;
    const bool suppressed_;
    /// A copy that somebody has waited for is being made.
    bool copying_ = false;
    /// Set by a signal handler.
    volatile bool is_late_ = false;
    /// What has been reported: kind, the other work, and both lines.
    std::set<std::tuple<Cause, int, uint32_t, int>> reported_;
    Random random_;
    Order order_;
    cudasim_place& place_;
    unsigned threads_ = 0;
    unsigned long long residency_ = 1;
    /// The size of the workspace and the word that blocks of a cooperative launch count in.
    unsigned workspace_[2] = {sizeof workspace_, 0};
    size_t shared_bytes_ = 0;
    unsigned long long admitted_ = 0;
    unsigned long spins_ = 0;
    KernelOrder order_between_blocks_;
    /// Device addresses of the allocation that was accessed last.
    CUdeviceptr allowed_begin_ = 0, allowed_end_ = 0;
    /// Memory that this kernel has freed.
    std::vector<Allocation*> freed_;
    bool allowed_shadow_ = false;
    void* main_stack_ = nullptr;
    Fiber* fiber_ = nullptr;
    Thread* thread_ = nullptr;
    Block* block_ = nullptr;
    std::vector<std::unique_ptr<Block>> resident_;
    GridResult result_;
};

/// The execution that the driver's lock holder is running.
Execution* running = nullptr;
/// True while the calling thread is inside a kernel; read by the signal handlers.
__attribute__((tls_model("initial-exec"))) thread_local bool inside_kernel = false;

void fiber_body() {
    for (;;) running->run_new_threads();
}

const cudasim_runtime kRuntime = {
    [](unsigned number, unsigned threads, bool waits, int line) { running->barrier(number, threads, waits, line); },
    [](unsigned mask, int kind, const void* value, unsigned bytes) {
        return running->exchange(mask, kind, value, bytes);
    },
    [] { running->yield(); },
    [](int code, const char* message) { running->give_up(static_cast<CUresult>(code), message); },
    [](const void* place, unsigned bytes, int kind) { running->access(place, bytes, static_cast<Access>(kind)); },
    [] { running->fence(); },
    [](void* to, const void* from, unsigned bytes, unsigned read) { running->copy_async(to, from, bytes, read); },
    [] { running->commit_copies(); },
    [](unsigned groups) { running->wait_for_copies(groups); },
    [](void* to, const void* from, unsigned bytes, void* barrier) { running->copy_bulk(to, from, bytes, barrier); },
    [] { running->commit_bulk_copies(); },
    [](unsigned groups) { running->wait_for_bulk_copies(groups); },
    [](int step, void* place, unsigned long long number, long long bytes, unsigned flags) {
        return running->memory_barrier(static_cast<BarrierStep>(step), place, number, bytes, flags);
    },
    [](const char* pattern, const char* arguments) { return print(pattern, arguments); },
    [](const char* text, const char* file, unsigned line, const char* function) {
        running->give_up(CUDA_ERROR_ASSERT,
                         format("assertion %s failed, in %s, line %u of %s", text, function, line, file));
    },
    [](unsigned long bytes) { return running->allocate(bytes); },
    [](void* place) { running->release(place); },
};

}  // namespace

const cudasim_runtime* simt_runtime() { return &kRuntime; }

void end_kernel(int signal, const void* address) {
    if (!inside_kernel) return;
    if (signal == SIGFPE)
        running->give_up(CUDA_ERROR_LAUNCH_FAILED, "integer division by zero or overflow, undefined on a GPU");
    if (signal == SIGILL)
        running->give_up(CUDA_ERROR_MISALIGNED_ADDRESS,
                         "access to an address that is no multiple of the type's alignment");
    if (running->fiber()->overflowed_at(address))
        running->give_up(CUDA_ERROR_HARDWARE_STACK_ERROR, "the thread's stack overflowed");
    auto at = reinterpret_cast<CUdeviceptr>(address);
    const char* hint = is_device_address(at) ? ", a device address that was not among the kernel's parameters" : "";
    running->give_up(CUDA_ERROR_ILLEGAL_ADDRESS, format("access to 0x%llx%s", at, hint));
}

void end_late_kernel(const void* instruction) {
    if (inside_kernel) running->end_late(instruction);
}

GridResult run_grid(const Grid& grid) {
    provide_signal_stack();
    Execution execution(grid);
    *grid.module->runtime = &kRuntime;
    running = &execution;
    inside_kernel = true;
    watch_kernel();
    GridResult result = execution.run();
    inside_kernel = false;
    unwatch_kernel();
    running = nullptr;
    return result;
}

}  // namespace cudasim
