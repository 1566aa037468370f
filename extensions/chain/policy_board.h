#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "extensions/chain/chain.h"
#include "extensions/chain/known_verdicts.h"
#include "extensions/grants.h"
#include "extensions/reader/stored_policy.h"

namespace toolway::extensions::chain {

/// A policy with what was made from it. Immutable, except for what is known of its verdicts.
struct PolicyInForce {
  PolicyPtr policy;
  Chain chain;
  std::uint64_t number = 0;  ///< of its version
  std::shared_ptr<KnownVerdicts> known = std::make_shared<KnownVerdicts>();
};
using PolicyInForcePtr = std::shared_ptr<const PolicyInForce>;

/// The policy of a fleet as this process knows it. What cannot be read changes nothing: the last
/// good version stays in force, and until there was one nothing is known. Thread-safe.
class PolicyBoard {
 public:
  /// Takes the entry `kPolicyKey` of the bucket; empty: there is none.
  void take(std::string_view value);
  /// Takes what a mirror of the bucket reports: entries with `key` and `value`. `all`: these are
  /// the whole bucket.
  template <typename Entries>
  void take_entries(const Entries& entries, bool all) {
    std::string_view value;
    bool there = all;
    for (const auto& entry : entries) {
      if (entry.key != reader::kPolicyKey) continue;
      value = entry.value;
      there = true;
    }
    if (there) take(value);
  }

  /// Whether it is known what is in force: a policy, or that there is none.
  bool known() const;
  /// Null: there is none, and everything is as if there were no chain.
  PolicyInForcePtr in_force() const;
  /// Why the newest version is not in force; empty: it is.
  std::string trouble() const;
  GrantsPtr grants_of(const Principal& caller) const;

 private:
  mutable Mutex mutex_;
  PolicyInForcePtr in_force_ GUARDED_BY(mutex_);
  std::string trouble_ GUARDED_BY(mutex_);
  bool known_ GUARDED_BY(mutex_) = false;
};

/// Reads a version of the policy. Errors: kInvalidSpec, with its first mistakes.
Result<PolicyInForcePtr> policy_in_force(std::string_view value);

}  // namespace toolway::extensions::chain
