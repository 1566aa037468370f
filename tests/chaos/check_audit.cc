#include <fmt/format.h>

#include <map>

#include "tests/chaos/checker.h"

namespace toolway::chaos {
namespace {

constexpr auto kSealed = Property::kSealed;

/// How often each call, key or policy has a record of one kind, and what the last of them says.
struct Mentions {
  unsigned times = 0;
  std::string outcome;
};
using RecordsOf = std::map<std::string, Mentions>;

RecordsOf records_of(const Decided& decided, std::string_view what) {
  RecordsOf found;
  for (const auto& record : decided.records) {
    if (record.what != what) continue;
    const auto& about = what == "policy_put" ? record.digest : record.object;
    auto& one = found[what.starts_with("call_") ? record.id : about];
    ++one.times;
    one.outcome = record.outcome;
  }
  return found;
}

void expect_once(const RecordsOf& records, const std::string& about, std::string_view what,
                 Verdicts& verdicts) {
  const auto found = records.find(about);
  const unsigned times = found == records.end() ? 0 : found->second.times;
  verdicts.expect(kSealed, times == 1,
                  {fmt::format("{} records {} of {}", times, what, about), {}, about});
}

/// An end for each completed call, and no other.
void check_ends(const Audited& seen, Verdicts& verdicts) {
  const auto ends = records_of(seen.decided, "call_ended");
  std::size_t completed = 0;
  for (const auto& call : seen.calls) {
    if (call.outcome.empty()) continue;
    ++completed;
    expect_once(ends, call.call_id, "call_ended", verdicts);
    if (const auto found = ends.find(call.call_id); found != ends.end())
      verdicts.expect(
          kSealed, found->second.outcome == call.outcome,
          {fmt::format("its record says {}, Postgres {}", found->second.outcome, call.outcome),
           call.session, call.call_id});
  }
  verdicts.expect(
      kSealed, ends.size() == completed,
      {fmt::format("{} calls have a record of their end, {} have ended", ends.size(), completed),
       {},
       {}});
}

void check_approvals(const Audited& seen, Verdicts& verdicts) {
  const auto held = records_of(seen.decided, "call_held");
  for (const auto& [call, state] : seen.decided.approvals)
    expect_once(held, call, "call_held", verdicts);
  verdicts.expect(kSealed, held.size() == seen.decided.approvals.size(),
                  {fmt::format("{} calls have a record that they were held, table approvals has {}",
                               held.size(), seen.decided.approvals.size()),
                   {},
                   {}});
  // The calls of the workload need one decision each.
  const auto decided = records_of(seen.decided, "call_decided");
  for (const auto& call : seen.decided.decisions) {
    expect_once(decided, call, "call_decided", verdicts);
    const auto found = decided.find(call);
    const auto state = seen.decided.approvals.find(call);
    if (found == decided.end()) continue;
    const std::string shown = state == seen.decided.approvals.end() ? "nothing" : state->second;
    verdicts.expect(
        kSealed, shown == found->second.outcome,
        {fmt::format("the audit says {}, table approvals {}", found->second.outcome, shown),
         {},
         call});
  }
}

void check_operator(const Audited& seen, Verdicts& verdicts) {
  const auto made = records_of(seen.decided, "key_created");
  const auto revoked = records_of(seen.decided, "key_revoked");
  for (const auto& [id, is_revoked] : seen.deeds.keys) {
    expect_once(made, id, "key_created", verdicts);
    if (is_revoked) expect_once(revoked, id, "key_revoked", verdicts);
    const auto row = seen.decided.keys.find(id);
    verdicts.expect(
        kSealed, row != seen.decided.keys.end() && row->second == is_revoked,
        {fmt::format("table api_keys does not say of key {} what was done", id), {}, {}});
  }
  const auto put = records_of(seen.decided, "policy_put");
  for (const auto& digest : seen.deeds.policies) expect_once(put, digest, "policy_put", verdicts);
}

}  // namespace

void check_audit(const Audited& seen, Verdicts& verdicts) {
  check_ends(seen, verdicts);
  check_approvals(seen, verdicts);
  check_operator(seen, verdicts);
  verdicts.expect(kSealed, seen.unsealed == 0,
                  {fmt::format("no seal covers {} records", seen.unsealed), {}, {}});
  verdicts.expect(kSealed, seen.verified.status == 0,
                  {"toolway audit verify: " + seen.verified.output, {}, {}});
}

}  // namespace toolway::chaos
