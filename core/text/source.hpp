// Whole lines from a descriptor, one buffer at a time.
#pragma once

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "csv.hpp"
#include "unset.hpp"

namespace novikoff::text {

constexpr std::size_t kChunk = std::size_t{1} << 20;
struct TooLong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Where to cut the text: after line ends.
struct Cuts {
    bool quoted;          // but not after those inside quotes
    bool patient;         // fills every buffer, even from a pipe: cuts do not depend on timing
    std::size_t longest;  // line, in bytes; some that are a little longer pass
};

class Source {
  public:
    Source(int descriptor, const std::string& head, Cuts cuts, const std::atomic<bool>& stopped)
        : descriptor_(descriptor), rest_(head.begin(), head.end()), cuts_(cuts), stopped_(stopped) {
        struct stat about{};
        regular_ = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
    }

    // Puts the next whole lines into the buffer; are there any? The last line may lack its end.
    bool next(Unset<char>& buffer) {
        buffer.swap(rest_);
        rest_.clear();
        std::size_t searched = 0, end = 0;
        bool inside = false;  // quotes, at `searched`
        for (std::size_t wanted = kChunk;;) {
            end = std::max(end, last_end({buffer.data(), buffer.size()}, searched, inside));
            searched = buffer.size();
            if (searched < wanted && !ended_) fill(buffer, wanted, end == 0);
            end = std::max(end, last_end({buffer.data(), buffer.size()}, searched, inside));
            searched = buffer.size();
            if (end != 0 || ended_ || stopped_) break;
            if (buffer.size() >= cuts_.longest) throw TooLong("a line that is too long");
            if (buffer.size() >= wanted) wanted *= 2;  // a pipe may have had less
        }
        if (ended_ && !stopped_) return !buffer.empty();
        rest_.assign(buffer.begin() + static_cast<std::ptrdiff_t>(end), buffer.end());
        buffer.resize(end);
        return end != 0;
    }

    std::size_t read() const { return read_; }
    bool is_regular() const { return regular_; }

  private:
    // The place after the last line end from `from` on, or 0.
    std::size_t last_end(std::string_view text, std::size_t from, bool& inside) const {
        if (!cuts_.quoted) {
            const std::size_t found = text.substr(from).rfind('\n');
            return found == std::string_view::npos ? 0 : from + found + 1;
        }
        const std::size_t found = last_line_end(text.substr(from), inside);
        return found == 0 ? 0 : from + found;
    }

    // Reads up to `wanted` bytes; from a pipe, the bytes available, and `wait` waits for some: a
    // slow pipe is played line by line.
    void fill(Unset<char>& buffer, std::size_t wanted, bool wait) {
        std::size_t size = buffer.size();
        const std::size_t before = size;
        buffer.resize(wanted);
        while (size < wanted && !ended_) {
            if (!regular_ && !ready(cuts_.patient || (wait && size == before))) break;
            const ssize_t count = ::read(descriptor_, buffer.data() + size, wanted - size);
            if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (count < 0) throw std::system_error(errno, std::generic_category());
            ended_ = count == 0;
            size += static_cast<std::size_t>(count);
            read_ += static_cast<std::size_t>(count);
        }
        buffer.resize(size);
    }

    // Is there something to read? Waits for it if asked, unless everything is stopped.
    bool ready(bool wait) const {
        pollfd asked{descriptor_, POLLIN, 0};
        for (;;) {
            const int found = poll(&asked, 1, wait ? 50 : 0);
            if (stopped_) return false;
            if (found > 0 || !wait) return found > 0;
        }
    }

    int descriptor_;
    Unset<char> rest_;
    Cuts cuts_;
    bool regular_ = false, ended_ = false;
    const std::atomic<bool>& stopped_;
    std::atomic<std::size_t> read_ = 0;
};

}  // namespace novikoff::text
