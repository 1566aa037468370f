#include "tools/executors/mcp_client/call_wait.h"

#include "base/try.h"
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

model::ToolResult<Json> answers_to(const std::string& server, const LinkCall& call,
                                   const std::vector<mcp::InputRequest>& asks) {
  if (call.questions != nullptr) return call.questions->answers_to(asks);
  std::vector<std::string> methods;
  for (const auto& one : asks) methods.push_back(one.method);
  return tl::unexpected(input_required(server, methods));
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

model::ToolResult<mcp::ToolCallResult> carry_to_end(
    const std::string& server, LinkCall& call,
    const std::function<model::ToolResult<CallAnswer>()>& send) {
  for (unsigned round = 0; round < kMaxRounds;) {
    ASSIGN_OR_RETURN(const auto answer, send());
    if (!answer.result) return tl::unexpected(refused_by(server, answer.result.error()));
    auto read = mcp::decode_tool_call(*answer.result, answer.revision);
    if (!read) return tl::unexpected(protocol_error(server, read.error().message, call.again));
    if (auto* result = std::get_if<mcp::ToolCallResult>(&*read)) return std::move(*result);
    auto& required = std::get<mcp::InputRequired>(*read);
    call.call.input_responses = nullptr;
    if (!required.asks.empty()) {
      // How much it may ask bounds these rounds.
      ASSIGN_OR_RETURN(call.call.input_responses, answers_to(server, call, required.asks));
    } else if (required.request_state) {
      ++round;
    } else {
      break;
    }
    call.call.request_state = std::move(required.request_state);
  }
  return tl::unexpected(input_required(server, {}));
}

}  // namespace toolway::tools::executors::mcp_client
