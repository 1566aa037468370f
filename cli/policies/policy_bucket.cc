#include "cli/policies/policy_bucket.h"

#include <algorithm>

#include "base/clock.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/try.h"
#include "extensions/principal.h"
#include "gateway/wire/json_text.h"
#include "proto/audit.h"
#include "proto/subjects.h"

namespace toolway::cli::policies {
namespace {

using extensions::reader::decode_policy;
using extensions::reader::encode;
using extensions::reader::kPolicyKey;
using extensions::reader::version_key;

tl::unexpected<Error> with_next_step(Error error) {
  if (error.code != ErrorCode::kWrongLastSequence) return fail(std::move(error));
  return fail(ErrorCode::kInvalidRequest,
              "another command put a version at the same time: look at `toolway extensions "
              "history`, then try again");
}

}  // namespace

Result<std::unique_ptr<PolicyBucket>> PolicyBucket::open(const switches::FleetNats& fleet) {
  ASSIGN_OR_RETURN(auto entries, switches::OperatorBucket::open(fleet, proto::kPoliciesBucket));
  return std::unique_ptr<PolicyBucket>(new PolicyBucket(std::move(entries)));
}

Result<std::optional<PolicyBucket::Stored>> PolicyBucket::in_force() {
  ASSIGN_OR_RETURN(const auto entry, entries_->get(std::string(kPolicyKey)));
  if (entry.value.empty()) return std::optional<Stored>();
  ASSIGN_OR_RETURN(auto stored, decode_policy(entry.value));
  return std::optional(std::move(stored));
}

Result<std::vector<PolicyBucket::Stored>> PolicyBucket::versions() {
  ASSIGN_OR_RETURN(const auto entries, entries_->list());
  std::vector<Stored> found;
  for (const auto& entry : entries) {
    if (entry.value.empty()) continue;
    ASSIGN_OR_RETURN(auto stored, decode_policy(entry.value));
    found.push_back(std::move(stored));
  }
  std::sort(found.begin(), found.end(),
            [](const Stored& a, const Stored& b) { return a.number > b.number; });
  // A command that ended between its two writes leaves the version in force twice.
  const auto same = [](const Stored& a, const Stored& b) { return a.number == b.number; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  return found;
}

Result<std::uint64_t> PolicyBucket::put(std::string text, const std::string& by) {
  ASSIGN_OR_RETURN(const auto before, entries_->get(std::string(kPolicyKey)));
  std::uint64_t number = 1;
  if (!before.value.empty()) {
    ASSIGN_OR_RETURN(const auto old, decode_policy(before.value));
    if (old.text == text) return old.number;
    number = old.number + 1;
    // Kept before it is replaced: no version is ever only in memory.
    ASSIGN_OR_RETURN(const auto place, entries_->get(version_key(old.number)));
    if (auto kept = entries_->put(place, before.value); !kept)
      return with_next_step(std::move(kept.error()));
  }
  const auto now = SystemClock().wall();
  const Stored made{
      .number = number, .by = by, .at = gateway::wire::time_text(now), .text = std::move(text)};
  if (auto done = entries_->put(before, encode(made)); !done)
    return with_next_step(std::move(done.error()));
  auto record = proto::audit_record("policy_put", now);
  record.set_object("policy");
  record.set_user_id(by);
  record.set_method(std::string(extensions::kByOperator));
  record.set_details(
      to_text(OrderedJson{{"version", number}, {"digest", "sha256:" + sha256_hex(made.text)}}));
  entries_->tell_audit(record);
  return number;
}

}  // namespace toolway::cli::policies
