#include "persistence/audit/findings.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace toolway::persistence::audit {

using Kind = Finding::Kind;

void Findings::add(Finding finding) {
  if (findings_.size() < kMaxFindings)
    findings_.push_back(std::move(finding));
  else
    ++more_;
}

void Findings::lost(const SealEntry& entry) {
  if (lost_.size() < kMaxFindings)
    lost_.push_back({entry.number, entry.digest});
  else
    ++more_;
}

void Findings::stray(const FoundRecord& record, bool sealed) {
  const bool whole = record.stored == record.content;
  if (strays_.size() < kMaxFindings)
    strays_.push_back({record.number, record.content, whole, sealed});
  else if (sealed || !whole)
    ++more_;
}

void Findings::match() {
  std::unordered_multimap<std::string_view, Stray*> by_content;
  for (auto& stray : strays_) by_content.emplace(stray.content, &stray);
  std::unordered_map<std::int64_t, bool> unplaced;  // lost for good, and whether it is named
  std::unordered_set<const Stray*> explained;
  for (const auto& lost : lost_) {
    const auto found = by_content.find(lost.digest);
    if (found == by_content.end()) {
      unplaced.emplace(lost.number, false);
      continue;
    }
    const Stray& at = *found->second;
    // In its place, and yet not as it was: its digest or its transaction was changed.
    add(at.number == lost.number ? Finding{Kind::kChanged, lost.number}
                                 : Finding{Kind::kMoved, lost.number, at.number});
    explained.insert(&at);
    by_content.erase(found);
  }
  for (const auto& stray : strays_) {
    if (explained.contains(&stray)) continue;
    const auto place = unplaced.find(stray.number);
    if (place != unplaced.end() && !place->second) {
      place->second = true;
      add({Kind::kChanged, stray.number});
    } else if (stray.sealed) {
      add({Kind::kAdded, stray.number});
    } else if (!stray.whole) {
      add({Kind::kChanged, stray.number});
    }
  }
  for (const auto& [number, named] : unplaced)
    if (!named) add({Kind::kMissing, number});
}

void Findings::settle(Verified& verified) && {
  match();
  std::ranges::sort(findings_, {}, [](const Finding& finding) {
    return std::tuple(finding.number, finding.kind, finding.other);
  });
  verified.findings = std::move(findings_);
  verified.more_findings = more_;
}

}  // namespace toolway::persistence::audit
