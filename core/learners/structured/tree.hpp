// Projective trees with one root: score(x, z) = Σ_m score(z_m → m), the best by Eisner's algorithm
// (eisner1996), in whole numbers. Among equal splits the first wins, and among equal roots the
// first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace novikoff {

// Tokens 1 … n as the numbers of their word and their tag; 0 and n + 1 are the sentence's ends, and
// token 0 is also the head of the root.
struct ParsedSentence {
    std::vector<std::uint32_t> words, tags;
    std::vector<std::int32_t> heads;  // of tokens 1 … n, at 0 … n − 1

    std::size_t size() const { return words.size() - 2; }
};

inline constexpr std::uint32_t kUnknownToken = 0, kSentenceEnd = 1, kFirstToken = 2;
inline constexpr std::uint32_t kMostWords = 1U << 20, kMostTags = 1U << 6;

// A feature of an arc is 64 bits: its template, its direction and distance, and up to two words and
// two tags, or four tags. f(feature) for every feature of the arc h → m (mcdonald2005, Table 1).
template <class F>
void for_each_arc_feature(const ParsedSentence& x, std::size_t h, std::size_t m, F&& f) {
    const std::uint64_t hw = x.words[h], mw = x.words[m], hp = x.tags[h], mp = x.tags[m];
    const bool right = h < m;
    const std::size_t low = right ? h : m, high = right ? m : h, distance = high - low;
    const std::uint64_t bucket = distance < 6 ? distance - 1 : distance < 11 ? 5 : 6;
    const std::uint64_t direction = right ? 7 : 15, place = (right ? 0 : 8) + bucket;
    const auto at = [](std::uint64_t name, std::uint64_t where, std::uint64_t values) {
        return name << 58 | where << 54 | values;
    };
    std::uint64_t name = 1;
    const auto both = [&](std::uint64_t values) {
        f(at(name, direction, values));
        f(at(name, place, values));
        ++name;
    };
    const auto pack = [](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
        return a << 32 | b << 26 | c << 6 | d;
    };
    both(pack(hw, hp, 0, 0)), both(pack(hw, 0, 0, 0)), both(pack(0, hp, 0, 0));
    both(pack(0, 0, mw, mp)), both(pack(0, 0, mw, 0)), both(pack(0, 0, 0, mp));
    both(pack(hw, hp, mw, mp)), both(pack(0, hp, mw, mp)), both(pack(hw, 0, mw, mp));
    both(pack(hw, hp, 0, mp)), both(pack(hw, hp, mw, 0)), both(pack(hw, 0, mw, 0));
    both(pack(0, hp, 0, mp));
    const auto tags = [](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
        return a << 18 | b << 12 | c << 6 | d;
    };
    const std::uint64_t h_next = h == 0 ? kSentenceEnd : x.tags[h + 1], m_next = x.tags[m + 1];
    const std::uint64_t h_last = h == 0 ? kSentenceEnd : x.tags[h - 1], m_last = x.tags[m - 1];
    both(tags(hp, h_next, m_last, mp)), both(tags(h_last, hp, m_last, mp));
    both(tags(hp, h_next, mp, m_next)), both(tags(h_last, hp, mp, m_next));
    std::uint64_t seen = 0;  // every tag between counts once
    for (std::size_t b = low + 1; b < high; ++b) {
        const std::uint64_t bit = std::uint64_t{1} << x.tags[b];
        if ((seen & bit) == 0) f(at(name, direction, tags(0, hp, x.tags[b], mp)));
        seen |= bit;
    }
}

// Weights by feature; untouched ones are 0 and take no room. No feature is numbered 0.
template <class W>
class ArcWeights {
  public:
    std::size_t size() const { return size_; }
    const std::vector<std::uint64_t>& keys() const { return keys_; }
    const std::vector<W>& values() const { return values_; }

    W operator[](std::uint64_t key) const {
        if (keys_.empty()) return 0;
        std::size_t at = place(key);
        while (keys_[at] != key && keys_[at] != 0) at = (at + 1) & (keys_.size() - 1);
        return keys_[at] == key ? values_[at] : 0;
    }

    W& at(std::uint64_t key) {
        if (2 * (size_ + 1) > keys_.size()) grow();
        std::size_t at = place(key);
        while (keys_[at] != key && keys_[at] != 0) at = (at + 1) & (keys_.size() - 1);
        size_ += keys_[at] == 0;
        keys_[at] = key;
        return values_[at];
    }

  private:
    std::size_t place(std::uint64_t key) const {
        return (key * 0x9e3779b97f4a7c15U >> 20) & (keys_.size() - 1);
    }

