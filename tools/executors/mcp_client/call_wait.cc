#include "tools/executors/mcp_client/call_wait.h"

#include "tools/executors/mcp_client/call_questions.h"

namespace toolway::tools::executors::mcp_client {
namespace {

using OnReply = std::function<void(const mcp::Answer&)>;

void take(const WaitingCall::Question& asked, const LinkCall& call, const OnReply& reply) {
  const auto* request = std::get_if<mcp::Request>(&asked);
  if (request == nullptr) {
    if (call.questions != nullptr) call.questions->withdraw(std::get<mcp::RequestId>(asked));
    return;
  }
  const auto send = [reply](const mcp::Answer& answer, const std::stop_token&) { reply(answer); };
  if (call.questions == nullptr || !call.questions->pass_on(*request, send))
    reply(mcp::answer_to(*request));
}

}  // namespace

std::optional<CallEnd> wait_for_end(WaitingCall& waiting, const LinkCall& call,
                                    mcp::Revision revision, MonotonicTime until,
                                    const OnReply& reply) {
  const bool both_ways = mcp::rules_of(revision).requests == mcp::Requests::kBothWays;
  if (call.questions != nullptr && both_ways) call.questions->restart();
  while (true) {
    auto step = waiting.next(call.cancelled, until);
    const bool nothing = step.reports.empty() && step.asked.empty() && !step.end;
    for (auto& report : step.reports) {
      if (call.on_progress) call.on_progress(report);
    }
    if (step.end) return std::move(step.end);
    if (nothing || call.cancelled.stop_requested()) return std::nullopt;
    for (const auto& asked : step.asked) take(asked, call, reply);
  }
}

}  // namespace toolway::tools::executors::mcp_client
