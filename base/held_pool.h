#pragma once

#include <string_view>

namespace toolway {

/// The pool in which calls wait for approval: no spec, worker or `migrate` may name it.
inline constexpr std::string_view kHeldPool = "held";
inline constexpr std::string_view kHeldPoolTaken =
    "the pool `held` is where calls wait for approval, and no worker may take them from there: "
    "choose another name";

}  // namespace toolway
