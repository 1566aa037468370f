#include "persistence/audit/continuity.h"

#include <fmt/format.h>

namespace toolway::persistence::audit {
namespace {

Result<void> broken(std::string what) { return fail(ErrorCode::kInternal, std::move(what)); }

}  // namespace

Anchor anchor_of(const std::optional<Seal>& last) {
  return last ? Anchor{last->number, last->mac} : Anchor{};
}

Result<void> may_continue(const Continuity& found, const SealKeys& keys) {
  const auto last = anchor_of(found.last);
  if (found.remembered && found.remembered != last) {
    const auto& ours = *found.remembered;
    if (last.number < ours.number)
      return broken(
          fmt::format("it had {} seals, and now ends with number {}", ours.number, last.number));
    const bool dropped = last.number > ours.number && ours.number < found.last->first_seal;
    if (ours.number > 0 && !dropped && found.mac != ours.mac)
      return broken(fmt::format("seal {} is not the one that was made", ours.number));
  }
  if (!found.last) return {};
  switch (check(*found.last, keys)) {
    case SealState::kGood: return {};
    case SealState::kChanged:
      return broken(fmt::format("seal {} is not what was made", last.number));
    case SealState::kUnknownKey:
      return broken(fmt::format(
          "seal {} was made with key {}, which --seal-keys does not have: add its line after the "
          "first one",
          last.number, found.last->key_id));
  }
  return {};
}

}  // namespace toolway::persistence::audit
