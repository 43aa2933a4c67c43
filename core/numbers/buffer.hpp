// A growing array of zeros. Large ones ask the kernel for huge pages: a gather
// over 2^22 weights otherwise spends most of its time on page-table walks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace novikoff {

template <class T>
class Zeros {
  public:
    Zeros() = default;
    explicit Zeros(std::size_t size) { grow(size); }
    Zeros(const Zeros& other) : Zeros(other.size_) {
        if (size_ != 0) std::memcpy(data_, other.data_, size_ * sizeof(T));
    }
    Zeros(Zeros&& other) noexcept { swap(other); }
    Zeros& operator=(Zeros other) noexcept {
        swap(other);
        return *this;
    }
    ~Zeros() { release(); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    T operator[](std::size_t i) const { return data_[i]; }

    // Capacity doubles, so growing one feature at a time stays linear.
    void grow(std::size_t size) {
        if (size <= size_) return;
        if (size > capacity_) reallocate(size > 2 * capacity_ ? size : 2 * capacity_);
        size_ = size;
    }

  private:
    static constexpr std::size_t kAlignment = 128;  // a pair of cache lines
    static constexpr std::size_t kHugePage = std::size_t{1} << 21;

    void reallocate(std::size_t capacity) {
        if (capacity > SIZE_MAX / sizeof(T) / 4) throw std::bad_alloc();
        Zeros fresh;
        fresh.capacity_ = capacity;
        fresh.size_ = size_;
        fresh.allocate();
        if (size_ != 0) std::memcpy(fresh.data_, data_, size_ * sizeof(T));
        swap(fresh);
    }

    std::size_t bytes() const { return capacity_ * sizeof(T); }

#if defined(__linux__)
    // Fresh pages are zero already; a mapping one huge page longer holds an aligned one.
    bool mapped() const { return bytes() >= 2 * kHugePage; }

    void allocate() {
        if (!mapped()) return allocate_small();
        void* start = mmap(nullptr, bytes() + kHugePage, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED) throw std::bad_alloc();
        mapping_ = start;
        const auto address = reinterpret_cast<std::uintptr_t>(start);
        data_ = reinterpret_cast<T*>((address + kHugePage - 1) / kHugePage * kHugePage);
        madvise(data_, bytes(), MADV_HUGEPAGE);
    }

    void release() {
        if (mapping_ != nullptr)
            munmap(mapping_, bytes() + kHugePage);
        else
            std::free(data_);
    }
#else
    void allocate() { allocate_small(); }
    void release() { std::free(data_); }
#endif

    void allocate_small() {
        const std::size_t size = (bytes() + kAlignment - 1) / kAlignment * kAlignment;
        data_ = static_cast<T*>(std::aligned_alloc(kAlignment, size));
        if (data_ == nullptr) throw std::bad_alloc();
        std::memset(data_, 0, size);
    }

    void swap(Zeros& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(mapping_, other.mapping_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    T* data_ = nullptr;
    void* mapping_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

using Buffer = Zeros<double>;

}  // namespace novikoff
