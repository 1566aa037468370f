#include "gateway/mcp/questions.h"

#include <algorithm>

#include "gateway/mcp/sealed.h"
#include "mcp/fields.h"
#include "proto/questions.h"

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::flag;
using toolway::mcp::member;

constexpr std::string_view kQuestionPurpose = "mcp question";
constexpr std::string_view kStatePurpose = "mcp request state";
/// No call lasts longer.
constexpr std::chrono::hours kLifetime{24 * 7};

}  // namespace

v1::Askable askable_of(const Json& capabilities) {
  v1::Askable askable;
  if (const auto* elicitation = member(capabilities, "elicitation");
      elicitation != nullptr && elicitation->is_object()) {
    askable.set_url(elicitation->contains("url"));
    askable.set_form(elicitation->contains("form") || !askable.url());
  }
  askable.set_sampling(member(capabilities, "sampling") != nullptr);
  askable.set_roots(member(capabilities, "roots") != nullptr);
  return askable;
}

Json askable_json(const v1::Askable& askable) {
  return {{"form", askable.form()},
          {"url", askable.url()},
          {"sampling", askable.sampling()},
          {"roots", askable.roots()}};
}

v1::Askable askable_from(const Json& json) {
  v1::Askable askable;
  askable.set_form(flag(json, "form"));
  askable.set_url(flag(json, "url"));
  askable.set_sampling(flag(json, "sampling"));
  askable.set_roots(flag(json, "roots"));
  return askable;
}

Json required_capabilities(std::string_view method, bool is_url) {
  if (method == proto::kSample) return {{"sampling", Json::object()}};
  if (method == proto::kListRoots) return {{"roots", Json::object()}};
  if (method != proto::kElicit) return {};
  return {{"elicitation", is_url ? Json{{"url", Json::object()}} : Json::object()}};
}

std::string seal_question(const SealKeys& keys, const wire::Caller& caller, const AskedOf& question,
                          WallTime now) {
  Json content{{"call", question.call_id}, {"key", question.key}, {"method", question.method}};
  return seal_for(keys, kQuestionPurpose, caller, std::move(content), now + kLifetime);
}

std::optional<AskedOf> open_question(const SealKeys& keys, const wire::Caller& caller,
                                     std::string_view sealed, WallTime now) {
  const auto content = open_for(keys, kQuestionPurpose, caller, sealed, now);
  if (!content) return std::nullopt;
  return AskedOf{text_at(*content, "call"), text_at(*content, "key"), text_at(*content, "method")};
}

std::string seal_state(const SealKeys& keys, const wire::Caller& caller, const RequestState& state,
                       WallTime now) {
  Json content{{"call", state.call_id},
               {"session", state.session_key},
               {"digest", state.digest},
               {"after", state.after.text()}};
  return seal_for(keys, kStatePurpose, caller, std::move(content), now + kLifetime);
}

std::optional<RequestState> open_state(const SealKeys& keys, const wire::Caller& caller,
                                       std::string_view sealed, WallTime now) {
  const auto content = open_for(keys, kStatePurpose, caller, sealed, now);
  if (!content) return std::nullopt;
  const auto after = wire::parse_event_id(text_at(*content, "after"));
  if (!after) return std::nullopt;
  return RequestState{.call_id = text_at(*content, "call"),
                      .session_key = text_at(*content, "session"),
                      .digest = text_at(*content, "digest"),
                      .after = *after};
}

Json input_requests(const Json& questions, const std::vector<std::string>& waiting) {
  Json requests = Json::object();
  for (const auto& question : questions) {
    const auto key = text_at(question, "key");
    if (!waiting.empty() && std::ranges::find(waiting, key) == waiting.end()) continue;
    const auto* params = member(question, "params");
    requests[key] = {{"method", text_at(question, "method")},
                     {"params", params != nullptr ? *params : Json::object()}};
  }
  return requests;
}

Json input_requests(const std::vector<v1::Question>& questions) {
  Json shown = Json::array();
  for (const auto& question : questions) shown.push_back(question_json(question));
  return input_requests(shown);
}

Json question_json(const v1::Question& question) {
  auto params = parse_json(question.params());
  return {{"key", question.key()},
          {"method", question.method()},
          {"params", params ? std::move(*params) : Json::object()}};
}

Json input_required(Json requests, std::string request_state) {
  return {{"resultType", "input_required"},
          {"inputRequests", std::move(requests)},
          {"requestState", std::move(request_state)}};
}

Json declined(std::string_view method, std::string_view message) {
  if (method == proto::kElicit) return {{"action", "cancel"}};
  return {{"error", {{"message", message}}}};
}

}  // namespace toolway::gateway::mcp
