#include "cli/process/pools.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/held_pool.h"
#include "base/ids.h"
#include "base/text.h"
#include "tools/executors/kind_types.h"

namespace toolway::cli::process {
namespace {

constexpr std::size_t kMaxSlots = 1000;  // more unacknowledged calls starve the server's scan

}  // namespace

std::vector<std::string> default_pools() {
  std::vector<std::string> names;
  for (const auto& type : tools::executors::kind_types()) names.emplace_back(type.kind.name);
  return names;
}

Result<std::vector<PoolSlots>> parse_pools(const std::vector<std::string>& texts) {
  std::vector<PoolSlots> pools;
  for (const auto& text : texts) {
    const auto equals = text.find('=');
    PoolSlots pool{.name = text.substr(0, equals)};
    if (!valid_name(pool.name)) {
      return fail(
          ErrorCode::kInvalidRequest,
          fmt::format(
              "'{}' is not a pool: write 1 to 64 characters of A-Z a-z 0-9 _ -, optionally followed by =SLOTS",
              text));
    }
    if (pool.name == kHeldPool)
      return fail(ErrorCode::kInvalidRequest, std::string(kHeldPoolTaken));
    if (std::any_of(pools.begin(), pools.end(),
                    [&](const auto& other) { return other.name == pool.name; })) {
      return fail(ErrorCode::kInvalidRequest, fmt::format("pool '{}' is given twice", pool.name));
    }
    if (equals == std::string::npos) {
      const auto* type = tools::executors::kind_types().find(pool.name);
      pool.slots = type == nullptr ? tools::model::KindType{}.slots : type->slots;
    } else {
      if (!parse_number(std::string_view(text).substr(equals + 1), pool.slots) || pool.slots == 0 ||
          pool.slots > kMaxSlots) {
        return fail(ErrorCode::kInvalidRequest,
                    fmt::format("'{}': a pool has 1 to {} slots", text, kMaxSlots));
      }
    }
    pools.push_back(std::move(pool));
  }
  return pools;
}

Result<std::vector<PoolPartitions>> parse_partitions(const std::vector<std::string>& texts) {
  constexpr unsigned kMaxPartitions = 256;
  std::vector<PoolPartitions> pools;
  for (const auto& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos)
      return fail(ErrorCode::kInvalidRequest, fmt::format("--partitions {}: must be POOL=N", text));
    PoolPartitions pool{.name = text.substr(0, equals)};
    const bool given_twice = std::any_of(
        pools.begin(), pools.end(), [&](const auto& other) { return other.name == pool.name; });
    if (given_twice)
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("--partitions: pool '{}' is given twice", pool.name));
    if (!parse_number(std::string_view(text).substr(equals + 1), pool.number) ||
        !std::has_single_bit(pool.number) || pool.number > kMaxPartitions)
      return fail(
          ErrorCode::kInvalidRequest,
          fmt::format("--partitions {}: a pool has 1, 2, 4 … {} partitions", text, kMaxPartitions));
    pools.push_back(std::move(pool));
  }
  return pools;
}

}  // namespace toolway::cli::process