    void grow() {
        std::vector<std::uint64_t> keys(std::max<std::size_t>(1024, 2 * keys_.size()));
        std::vector<W> values(keys.size());
        keys.swap(keys_), values.swap(values_);
        size_ = 0;
        for (std::size_t k = 0; k < keys.size(); ++k)
            if (keys[k] != 0) at(keys[k]) = values[k];
    }

    std::vector<std::uint64_t> keys_;
    std::vector<W> values_;
    std::size_t size_ = 0;
};

inline constexpr std::int64_t kForbidden = -(std::int64_t{1} << 50);

class Eisner {
  public:
    // score(h → m) at [h · (n + 1) + m].
    template <class W>
    void score(const ArcWeights<W>& w, const ParsedSentence& x) {
        n_ = x.size();
        scores.assign((n_ + 1) * (n_ + 1), 0);
        for (std::size_t h = 0; h <= n_; ++h)
            for (std::size_t m = 1; m <= n_; ++m) {
                if (h == m) continue;
                std::int64_t& sum = arc(h, m);
                for_each_arc_feature(x, h, m, [&](std::uint64_t key) { sum += w[key]; });
            }
    }

    std::int64_t& arc(std::size_t h, std::size_t m) { return scores[h * (n_ + 1) + m]; }

    // The best tree's score, and its heads.
    std::int64_t find(std::vector<std::int32_t>& heads) {
        heads.assign(n_, 0);
        if (n_ == 0) return 0;
        for (auto* table : {&open_, &closed_}) table->assign(2 * (n_ + 1) * (n_ + 1), {0, 0});
        for (std::size_t k = 1; k < n_; ++k)
            for (std::size_t s = 1; s + k <= n_; ++s) span(s, s + k);
        std::int64_t best = std::numeric_limits<std::int64_t>::min();
        std::size_t root = 0;
        for (std::size_t r = 1; r <= n_; ++r) {
            const std::int64_t sum =
                closed(1, r, false).score + closed(r, n_, true).score + arc(0, r);
            if (sum > best) best = sum, root = r;
        }
        follow_closed(1, root, false, heads);
        follow_closed(root, n_, true, heads);
        return best;
    }

    std::vector<std::int64_t> scores;

  private:
    struct Cell {
        std::int64_t score;
        std::size_t split;
    };

    Cell& open(std::size_t s, std::size_t t, bool right) {
        return open_[2 * (s * (n_ + 1) + t) + right];
    }
    Cell& closed(std::size_t s, std::size_t t, bool right) {
        return closed_[2 * (s * (n_ + 1) + t) + right];
    }

    template <class Value>
    static Cell most(std::size_t from, std::size_t to, Value&& value) {
        Cell best{value(from), from};
        for (std::size_t r = from + 1; r < to; ++r)
            if (const std::int64_t v = value(r); v > best.score) best = {v, r};
        return best;
    }

    // Open: an arc between s and t. Closed: everything below the head, which is s if right.
    void span(std::size_t s, std::size_t t) {
        const Cell joint = most(s, t, [&](std::size_t r) {
            return closed(s, r, true).score + closed(r + 1, t, false).score;
        });
        open(s, t, false) = {joint.score + arc(t, s), joint.split};
        open(s, t, true) = {joint.score + arc(s, t), joint.split};
        closed(s, t, false) = most(s, t, [&](std::size_t r) {
            return closed(s, r, false).score + open(r, t, false).score;
        });
        closed(s, t, true) = most(s + 1, t + 1, [&](std::size_t r) {
            return open(s, r, true).score + closed(r, t, true).score;
        });
    }

    void follow_open(std::size_t s, std::size_t t, bool right, std::vector<std::int32_t>& heads) {
        heads[(right ? t : s) - 1] = static_cast<std::int32_t>(right ? s : t);
        const std::size_t r = open(s, t, right).split;
        follow_closed(s, r, true, heads);
        follow_closed(r + 1, t, false, heads);
    }

    void follow_closed(std::size_t s, std::size_t t, bool right, std::vector<std::int32_t>& heads) {
        if (s == t) return;
        const std::size_t r = closed(s, t, right).split;
        if (right) {
            follow_open(s, r, true, heads);
            follow_closed(r, t, true, heads);
        } else {
            follow_closed(s, r, false, heads);
            follow_open(r, t, false, heads);
        }
    }

    std::size_t n_ = 0;
    std::vector<Cell> open_, closed_;
};

}  // namespace novikoff
