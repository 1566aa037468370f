#include "extensions/chain/policy_board.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/try.h"
#include "extensions/chain/extension_types.h"
#include "extensions/reader/policy_reader.h"

namespace toolway::extensions::chain {

Result<PolicyInForcePtr> policy_in_force(std::string_view value) {
  ASSIGN_OR_RETURN(const auto stored, reader::decode_policy(value));
  const auto origin = fmt::format("extensions.yaml, version {}", stored.number);
  auto document = reader::read_policy(stored.text, origin, extension_types());
  if (!document.policy) return fail(ErrorCode::kInvalidSpec, document.mistakes.front().text());
  auto chain = Chain::of(document.policy, extension_types());
  return std::make_shared<const PolicyInForce>(
      PolicyInForce{std::move(document.policy), std::move(chain), stored.number});
}

void PolicyBoard::take(std::string_view value) {
  auto read = value.empty() ? Result<PolicyInForcePtr>(nullptr) : policy_in_force(value);
  const MutexLock lock(mutex_);
  if (read) {
    in_force_ = *std::move(read);
    known_ = true;
    trouble_.clear();
    return;
  }
  if (trouble_ == read.error().message) return;
  trouble_ = read.error().message;
  spdlog::error(
      "the policy cannot be read, and {}: {}; is this version of Toolway older than the "
      "one that stored it?",
      known_ ? "the last one stays in force" : "nothing is accepted or run until it can be",
      trouble_);
}

bool PolicyBoard::known() const {
  const MutexLock lock(mutex_);
  return known_;
}

PolicyInForcePtr PolicyBoard::in_force() const {
  const MutexLock lock(mutex_);
  return in_force_;
}

std::string PolicyBoard::trouble() const {
  const MutexLock lock(mutex_);
  return trouble_;
}

GrantsPtr PolicyBoard::grants_of(const Principal& caller) const {
  const auto held = in_force();
  return extensions::grants_of(held ? held->policy : nullptr, caller);
}

}  // namespace toolway::extensions::chain
