#pragma once

#include <string_view>

/// Where collectors note the last seal of the audit (docs/protocol.md). No one else may write it.
namespace toolway::proto {

inline constexpr std::string_view kSealsStream = "KV_seals";
inline constexpr std::string_view kSealsBucket = "seals";

}  // namespace toolway::proto
