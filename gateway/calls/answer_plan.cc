#include "gateway/calls/answer_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "proto/questions.h"
#include "tools/schema/schema.h"

namespace toolway::gateway::calls {
namespace {

using Unasked = ToAnswer::Unasked;
/// About 3 ms at most (tools/schema/schema_work.h).
constexpr std::uint64_t kMaxSteps = 30'000;

LogPlan refuse(ErrorCode code, std::string why) {
  return {.kind = LogPlan::Kind::kRefuse, .event = {}, .refusal = Error{code, std::move(why)}};
}

bool has_text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string();
}

std::optional<std::string> wrong_content(const Json& params, const Json& answer) {
  const auto mode = params.find("mode");
  if (mode != params.end() && *mode == "url") return std::nullopt;
  const auto content = answer.find("content");
  if (content == answer.end() || !content->is_object())
    return "an answer that accepts has `content`, an object";
  const auto schema = params.find("requestedSchema");
  if (schema == params.end()) return std::nullopt;
  const auto compiled = tools::schema::compile_schema(OrderedJson(*schema));
  // The tool's own mistake: what it gets is not checked.
  if (!compiled) return std::nullopt;
  const auto wrong = (*compiled)->validate_within(*content, kMaxSteps);
  if (!wrong) return "its content takes too long to check";
  if (wrong->empty()) return std::nullopt;
  return tools::schema::describe(*wrong);
}

std::optional<std::string> wrong_elicitation(const Json& params, const Json& answer) {
  if (!has_text(answer, "action")) return "an answer has `action`: accept, decline or cancel";
  const auto& action = answer["action"].get_ref<const std::string&>();
  if (action == "accept") return wrong_content(params, answer);
  if (action == "decline" || action == "cancel") return std::nullopt;
  return "`action` is accept, decline or cancel";
}

std::optional<std::string> wrong_roots(const Json& answer) {
  const auto roots = answer.find("roots");
  const bool good = roots != answer.end() && roots->is_array() &&
                    std::ranges::all_of(*roots, [](const Json& root) {
                      return root.is_object() && has_text(root, "uri");
                    });
  if (good) return std::nullopt;
  return "an answer has `roots`, a list of objects with `uri`";
}

/// One change of a call's log by answers.
class AnswerPlanner {
 public:
  explicit AnswerPlanner(ToAnswer given) : given_(std::move(given)) {}

  LogPlan operator()(const LogView& log) {
    const auto& last = log.last;
    if (!last) return refuse(ErrorCode::kNotAsked, "the call has not started");
    // What was written is there, whatever followed.
    if (wrote() && all_answered(*last))
      return proto::is_parked(*last) ? LogPlan{} : LogPlan{.kind = LogPlan::Kind::kTell};
    // A completion does not name them: what may have been written counts as written.
    if (last->has_completed())
      return log.may_have_written || leaves_out()
                 ? LogPlan{}
                 : refuse(ErrorCode::kNotAsked, "the call has ended");
    if (!proto::takes_answers(*last))
      return refuse(ErrorCode::kNotAsked,
                    last->has_cancel_requested()
                        ? "the call is being cancelled"
                        : "the call runs at no worker now; try again when it has started again");
    return write(*last, log.now);
  }

 private:
  bool leaves_out() const { return given_.unasked == Unasked::kLeftOut; }
  bool wrote() const { return !wrote_.empty(); }

  /// Whether the log has all that was written, and not what another one was faster to write.
  bool all_answered(const v1::CallEvent& last) const {
    return std::ranges::all_of(wrote_, [&last](const auto& written) {
      return std::ranges::any_of(last.questions(), [&written](const v1::Question& question) {
        return question.key() == written.first && question.answer() == written.second;
      });
    });
  }

  LogPlan write(const v1::CallEvent& last, WallTime now) {
    v1::CallEvent event = last;
    event.clear_kind();
    event.clear_admission();
    event.set_seq(last.seq() + 1);
    event.set_time_us(to_unix_us(now));
    event.mutable_input_provided()->set_follows(proto::followed_by(last));
    std::size_t bytes = 0;
    for (const auto& question : last.questions()) bytes += proto::size_of(question);
    for (const auto& [key, answer] : given_.answers) {
      auto added = take(event, key, answer);
      if (!added) return refuse(added.error().code, added.error().message);
      bytes += *added;
    }
    if (bytes > proto::kMaxQuestionsBytes)
      return refuse(ErrorCode::kPayloadTooLarge,
                    fmt::format("all questions and answers of a call have at most {} bytes",
                                proto::kMaxQuestionsBytes));
    const auto& keys = event.input_provided().keys();
    if (keys.empty()) return {};
    wrote_.clear();
    for (const auto& key : keys) wrote_.emplace(key, to_text(given_.answers.at(key)));
    return {.kind = LogPlan::Kind::kWrite, .event = std::move(event)};
  }

  /// Bytes that the answer adds.
  Result<std::size_t> take(v1::CallEvent& event, const std::string& key, const Json& answer) const {
    auto& questions = *event.mutable_questions();
    const auto question = std::ranges::find(questions, key, &v1::Question::key);
    if (question == questions.end()) {
      if (leaves_out()) return 0;
      return fail(ErrorCode::kNotAsked, fmt::format("the tool has not asked {}", key));
    }
    auto text = to_text(answer);
    if (!question->answer().empty()) {
      if (leaves_out() || question->answer() == text) return 0;
      return fail(ErrorCode::kNotAsked, fmt::format("{} was answered before", key));
    }
    if (auto wrong = wrong_answer(*question, answer))
      return fail(ErrorCode::kInvalidRequest, fmt::format("{}: {}", key, *wrong));
    if (text.size() > proto::kMaxAnswerBytes)
      return fail(ErrorCode::kPayloadTooLarge,
                  fmt::format("{}: an answer has at most {} bytes", key, proto::kMaxAnswerBytes));
    const auto added = text.size() + given_.user_id.size();
    question->set_answer(std::move(text));
    question->set_by(given_.user_id);
    question->clear_params();
    event.mutable_input_provided()->add_keys(key);
    return added;
  }

  ToAnswer given_;
  std::map<std::string, std::string> wrote_;  // the texts of answers, by their keys
};

}  // namespace

std::optional<std::string> wrong_answer(const v1::Question& question, const Json& answer) {
  if (!answer.is_object()) return "an answer is an object";
  // The client says no, or could not answer: the tool is told that.
  if (const auto error = answer.find("error"); error != answer.end() && error->is_object())
    return std::nullopt;
  if (question.method() == proto::kListRoots) return wrong_roots(answer);
  if (question.method() == proto::kSample) {
    if (has_text(answer, "role") && answer.contains("content")) return std::nullopt;
    return "an answer has `role` and `content`";
  }
  const auto params = parse_json(question.params());
  return wrong_elicitation(params ? *params : Json::object(), answer);
}

std::vector<v1::Question> waiting_questions(const std::optional<v1::CallEvent>& last) {
  std::vector<v1::Question> waiting;
  if (!last || !proto::takes_answers(*last)) return waiting;
  for (const auto& question : last->questions())
    if (question.answer().empty()) waiting.push_back(question);
  return waiting;
}

LogEdit answering(KnownCall call, ToAnswer given, MonotonicTime deadline) {
  return LogEdit(std::move(call), AnswerPlanner(std::move(given)), deadline);
}

}  // namespace toolway::gateway::calls
