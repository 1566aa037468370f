#include "tests/chaos/check_processes.h"

#include <fmt/format.h>

namespace toolway::chaos {
namespace {

// What the gateways' own caps are (`queue_full`) and what a durable may have unacknowledged.
constexpr std::uint64_t kQueueCap = 200000;
constexpr std::uint64_t kAckPendingCap = 1000;
constexpr int kBySignal = 128;

}  // namespace

void check_processes(const ProcessesSeen& seen, Verdicts& verdicts) {
  verdicts.checked(Property::kQueueCaps, seen.deepest.samples);
  if (seen.deepest.pending > kQueueCap)
    verdicts.violated(Property::kQueueCaps,
                      {fmt::format("{} calls waited in one queue", seen.deepest.pending), {}, {}});
  if (seen.deepest.ack_pending > kAckPendingCap)
    verdicts.violated(
        Property::kQueueCaps,
        {fmt::format("{} deliveries of one durable were unacknowledged", seen.deepest.ack_pending),
         {},
         {}});
  verdicts.checked(Property::kNoCrash, seen.members + seen.ends.size());
  for (const auto& end : seen.ends)
    if (end.status >= kBySignal)
      verdicts.violated(
          Property::kNoCrash,
          {fmt::format("{} ended with status {}: {}", end.name, end.status, end.log), {}, {}});
  if (seen.dead_events != 0)
    verdicts.violated(
        Property::kAgreement,
        {fmt::format("{} messages were set aside (dead_events)", seen.dead_events), {}, {}});
  verdicts.checked(Property::kAnswers, seen.answers);
  for (const auto& [what, count] : seen.odd)
    verdicts.violated(Property::kAnswers, {fmt::format("{} × {}", count, what), {}, {}});
}

void check_requests_to_model(const std::vector<ModelHost::Refused>& refused,
                             const std::vector<ModelHost::Refused>& mixed, Verdicts& verdicts) {
  for (const auto& one : refused)
    verdicts.violated(Property::kHistory,
                      {fmt::format("the model answers 400, {}: {}", one.why, one.request), {}, {}});
  for (const auto& one : mixed)
    verdicts.violated(Property::kPrivacy,
                      {fmt::format("the model was sent {}: {}", one.why, one.request), {}, {}});
}

}  // namespace toolway::chaos
