// Chunks of a file in order, parsed by several threads.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "../numbers/arithmetic.hpp"
#include "chunk.hpp"
#include "source.hpp"

namespace novikoff::text {

using Parse = std::function<void(std::string_view, Chunk&)>;

// Unused chunks keep their memory.
class Pool {
  public:
    // Returns to the pool as soon as nobody holds it.
    static std::shared_ptr<Chunk> take(const std::shared_ptr<Pool>& pool) {
        std::unique_ptr<Chunk> chunk;
        {
            const std::lock_guard lock(pool->mutex_);
            if (!pool->idle_.empty()) {
                chunk = std::move(pool->idle_.back());
                pool->idle_.pop_back();
            }
        }
        if (!chunk) chunk = std::make_unique<Chunk>();
        chunk->clear();
        return {chunk.release(), [pool](Chunk* used) { pool->give(used); }};
    }

  private:
    static constexpr std::size_t kMost = 16, kLargest = 8 * kChunk;

    void give(Chunk* used) {
        std::unique_ptr<Chunk> chunk(used);
        const std::lock_guard lock(mutex_);
        if (idle_.size() < kMost && chunk->values.capacity() * sizeof(double) < kLargest)
            idle_.push_back(std::move(chunk));
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<Chunk>> idle_;
};

// Every thread reads lines, takes a ticket and parses; chunks leave in the order of tickets, so the
// number of threads changes nothing. Whoever asks for chunks of a file is one of the threads, and
// parses while the next chunk is not there. Of a pipe, which may be slow, it only takes them.
class Reader {
  public:
    Reader(int descriptor, const std::string& head, Cuts cuts, Parse parse, unsigned threads)
        : parse_(std::move(parse)),
          lines_(descriptor, head, cuts, stopped_),
          helps_(threads > 1 && lines_.is_regular()),
          ring_(threads + 2) {
        for (unsigned k = helps_; k < threads; ++k) threads_.emplace_back([this] { work(); });
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    ~Reader() { stop(); }

    // Whoever owns the descriptor may close it then: nobody reads it any more.
    void stop() {
        {
            const std::lock_guard lock(mutex_);
            stopped_ = true;
            changed_.notify_all();
        }
        for (std::thread& thread : threads_)
            if (thread.joinable()) thread.join();
    }

    // The next chunk; null at the end. Waits at most this many seconds: was that enough?
    bool next(std::shared_ptr<Chunk>& chunk, double seconds) {
        if (threads_.empty()) {
            chunk = parsed_next();
            return true;
        }
        Slot& slot = ring_[taken_ % ring_.size()];
        const auto there = [&] { return slot.full || taken_ == last_ || stopped_; };
        const auto is_there = [&] {
            const std::lock_guard lock(mutex_);
            return there();
        };
        while (helps_ && !is_there() && parse_one(buffer_, Patience::kNone)) continue;
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, std::chrono::duration<double>(seconds), there)) return false;
        chunk = nullptr;
        if (slot.full) {
            chunk = std::move(slot.chunk);
            const std::exception_ptr failure = slot.failure;
            slot = {};
            ++taken_;
            changed_.notify_all();
            if (failure) std::rethrow_exception(failure);
        }
        return true;
    }

    std::size_t bytes_read() const { return lines_.read(); }

  private:
    struct Slot {
        std::shared_ptr<Chunk> chunk;
        std::exception_ptr failure;
        bool full = false;
    };

    std::shared_ptr<Chunk> parsed_next() {
        if (!lines_.next(buffer_)) return nullptr;
        const IeeeArithmetic ieee;
        auto chunk = Pool::take(pool_);
        parse_({buffer_.data(), buffer_.size()}, *chunk);
        return chunk;
    }

    enum class Patience { kNone, kWaits };  // until somebody else has read, and there is room

    // Reads the next lines in the order of tickets; are there any?
    bool begin(Patience patience, Unset<char>& buffer, std::size_t& ticket,
               std::exception_ptr& failure) {
        std::unique_lock alone(reading_, std::defer_lock);
        if (patience == Patience::kWaits)
            alone.lock();
        else if (!alone.try_lock())
            return false;
        {
            std::unique_lock lock(mutex_);
            const auto has_room = [&] { return issued_ < taken_ + ring_.size() || stopped_; };
            if (patience == Patience::kNone && !has_room()) return false;
            changed_.wait(lock, has_room);
            if (stopped_ || issued_ == last_) return false;
        }
        bool more = true;
        try {
            more = lines_.next(buffer);
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        ticket = issued_;
        if (more) ++issued_;
        if (!more || failure) last_ = issued_;
        changed_.notify_all();
        return more && !stopped_;
    }

    // Parses one chunk; false if there is none for now, or ever.
    bool parse_one(Unset<char>& buffer, Patience patience) {
        const IeeeArithmetic ieee;  // a thread begins with the arithmetic of the one that made it
        std::size_t ticket = 0;
        std::exception_ptr failure;
        if (!begin(patience, buffer, ticket, failure)) return false;
        std::shared_ptr<Chunk> chunk;
        if (!failure) {
            try {
                chunk = Pool::take(pool_);
                parse_({buffer.data(), buffer.size()}, *chunk);
            } catch (...) {
                failure = std::current_exception();
            }
        }
        const std::lock_guard lock(mutex_);
        ring_[ticket % ring_.size()] = {std::move(chunk), failure, true};
        changed_.notify_all();
        return !failure;
    }

    void work() {
        Unset<char> buffer;
        while (parse_one(buffer, Patience::kWaits)) continue;
    }

    Parse parse_;
    std::atomic<bool> stopped_ = false;
    Source lines_;
    const bool helps_;  // does whoever asks for chunks parse some?
    Unset<char> buffer_;
    std::shared_ptr<Pool> pool_ = std::make_shared<Pool>();
    std::mutex reading_, mutex_;
    std::condition_variable changed_;
    std::vector<Slot> ring_;
    std::size_t issued_ = 0, taken_ = 0, last_ = SIZE_MAX;
    std::vector<std::thread> threads_;  // last: they use all the rest
};

}  // namespace novikoff::text
