#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/seal_keys.h"

namespace toolway::persistence::audit {

inline constexpr std::int64_t kUsPerDay = 86'400'000'000;

/// A record as a seal covers it: its place and its digest.
struct SealEntry {
  std::int64_t number = 0;
  std::uint64_t xid = 0;
  std::int32_t day = 0;  ///< on which it happened (UTC), counted from 1970-01-01
  std::string digest;    ///< Sha256::kBytes bytes

  bool operator==(const SealEntry&) const = default;
};

/// A seal over all records of the transactions [from_xid, to_xid), and over the seal before it. A
/// row of audit_seals.
struct Seal {
  std::int64_t number = 0;  ///< from 1
  std::string previous;     ///< mac of the seal before it; of the first one: 32 zeros
  std::int64_t made_at_us = 0;
  std::uint64_t from_xid = 0;
  std::uint64_t to_xid = 0;
  std::int64_t records = 0;
  std::optional<std::int32_t> last_day;  ///< of its records; nothing: it has none
  /// Retention: records of days before this one were dropped. Nothing: none ever.
  std::optional<std::int32_t> kept_from;
  std::int64_t first_seal = 1;  ///< retention: and seals before this one
  std::string key_id;
  std::string entries;  ///< packed
  std::string mac;

  bool operator==(const Seal&) const = default;
};

/// Bytes of one entry.
inline constexpr std::size_t kEntryBytes = 8 + 8 + 4 + 32;
std::string pack(std::span<const SealEntry> entries);
/// Errors: kInternal, when these are not entries.
Result<std::vector<SealEntry>> unpack(std::string_view bytes);

/// Puts them into the seal, with what it says about them.
void cover(Seal& seal, std::span<const SealEntry> entries);

/// `2026-11-25`
std::string day_text(std::int32_t day);

/// What the first seal has in place of its predecessor's.
std::string no_predecessor();

/// The seal after `last` (null: the first one), with retention as it was, and without a mac.
Seal seal_after(const Seal* last);
/// Signs it with the current key.
void sign(Seal& seal, const SealKeys& keys);

enum class SealState {
  kGood,
  kChanged,     ///< it is not what was made
  kUnknownKey,  ///< of a key that is not given: nothing is known about it
};
SealState check(const Seal& seal, const SealKeys& keys);

}  // namespace toolway::persistence::audit
