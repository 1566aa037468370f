#include "persistence/audit/verify.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/try.h"
#include "persistence/audit/findings.h"

namespace toolway::persistence::audit {
namespace {

using Kind = Finding::Kind;

/// A record waits for its seal for a second, or for as long as a transaction is open.
constexpr std::int64_t kUnsealedForUs = 600'000'000;
/// Records know the day on which they happened: one of the day before may be a moment old. What is
/// later is not what collectors find in the streams, which keep a day.
constexpr std::int32_t kLateDays = 2;

/// The entries of one seal, and which of their records have come.
class Covered {
 public:
  explicit Covered(std::vector<SealEntry> entries)
      : entries_(std::move(entries)), seen_(entries_.size()) {
    std::ranges::sort(entries_, {}, &SealEntry::number);
  }

  /// Whether the record is one of them, as it was.
  bool take(const FoundRecord& record) {
    const auto found = std::ranges::lower_bound(entries_, record.number, {}, &SealEntry::number);
    if (found == entries_.end() || found->number != record.number) return false;
    const auto at = static_cast<std::size_t>(found - entries_.begin());
    if (seen_[at] || record.content != found->digest || record.stored != found->digest ||
        record.xid != found->xid)
      return false;
    return seen_[at] = true;
  }

  void settle(std::optional<std::int32_t> kept_from, Findings& findings) const {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (!seen_[i] && !dropped(entries_[i], kept_from)) findings.lost(entries_[i]);
  }

  std::int64_t late(std::int64_t made_at_us, std::optional<std::int32_t> kept_from) const {
    return std::ranges::count_if(entries_, [&](const SealEntry& entry) {
      return !dropped(entry, kept_from) && made_at_us / kUsPerDay - entry.day >= kLateDays;
    });
  }

 private:
  static bool dropped(const SealEntry& entry, std::optional<std::int32_t> kept_from) {
    return kept_from && entry.day < *kept_from;
  }

  std::vector<SealEntry> entries_;
  std::vector<bool> seen_;
};

class Verification {
 public:
  explicit Verification(const ToVerify& given) : given_(given) {
    if (!given.newest) return;
    verified_.kept_from = given.newest->kept_from;
    next_number_ = given.newest->first_seal;
  }

  Result<Verified> run() {
    ASSIGN_OR_RETURN(record_, given_.next_record());
    while (true) {
      ASSIGN_OR_RETURN(const auto seal, given_.next_seal());
      if (!seal) break;
      ++verified_.seals;
      if (is_in_place(*seal)) RETURN_IF_ERROR(hold_to(*seal));
      next_number_ = seal->number + 1;
      last_ = {seal->number, seal->mac};
    }
    RETURN_IF_ERROR(look_at_the_rest());
    look_for_the_anchor();
    verified_.last = last_;
    std::move(findings_).settle(verified_);
    return std::move(verified_);
  }

 private:
  /// Whether it is good. What it says about records counts only then.
  bool is_in_place(const Seal& seal) {
    const bool gap = seal.number > next_number_;
    if (gap) {
      findings_.add({Kind::kSealMissing, next_number_, seal.number - 1});
      complete_ = false;
    }
    if (given_.anchor && seal.number == given_.anchor->number && seal.mac != given_.anchor->mac)
      findings_.add({Kind::kSealBroken, seal.number, seal.number});
    switch (check(seal, given_.keys)) {
      case SealState::kGood: break;
      case SealState::kChanged:
        findings_.add({Kind::kSealChanged, seal.number});
        complete_ = false;
        return false;
      case SealState::kUnknownKey:
        // Once: it may have made a million.
        if (unknown_keys_.insert(seal.key_id).second)
          findings_.add({Kind::kUnknownKey, seal.number, 0, seal.key_id});
        complete_ = false;
        return false;
    }
    const bool first = !last_ && !gap;
    const bool follows = seal.number == 1 ? seal.previous == no_predecessor()
                                          : first || gap || (last_ && seal.previous == last_->mac);
    if (!follows) findings_.add({Kind::kSealBroken, seal.number, seal.number - 1});
    return true;
  }

  Result<void> hold_to(const Seal& seal) {
    ASSIGN_OR_RETURN(auto entries, unpack(seal.entries));
    Covered covered(std::move(entries));
    while (record_ && record_->xid < seal.to_xid) {
      if (record_->xid >= seal.from_xid && covered.take(*record_))
        ++verified_.records;
      else if (record_->xid >= seal.from_xid || complete_)
        findings_.stray(*record_, true);
      else
        pass_by();
      ASSIGN_OR_RETURN(record_, given_.next_record());
    }
    covered.settle(verified_.kept_from, findings_);
    if (const auto late = covered.late(seal.made_at_us, verified_.kept_from); late > 0) {
      if (verified_.late == 0) verified_.late_from = seal.number;
      verified_.late_to = seal.number;
      verified_.late += late;
    }
    complete_ = true;
    return {};
  }

  /// A record that may be sealed, by a seal that tells nothing.
  void pass_by() {
    ++verified_.uncheckable;
    findings_.stray(*record_, false);
  }

  void pass_unsealed() {
    ++verified_.unsealed;
    if (given_.now_us - record_->at_us > kUnsealedForUs && old_.other++ == 0)
      old_.number = record_->number;
    if (findings_.any_lost() || record_->stored != record_->content)
      findings_.stray(*record_, false);
  }

  Result<void> look_at_the_rest() {
    while (record_) {
      if (complete_)
        pass_unsealed();
      else
        pass_by();
      ASSIGN_OR_RETURN(record_, given_.next_record());
    }
    if (old_.other > 0) findings_.add(old_);
    return {};
  }

  void look_for_the_anchor() {
    if (!given_.anchor) return;
    const auto reached = last_ ? last_->number : next_number_ - 1;
    if (reached < given_.anchor->number)
      findings_.add({Kind::kSealMissing, reached + 1, given_.anchor->number});
  }

  const ToVerify& given_;
  Verified verified_;
  Findings findings_;
  Finding old_{Kind::kUnsealed};  ///< of records
  std::optional<FoundRecord> record_;
  std::int64_t next_number_ = 1;
  std::optional<Anchor> last_;
  std::set<std::string> unknown_keys_;
  bool complete_ = true;  ///< no seal is missing or useless since the last good one
};

}  // namespace

Result<Verified> verify(const ToVerify& given) { return Verification(given).run(); }

}  // namespace toolway::persistence::audit
