// An array that grows without writing zeros: whoever grows it writes the new values.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace novikoff::text {

template <class T>
struct UnsetAllocator : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = UnsetAllocator<U>;
    };

    template <class U>
    void construct(U* place) {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... From>
    void construct(U* place, From&&... from) {
        ::new (static_cast<void*>(place)) U(std::forward<From>(from)...);
    }
};

template <class T>
using Unset = std::vector<T, UnsetAllocator<T>>;

}  // namespace novikoff::text
