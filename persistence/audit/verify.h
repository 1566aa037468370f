#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/result.h"
#include "persistence/audit/finding.h"
#include "persistence/audit/seal.h"

namespace toolway::persistence::audit {

/// Where seals come from, by their numbers, and records, by (xid, number): nothing: it was the last
/// one.
using NextSeal = std::function<Result<std::optional<Seal>>()>;
using NextRecord = std::function<Result<std::optional<FoundRecord>>()>;

struct ToVerify {
  const SealKeys& keys;
  /// The newest good seal, which says what retention has dropped; nothing: there is none.
  std::optional<Seal> newest;
  std::optional<Anchor> anchor;
  std::int64_t now_us = 0;  ///< since 1970
  NextSeal next_seal;
  NextRecord next_record;
};

/// Holds the records to the seals. Pure; keeps one seal, one record and the findings. Errors: those
/// of the two sources.
Result<Verified> verify(const ToVerify& given);

}  // namespace toolway::persistence::audit
