#include <nanobind/stl/vector.h>

#include <system_error>
#include <thread>

#include "../numbers/arithmetic.hpp"
#include "../numbers/shard_mean.hpp"
#include "arrays.hpp"
#include "blocks.hpp"
#include "unlocked.hpp"

namespace novikoff {
namespace {

using Floats = std::vector<Vector<double>>;
using Slots = std::vector<Vector<std::int64_t>>;

bool ascend_within(const Vector<std::int64_t>& slots, std::size_t size) {
    std::int64_t last = 0;
    for (std::size_t k = 0; k < slots.size(); ++k) {
        if (slots(k) < last || static_cast<std::size_t>(slots(k)) >= size) return false;
        last = slots(k);
    }
    return true;
}

constexpr std::size_t kWorthwhile = std::size_t{1} << 17;  // weights of a thread
constexpr std::size_t kMostThreads = 8;

// A weight's mean depends on nothing else, so that threads change no bit.
std::vector<std::int64_t> in_threads(const std::vector<ShardWeights>& shards, double* mean,
                                     bool* rounded, std::size_t size) {
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t count =
        std::clamp<std::size_t>(size / kWorthwhile, 1, std::min(cores, kMostThreads));
    std::vector<std::vector<std::int64_t>> found(count);
    const auto part = [&](std::size_t k) {
        IeeeArithmetic ieee;
        found[k] = ShardMean(shards).write(mean, rounded, k * size / count, (k + 1) * size / count);
    };
    std::vector<std::thread> threads;
    threads.reserve(count);
    for (std::size_t k = 1; k < count; ++k) try {
            threads.emplace_back(part, k);
        } catch (const std::system_error&) {  // no more threads
            part(k);
        }
    part(0);
    for (std::thread& thread : threads) thread.join();
    for (std::size_t k = 1; k < count; ++k)
        found[0].insert(found[0].end(), found[k].begin(), found[k].end());
    return std::move(found[0]);
}

nb::tuple shard_mean(const Floats& weights, const Slots& slots, const Floats& parts) {
    if (weights.empty() || slots.size() != weights.size() || parts.size() != weights.size() ||
        weights.size() > (std::size_t{1} << 24))
        throw nb::value_error("weights, slots and parts of every shard");
    std::vector<ShardWeights> shards;
    std::size_t size = 0;
    for (std::size_t p = 0; p < weights.size(); ++p) {
        if (slots[p].size() != parts[p].size() || !ascend_within(slots[p], weights[p].size()))
            throw nb::value_error("slots that ascend, and a part for each");
        shards.push_back({{weights[p].data(), weights[p].size()},
                          {slots[p].data(), slots[p].size()},
                          {parts[p].data(), parts[p].size()}});
        size = std::max(size, weights[p].size());
    }
    auto mean = new_vector<double>(size);
    auto rounded = new_vector<bool>(size);
    std::vector<std::int64_t> doubtful;
    {
        const Unlocked unlocked;
        doubtful = in_threads(shards, mean.data(), rounded.data(), size);
    }
    return nb::make_tuple(mean, rounded, to_numpy(doubtful));
}

}  // namespace

void bind_shard_means(nb::module_& m) {
    m.def("shard_mean", &shard_mean, nb::arg("weights"), nb::arg("slots"), nb::arg("parts"),
          "(The mean of the shards' weights, each rounded once; whether it was rounded; the slots "
          "whose mean is in doubt, which is still to be found).");
}

}  // namespace novikoff
