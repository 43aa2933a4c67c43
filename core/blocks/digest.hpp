// SHA-256 whose unfinished state can be saved, so that a run goes on digesting where a model left
// it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace novikoff {

class Digest {
  public:
    static constexpr std::size_t kBlock = 64;

    // Without the instructions of the CPU it is the same, and slower.
    explicit Digest(bool native = true) : native_(native) {}

    void update(std::span<const unsigned char> bytes) {
        const std::size_t held = length_ % kBlock;
        length_ += bytes.size();
        if (held != 0) {
            const std::size_t taken = std::min(kBlock - held, bytes.size());
            std::memcpy(rest_.data() + held, bytes.data(), taken);
            bytes = bytes.subspan(taken);
            if (held + taken < kBlock) return;
            compress(rest_.data(), 1);
        }
        const std::size_t whole = bytes.size() / kBlock;
        compress(bytes.data(), whole);
        bytes = bytes.subspan(whole * kBlock);
        std::copy(bytes.begin(), bytes.end(), rest_.begin());
    }

    std::string hexdigest() const {
        Digest last = *this;
        std::array<unsigned char, kBlock + 8> end{0x80};
        const std::size_t zeros = (2 * kBlock - 9 - length_ % kBlock) % kBlock;
        for (std::size_t k = 0; k < 8; ++k)
            end[1 + zeros + k] = static_cast<unsigned char>(length_ * 8 >> (56 - 8 * k));
        last.update(std::span(end).first(zeros + 9));
        return hex(last.words());
    }

    // The eight words, the length and the bytes that no block has yet, all big-endian, in hex.
    std::string state() const {
        std::string found = words();
        for (std::size_t k = 0; k < 8; ++k)
            found.push_back(static_cast<char>(length_ >> (56 - 8 * k)));
        found.append(reinterpret_cast<const char*>(rest_.data()), length_ % kBlock);
        return hex(found);
    }

    // False if no digest has this state.
    bool restore(const std::string& text) {
        std::string bytes;
        if (!unhex(text, bytes) || bytes.size() < 40) return false;
        Digest found;
        for (std::size_t k = 0; k < 8; ++k) found.words_[k] = big_endian(bytes.data() + 4 * k);
        found.length_ = std::uint64_t{big_endian(bytes.data() + 32)} << 32;
        found.length_ |= big_endian(bytes.data() + 36);
        if (bytes.size() != 40 + found.length_ % kBlock) return false;
        std::memcpy(found.rest_.data(), bytes.data() + 40, bytes.size() - 40);
        *this = found;
        return true;
    }

  private:
    using Words = std::array<std::uint32_t, 8>;
    static constexpr std::array<std::uint32_t, 64> kRounds{
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};

    static std::uint32_t big_endian(const void* bytes) {
        unsigned char b[4];
        std::memcpy(b, bytes, 4);
        return std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 |
               b[3];
    }

    std::string words() const {
        std::string found;
        for (const std::uint32_t word : words_)
            for (int shift = 24; shift >= 0; shift -= 8)
                found.push_back(static_cast<char>(word >> shift));
        return found;
    }

    static std::string hex(const std::string& bytes) {
        constexpr const char* digits = "0123456789abcdef";
        std::string found;
        for (const char c : bytes) {
            const auto byte = static_cast<unsigned char>(c);
            found.push_back(digits[byte >> 4]);
            found.push_back(digits[byte & 15]);
        }
        return found;
    }

    static bool unhex(const std::string& text, std::string& bytes) {
        if (text.size() % 2 != 0) return false;
        for (std::size_t k = 0; k < text.size(); k += 2) {
            int byte = 0;
            for (const char c : {text[k], text[k + 1]}) {
                const bool digit = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'f';
                if (!digit && !letter) return false;
                byte = byte << 4 | (digit ? c - '0' : c - 'a' + 10);
            }
            bytes.push_back(static_cast<char>(byte));
        }
        return true;
    }

    void compress(const unsigned char* blocks, std::size_t count) {
#if defined(__x86_64__)
        static const bool able = has_instructions();
        if (native_ && able) return compress_natively(words_, blocks, count);
#endif
        for (; count > 0; --count, blocks += kBlock) compress_plainly(words_, blocks);
    }

    static void compress_plainly(Words& h, const unsigned char* block) {
        std::array<std::uint32_t, 64> w;
        for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
        for (std::size_t t = 16; t < 64; ++t) {
            const std::uint32_t a = w[t - 15], b = w[t - 2];
            w[t] = w[t - 16] + w[t - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
                   (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
        }
        Words v = h;
        for (std::size_t t = 0; t < 64; ++t) {
            const std::uint32_t a = v[0], e = v[4];
            const std::uint32_t first = v[7] +
                                        (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                        ((e & v[5]) ^ (~e & v[6])) + kRounds[t] + w[t];
            const std::uint32_t second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) +
                                         ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
            v = {first + second, v[0], v[1], v[2], v[3] + first, v[4], v[5], v[6]};
        }
        for (std::size_t k = 0; k < 8; ++k) h[k] += v[k];
    }

#if defined(__x86_64__)
    static bool has_instructions() {
        unsigned a = 0, b = 0, c = 0, d = 0;
        if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1) || !(c & bit_SSSE3)) return false;
        return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
    }

    // The words in the order of the instructions: two halves, (A, B, E, F) and (C, D, G, H).
    __attribute__((target("sha,sse4.1,ssse3"))) static void compress_natively(
        Words& h, const unsigned char* blocks, std::size_t count) {
        const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
        auto* place = reinterpret_cast<__m128i*>(h.data());
        const __m128i low = _mm_shuffle_epi32(_mm_loadu_si128(place), 0xb1);
        const __m128i high = _mm_shuffle_epi32(_mm_loadu_si128(place + 1), 0x1b);
        __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
        for (; count > 0; --count, blocks += kBlock) {
            const __m128i abef_before = abef, cdgh_before = cdgh;
            __m128i w[4];
            for (int k = 0; k < 16; ++k) {
                __m128i& next = w[k % 4];
                if (k < 4) {
                    const auto* from = reinterpret_cast<const __m128i*>(blocks) + k;
                    next = _mm_shuffle_epi8(_mm_loadu_si128(from), order);
                } else {
                    const __m128i seventh = _mm_alignr_epi8(w[(k + 3) % 4], w[(k + 2) % 4], 4);
                    const __m128i sum =
                        _mm_add_epi32(_mm_sha256msg1_epu32(next, w[(k + 1) % 4]), seventh);
                    next = _mm_sha256msg2_epu32(sum, w[(k + 3) % 4]);
                }
                const auto* rounds = reinterpret_cast<const __m128i*>(kRounds.data()) + k;
                const __m128i fed = _mm_add_epi32(next, _mm_loadu_si128(rounds));
                cdgh = _mm_sha256rnds2_epu32(cdgh, abef, fed);
                abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(fed, 0x0e));
            }
            abef = _mm_add_epi32(abef, abef_before);
            cdgh = _mm_add_epi32(cdgh, cdgh_before);
        }
        const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
        _mm_storeu_si128(place, _mm_blend_epi16(feba, dchg, 0xf0));
        _mm_storeu_si128(place + 1, _mm_alignr_epi8(dchg, feba, 8));
    }
#endif

    Words words_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    [[maybe_unused]] bool native_;
    std::uint64_t length_ = 0;
    std::array<unsigned char, kBlock> rest_{};
};

}  // namespace novikoff
