#include "tools/executors/mcp_client/call_questions.h"

#include <fmt/format.h>

#include <system_error>

#include "base/sha256.h"
#include "base/try.h"
#include "tools/executors/mcp_client/replies.h"
#include "tools/executors/mcp_client/server_link.h"

namespace toolway::tools::executors::mcp_client {
namespace {

/// A user said no (2025-11-25, client/sampling, "Error Handling").
constexpr std::int64_t kUserRefused = -1;
constexpr std::size_t kKeyDigits = 16;

bool has_code(const model::ToolError& error, ErrorCode code) {
  return error.code == code_name(code);
}

mcp::Answer answer_of(const mcp::Request& asked, model::ToolResult<std::vector<Json>> answers) {
  if (answers && answers->size() == 1 && answers->front().is_object())
    return {asked.id, std::move(answers->front())};
  if (!answers && has_code(answers.error(), ErrorCode::kCannotAsk)) return mcp::answer_to(asked);
  return {asked.id,
          tl::unexpected(mcp::RpcError{
              kUserRefused, answers ? "there is no answer" : std::move(answers.error().message)})};
}

}  // namespace

CallQuestions::CallQuestions(std::string server, const mcp::ClientCapabilities& askable,
                             model::ToolContext& context)
    : server_(std::move(server)),
      askable_(askable),
      context_(context),
      of_call_(context.cancellation(), [this] { stop_.request_stop(); }) {}

std::optional<model::ToolError> CallQuestions::too_much() const {
  const MutexLock lock(mutex_);
  return too_much_;
}

void CallQuestions::stop_for(std::string what) {
  {
    const MutexLock lock(mutex_);
    if (!too_much_) too_much_ = asks_too_much(server_, what);
  }
  stop_.request_stop();
}

bool CallQuestions::count(std::size_t more) {
  asked_ += more;
  if (asked_ <= kMaxAsked) return true;
  stop_for(fmt::format("a call asks at most {} questions", kMaxAsked));
  return false;
}

void CallQuestions::restart() {
  const MutexLock turn(turn_);
  for (auto& open : open_) open.thread.request_stop();
  open_.clear();
  asked_ = 0;
  times_.clear();
  seen_.clear();
}

model::Question CallQuestions::question_of(std::string_view method, Json params) {
  // It is between the server and this worker: tokens of progress and the like.
  params.erase("_meta");
  auto key =
      fmt::format("{}-{}", method.substr(0, method.find('/')),
                  sha256_hex(fmt::format("{}\n{}", method, to_text(params))).substr(0, kKeyDigits));
  if (const auto before = times_[key]++; before > 0) key += fmt::format("-{}", before + 1);
  return {.key = std::move(key), .method = std::string(method), .params = std::move(params)};
}

bool CallQuestions::pass_on(const mcp::Request& asked, Reply reply) {
  if (asked.method == "ping") return false;
  const MutexLock turn(turn_);
  if (stop_.stop_requested()) return true;  // the call ends
  if (!seen_.insert(asked.id).second) return true;
  if (!count(1)) return true;
  // A server keeps the folders of a connection, and other calls share this one.
  const bool for_client =
      !mcp::asks_for_roots(asked.method) && mcp::may_ask(askable_, asked.method, asked.params);
  if (!for_client || mcp::id_text(asked.id).size() > kMaxRepliedId) return false;
  std::erase_if(open_, [](const Open& open) { return open.done.load(); });
  if (open_.size() >= kMaxOpen) return false;
  auto question = question_of(asked.method, asked.params.is_null() ? Json::object() : asked.params);
  auto& open = open_.emplace_back();
  open.id = asked.id;
  try {
    open.thread =
        std::jthread([this, &open, asked, question = std::move(question), reply = std::move(reply)](
                         const std::stop_token& stop) { ask(open, asked, question, reply, stop); });
  } catch (const std::system_error&) {  // this machine has no thread left
    open_.pop_back();
    return false;
  }
  return true;
}

void CallQuestions::ask(Open& open, const mcp::Request& asked, model::Question question,
                        const Reply& reply, const std::stop_token& stop) {
  auto answers = context_.ask({std::move(question)}, stop);
  // That it has no room for more is the only mistake that is left.
  if (!answers && has_code(answers.error(), ErrorCode::kInvalidRequest))
    stop_for(answers.error().message);
  else if (answers || !has_code(answers.error(), ErrorCode::kCancelled))
    reply(answer_of(asked, std::move(answers)), stop);
  open.done = true;
}

void CallQuestions::withdraw(const mcp::RequestId& id) {
  const MutexLock turn(turn_);
  for (auto& open : open_)
    if (open.id == id) open.thread.request_stop();
}

model::ToolResult<Json> CallQuestions::answers_to(const std::vector<mcp::InputRequest>& asks) {
  std::vector<std::string> methods;
  for (const auto& one : asks) {
    if (!mcp::may_ask(askable_, one.method, one.params)) methods.push_back(one.method);
  }
  if (!methods.empty()) return tl::unexpected(input_required(server_, methods));
  std::vector<model::Question> questions;
  {
    const MutexLock turn(turn_);
    if (!count(asks.size())) return tl::unexpected(*too_much());
    questions.reserve(asks.size());
    for (const auto& one : asks) questions.push_back(question_of(one.method, one.params));
  }
  auto answers = context_.ask(std::move(questions), stopped());
  if (!answers && has_code(answers.error(), ErrorCode::kInvalidRequest))
    return tl::unexpected(asks_too_much(server_, answers.error().message));
  RETURN_IF_ERROR(answers);
  Json responses = Json::object();
  for (std::size_t i = 0; i < asks.size(); ++i) responses[asks[i].key] = std::move(answers->at(i));
  return responses;
}

}  // namespace toolway::tools::executors::mcp_client
