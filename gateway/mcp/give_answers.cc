#include "gateway/mcp/give_answers.h"

#include <algorithm>

#include "base/try.h"
#include "gateway/loop/asio_types.h"
#include "gateway/mcp/approval_question.h"
#include "proto/questions.h"

namespace toolway::gateway::mcp {
namespace {

constexpr std::chrono::milliseconds kPause{250};
constexpr int kMaxPauses = 40;

/// Whether the call takes some of the answers, once it runs.
bool waits_for(const TaskFacts& facts, const calls::Answers& answers) {
  if (has_ended(facts) || !facts.last || facts.last->has_cancel_requested()) return false;
  return std::ranges::any_of(facts.last->questions(), [&](const v1::Question& question) {
    return question.answer().empty() && answers.contains(question.key());
  });
}

}  // namespace

tl::expected<calls::Answers, std::string> read_answers(const Json& responses) {
  if (!responses.is_object() || responses.size() > proto::kMaxQuestions)
    return tl::unexpected(
        std::string("params.inputResponses must be an object with at most 100 answers"));
  calls::Answers answers;
  for (const auto& [key, answer] : responses.items()) {
    if (!answer.is_object())
      return tl::unexpected(std::string("an answer in params.inputResponses is not an object"));
    answers.emplace(key, answer);
  }
  return answers;
}

loop::Task<wire::HttpResult<void>> give_answers(const McpPorts& ports, wire::Caller caller,
                                                std::string call_id, calls::ToAnswer given) {
  for (int pauses = 0;; ++pauses) {
    const auto done = co_await ports.answer_call(caller, call_id, given);
    if (done) co_return wire::HttpResult<void>();
    if (done.error().error.code != ErrorCode::kNotAsked) CO_RETURN_IF_ERROR(done);
    const auto facts = co_await ports.read_task(caller, std::string(), call_id);
    CO_RETURN_IF_ERROR(facts);
    if (!waits_for(*facts, given.answers)) co_return wire::HttpResult<void>();
    if (pauses == kMaxPauses) CO_RETURN_IF_ERROR(done);
    co_await loop::pause(kPause);
  }
}

loop::Task<wire::HttpResult<std::optional<v1::CallEvent>>> give_retried(const McpPorts& ports,
                                                                        wire::Caller caller,
                                                                        std::string call_id,
                                                                        calls::Answers answers) {
  calls::ToAnswer given(std::move(answers), calls::ToAnswer::Unasked::kLeftOut);
  auto last = co_await ports.answer_call(caller, call_id, given);
  if (!last && last.error().error.code == ErrorCode::kInvalidRequest) {
    given.answers.clear();
    last = co_await ports.answer_call(caller, call_id, given);
  }
  if (last || last.error().error.code != ErrorCode::kNotAsked) co_return last;
  // It is between two attempts, held, or being cancelled.
  const auto later = co_await give_answers(ports, caller, call_id, given);
  if (!later && later.error().error.code != ErrorCode::kInvalidRequest)
    co_return tl::unexpected(later.error());
  last = std::optional<v1::CallEvent>();
  co_return last;
}

loop::Task<wire::HttpResult<std::optional<std::string>>> give_approval(const McpPorts& ports,
                                                                       wire::Caller caller,
                                                                       std::string call_id,
                                                                       Json answer) {
  std::optional<std::string> wrong;
  auto approval = read_approval(answer);
  if (!approval) wrong = std::move(approval.error());
  if (wrong || !*approval) co_return wrong;
  auto reason = std::move((*approval)->reason);
  const auto done =
      co_await ports.decide_call(caller, call_id, (*approval)->approve, std::move(reason));
  if (done) co_return wrong;
  const auto refused = done.error().error.code;
  switch (refused) {
    case ErrorCode::kApprovalDecided:
    case ErrorCode::kApprovalExpired:
    case ErrorCode::kApprovalStale:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kUnknownCall: ports.note_refusal(caller, refused); co_return wrong;
    default: break;
  }
  CO_RETURN_IF_ERROR(done);
  co_return wrong;
}

}  // namespace toolway::gateway::mcp
