// POST /v1/calls/{c}/input
#include "gateway/endpoints/input_handler.h"

#include "base/try.h"
#include "gateway/calls/publish_again.h"
#include "gateway/wire/json_text.h"
#include "gateway/wire/request_body.h"
#include "proto/questions.h"

namespace toolway::gateway::endpoints {
namespace {

wire::HttpResult<calls::Answers> parse_answers(std::string_view body) {
  ASSIGN_OR_RETURN(auto json, wire::parse_body(body));
  Mistakes mistakes;
  wire::BodyReader reader(json, mistakes);
  reader.only({"answers"});
  const auto* given = reader.map("answers");
  if (!json.contains("answers")) reader.wrong("answers", "it is missing", "required");
  if (given != nullptr && (given->empty() || given->size() > proto::kMaxQuestions))
    reader.wrong("answers", "expected 1 to 100 answers, by the keys of their questions",
                 "minProperties");
  if (mistakes.count() > 0) return wire::refuse(wire::invalid_request(std::move(mistakes).take()));
  calls::Answers answers;
  for (const auto& [key, answer] : given->items()) answers.emplace(key, answer);
  return answers;
}

std::string answered_json(const std::string& call_id, const std::optional<v1::CallEvent>& last) {
  std::string out;
  wire::ObjectText object(out);
  object.text("call_id", call_id);
  object.begin("waiting");
  wire::ListText list(out);
  for (const auto& question : calls::waiting_questions(last)) {
    list.next();
    wire::append_string(out, question.key());
  }
  list.end();
  object.end();
  return out;
}

}  // namespace

loop::Task<wire::HttpResult<std::optional<v1::CallEvent>>> answer_call(
    const AnswersContext& context, const wire::Caller& caller, std::string call_id,
    calls::ToAnswer given) {
  const auto deadline = context.log.clock.monotonic() + calls::LogEdit::kTimeLimit;
  CO_ASSIGN_OR_RETURN(auto call, co_await find_to_change(context.search, context.streams, caller,
                                                         call_id, deadline));
  given.user_id = caller.user_id;
  const bool answers = !given.answers.empty();
  auto edit = calls::answering(std::move(call), std::move(given), deadline);
  CO_ASSIGN_OR_RETURN(auto done, co_await calls::edit_log(context.log, edit));
  if (answers && done.last && proto::is_parked_and_answered(*done.last))
    co_await calls::resume(context.log, context.queues, *done.last);
  co_return std::move(done.last);
}

loop::Task<wire::HttpResult<wire::Response>> post_input(const AnswersContext& context,
                                                        const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(auto answers, parse_answers(routed.request.body));
  calls::ToAnswer given(std::move(answers));
  CO_ASSIGN_OR_RETURN(const auto last,
                      co_await answer_call(context, routed.caller, routed.id, std::move(given)));
  co_return wire::Response{.body = answered_json(routed.id, last)};
}

}  // namespace toolway::gateway::endpoints
