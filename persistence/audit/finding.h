#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "persistence/audit/anchor.h"

namespace toolway::persistence::audit {

/// A record as it is in the table.
struct FoundRecord {
  std::int64_t number = 0;
  std::uint64_t xid = 0;
  std::string stored;      ///< the digest that its row has
  std::string content;     ///< the digest of what its row says
  std::int64_t at_us = 0;  ///< when it says that it happened
};

/// What is wrong with the audit.
struct Finding {
  enum class Kind {
    kChanged,      ///< record `number` is not what was sealed
    kMissing,      ///< record `number` was sealed, and is not there
    kAdded,        ///< record `number` is where only sealed ones are, and no seal covers it
    kMoved,        ///< record `number` is now number `other`
    kSealChanged,  ///< seal `number` is not what was made
    kSealMissing,  ///< seals `number` to `other` are not there
    kSealBroken,   ///< seal `number` does not follow seal `other`
    kUnknownKey,   ///< seal `number` was made with key `key_id`, which is not given
    kUnsealed,     ///< `other` records, the first of them `number`, are old and in no seal
  };
  Kind kind = Kind::kChanged;
  std::int64_t number = 0;
  std::int64_t other = 0;
  std::string key_id{};

  bool operator==(const Finding&) const = default;
};

/// The word of a kind for JSON: `changed`, `missing`, …
std::string_view name_of(Finding::Kind kind);
/// `record 7 is not what was sealed`
std::string in_words(const Finding& finding);

struct Verified {
  std::int64_t records = 0;      ///< that are as they were sealed
  std::int64_t unsealed = 0;     ///< newer than the last seal
  std::int64_t late = 0;         ///< sealed more than a day after they happened …
  std::int64_t late_from = 0;    ///< … by this seal …
  std::int64_t late_to = 0;      ///< … and others up to this one
  std::int64_t uncheckable = 0;  ///< of seals that are not there or tell nothing
  std::int64_t seals = 0;
  std::optional<std::int32_t> kept_from;  ///< as of Seal
  std::optional<Anchor> last;
  std::vector<Finding> findings;  ///< the first kMaxFindings, by their numbers
  std::uint64_t more_findings = 0;
};

inline constexpr std::size_t kMaxFindings = 100'000;

}  // namespace toolway::persistence::audit
