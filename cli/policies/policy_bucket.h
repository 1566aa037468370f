#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/switches/operator_bucket.h"
#include "extensions/reader/stored_policy.h"

namespace toolway::cli::policies {

/// The bucket `policies` for an operator's commands. Errors of all: as OperatorBucket, and
/// kInvalidSpec for an entry that this version cannot read.
class PolicyBucket {
 public:
  using Stored = extensions::reader::StoredPolicy;

  static Result<std::unique_ptr<PolicyBucket>> open(const switches::FleetNats& fleet);

  /// Nothing: no policy is in force.
  Result<std::optional<Stored>> in_force();
  /// The newest first: that in force, and those before it.
  Result<std::vector<Stored>> versions();
  /// Puts a checked text in force; the number of its version, or of that in force if it is the
  /// same text. Errors: kInvalidRequest when another command was quicker.
  Result<std::uint64_t> put(std::string text, const std::string& by);

 private:
  explicit PolicyBucket(std::unique_ptr<switches::OperatorBucket> entries)
      : entries_(std::move(entries)) {}
  const std::unique_ptr<switches::OperatorBucket> entries_;
};

}  // namespace toolway::cli::policies
