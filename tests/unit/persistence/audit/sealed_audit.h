#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/sha256.h"
#include "persistence/audit/verify.h"

namespace toolway::persistence::audit {

/// Records and seals, as both tables would have them.
class SealedAudit {
 public:
  explicit SealedAudit(std::string key_line = "k1 " + std::string(64, '1'))
      : keys(*SealKeys::parse(key_line)) {}

  static std::string content_of(std::int64_t number) {
    return sha256_bytes("record " + std::to_string(number));
  }

  void record(std::int64_t number, std::uint64_t xid, std::int32_t day = 100) {
    records.push_back({.number = number,
                       .xid = xid,
                       .stored = content_of(number),
                       .content = content_of(number),
                       .at_us = day * kUsPerDay});
    days.push_back(day);
  }

  /// All that is there below `to_xid` and not sealed yet.
  Seal& seal(std::uint64_t to_xid, std::optional<std::int32_t> kept_from = {}) {
    auto made = seal_after(seals.empty() ? nullptr : &seals.back());
    std::vector<SealEntry> entries;
    for (std::size_t i = 0; i < records.size(); ++i)
      if (records[i].xid >= made.from_xid && records[i].xid < to_xid)
        entries.push_back({records[i].number, records[i].xid, days[i], records[i].stored});
    made.to_xid = to_xid;
    made.made_at_us = made_at_us;
    if (kept_from) made.kept_from = kept_from;
    cover(made, entries);
    sign(made, keys);
    seals.push_back(made);
    return seals.back();
  }

  /// `number` records, `per_seal` in a seal, two in a transaction.
  void fill(std::int64_t number, std::int64_t per_seal) {
    const auto xid_of = [](std::int64_t i) { return 1000 + static_cast<std::uint64_t>(i - 1) / 2; };
    for (std::int64_t i = 1; i <= number; ++i) record(i, xid_of(i));
    for (auto i = per_seal; i <= number; i += per_seal) seal(xid_of(i) + 1);
    seal(100'000);
  }

  Verified verified(std::optional<Anchor> anchor = {}, std::int64_t now_us = 0) const {
    auto sorted = records;
    std::ranges::sort(sorted, {},
                      [](const FoundRecord& one) { return std::tuple(one.xid, one.number); });
    std::optional<Seal> newest;
    for (const auto& seal : seals)
      if (check(seal, keys) == SealState::kGood) newest = seal;
    std::size_t next_seal = 0;
    std::size_t next_record = 0;
    const ToVerify given{.keys = keys,
                         .newest = newest,
                         .anchor = std::move(anchor),
                         .now_us = now_us,
                         .next_seal = [&]() -> Result<std::optional<Seal>> {
                           if (next_seal == seals.size()) return std::nullopt;
                           return seals[next_seal++];
                         },
                         .next_record = [&]() -> Result<std::optional<FoundRecord>> {
                           if (next_record == sorted.size()) return std::nullopt;
                           return sorted[next_record++];
                         }};
    return *verify(given);
  }

  std::int64_t made_at_us = 0;  ///< of the next seals
  SealKeys keys;
  std::vector<FoundRecord> records;
  std::vector<std::int32_t> days;  ///< of the records
  std::vector<Seal> seals;
};

}  // namespace toolway::persistence::audit
