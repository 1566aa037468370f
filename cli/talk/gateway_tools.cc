#include "cli/talk/gateway_tools.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/pause.h"
#include "base/text.h"
#include "base/try.h"
#include "chat/engine/keyed_calls.h"
#include "cli/client/call_wait.h"
#include "cli/client/operator_client.h"
#include "cli/client/problem.h"
#include "cli/client/reporting.h"
#include "tools/exports/api_names.h"
#include "tools/exports/model_results.h"
#include "tools/messages/blocks.h"
#include "tools/messages/export.h"

namespace toolway::cli::talk {
namespace {

using chat::engine::CallProgress;
using chat::engine::NoAnswer;
using std::chrono::milliseconds;
using tools::messages::Call;
using tools::messages::CallResult;
using tools::messages::ToldProgress;
namespace window = chat::window;

/// To cancel calls after a stop.
constexpr milliseconds kCancelTimeout{5'000};
/// For so long a list of tools is used.
constexpr milliseconds kListAge{1'000};
/// So that calls which were not made are given up.
constexpr std::string_view kStartNone = "&start=false";
/// Of 1,000 events each; what comes after them is told later.
constexpr int kMaxPages = 20;

bool is_temporary(int status, ErrorCode code) {
  return status == 429 || status == 502 || status == 503 || status == 504 ||
         code == ErrorCode::kRequestInFlight;
}

/// The calls of a message of Chat Completions, as `tool_calls?format=toolway` takes them.
OrderedJson body_of(const OrderedJson& message) {
  OrderedJson calls = OrderedJson::array();
  for (const auto& call : message.at("tool_calls")) {
    const auto& function = call.at("function");
    calls.push_back({{"id", call.at("id")},
                     {"tool", function.at("name")},
                     {"arguments", function.at("arguments")}});
  }
  return {{"calls", std::move(calls)}};
}

/// The blocks that a tool returned, in place of the text that says what they are. What the gateway
/// says of a result that is larger than what it shows (`ref`: where the whole is) stays.
void show_content(CallResult& result, const OrderedJson& content, const std::string& ref) {
  const auto note = ref.empty() ? std::string::npos : result.text.rfind("\n\n[");
  const auto end = note == std::string::npos ? std::string() : result.text.substr(note);
  std::vector<tools::model::ContentBlock> blocks;
  for (const auto& block : content)
    blocks.push_back({.type = client::cell(block, "type"),
                      .text = client::cell(block, "text"),
                      .data = from_base64(client::cell(block, "data")).value_or(std::string()),
                      .mime_type = client::cell(block, "mime_type"),
                      .uri = client::cell(block, "uri"),
                      .name = client::cell(block, "name")});
  result.text.clear();
  tools::messages::add_content(result, std::move(blocks));
  result.text += end;
}

/// The blocks in a call's answer; null: there are none.
const OrderedJson* content_of(const OrderedJson& call) {
  const auto found = call.find("content");
  return found != call.end() && found->is_array() && !found->empty() ? &*found : nullptr;
}

/// An answer that says yes; or why there is none, and whether a later one may.
tl::expected<client::HttpAnswer, NoAnswer> judged(Result<client::HttpAnswer> answer) {
  if (answer && answer->ok()) return *std::move(answer);
  auto error = answer ? client::error_of(*answer) : answer.error();
  const bool again =
      !answer ? error.code == ErrorCode::kBusUnavailable : is_temporary(answer->status, error.code);
  return tl::unexpected(NoAnswer{std::move(error), again});
}

/// The calls of one message, over HTTP.
class ToolCalls final : public chat::engine::KeyedCalls {
 public:
  /// `path`: of the session.
  ToolCalls(const client::ClientOptions& http, const std::string& path, std::string body,
            const std::string& key)
      : http_(http), path_(path), body_(std::move(body)), key_(key) {}

  tl::expected<Results, NoAnswer> ask(const Ask& ask, const std::stop_token& stop) override {
    auto http = http_;
    http.stop = stop;
    http.timeout = ask.wait + ask.margin;
    const auto client = client::HttpClient::create(std::move(http));
    if (!client) return tl::unexpected(NoAnswer{client.error()});
    const auto target = fmt::format("{}/tool_calls?format=toolway&inline_ms={}{}", path_,
                                    ask.wait.count(), ask.start == Start::kNo ? kStartNone : "");
    ASSIGN_OR_RETURN(const auto answer, judged((*client)->request("POST", target, body_,
                                                                  {{"Idempotency-Key", key_}})));
    return results_in(answer.json());
  }

  void cancel(const std::string& call) override {
    auto http = http_;
    http.timeout = kCancelTimeout;
    const auto client = client::HttpClient::create(std::move(http));
    if (client)
      static_cast<void>((*client)->request("POST", "/v1/calls/" + call + "/cancel",
                                           R"({"reason": "the turn was stopped"})"));
  }

 private:
  const client::ClientOptions& http_;
  const std::string& path_;
  const std::string body_;
  const std::string& key_;
};

class GatewayTools final : public chat::engine::ToolBox {
 public:
  GatewayTools(client::ClientOptions http, const std::string& session, unsigned inline_ms,
               const Clock& clock, std::shared_ptr<KnownTools> known)
      : http_(std::move(http)),
        path_("/v1/sessions/" + percent_encoded(session)),
        usual_inline_ms_(inline_ms),
        clock_(clock),
        known_(std::move(known)) {}

  Result<window::ToolListPtr> definitions(tools::exports::ModelApi api,
                                          std::stop_token stop) override {
    const auto now = clock_.monotonic();
    if (list_ && list_api_ == api && now - listed_at_ < kListAge) return list_;
    const auto format = tools::exports::format_name(tools::messages::format_of(api));
    // A turn need not end because its gateway is away for a moment.
    ASSIGN_OR_RETURN(
        const auto answer,
        chat::engine::ask_again([&] { return judged(listed(format, stop)); }, pause, stop));
    listed_at_ = clock_.monotonic();
    list_api_ = api;
    list_key_ = fmt::format("{} {}", format, known_->lists.key_of(answer.body));
    list_ = known_->lists.find(list_key_);
    if (list_) return list_;
    list_ = window::tool_list(tools_in(answer), api);
    known_->lists.put(list_key_, answer.body.size(), list_);
    return list_;
  }

  std::string shown_name(const std::string& api_name) override {
    // What models call a tool is made of its name: one list of definitions has one list of names.
    if (!names_ && list_) names_ = known_->names.find(list_key_);
    auto qualified = names_ ? names_->resolve(api_name) : fail(ErrorCode::kUnknownTool, "");
    if (!qualified) {
      read_names();  // for the first time, or since a tool came
      qualified = names_->resolve(api_name);
    }
    return qualified.value_or(api_name);
  }

  Result<std::vector<CallResult>> run(const std::vector<Call>& calls, const std::string& key,
                                      std::stop_token stop) override {
    return with_refused(calls, [&](std::string body) {
      ToolCalls asked(http_, path_, std::move(body), key);
      return chat::engine::run_calls(asked, milliseconds(inline_ms_), pause,
                                     {.stop = stop, .leave = leave_});
    });
  }

  Result<std::vector<CallResult>> settle(const std::vector<Call>& calls, const std::string& key,
                                         std::stop_token stop) override {
    return with_refused(calls, [&](std::string body) {
      ToolCalls asked(http_, path_, std::move(body), key);
      return chat::engine::settle_calls(asked, milliseconds(inline_ms_), pause, stop);
    });
  }

  Result<std::vector<chat::engine::EndedCall>> ended(
      const std::vector<std::string>& running) override {
    ASSIGN_OR_RETURN(const auto client, client::HttpClient::create(http_));
    std::vector<chat::engine::EndedCall> found;
    for (const auto& id : running) {
      ASSIGN_OR_RETURN(const auto answer, call_at(*client, id));
      if (auto call = ended_call(id, answer)) found.push_back(std::move(*call));
    }
    return found;
  }

  Result<std::vector<chat::engine::EndedCall>> made_by_no_model(
      const std::vector<std::string>& ended) override {
    ASSIGN_OR_RETURN(const auto client, client::HttpClient::create(http_));
    std::vector<chat::engine::EndedCall> found;
    for (const auto& id : ended) {
      ASSIGN_OR_RETURN(const auto answer, call_at(*client, id));
      if (!answer.ok() && is_temporary(answer.status, ErrorCode::kInternal))
        return fail(client::error_of(answer));
      if (!answer.ok() || made_by_model(answer)) continue;
      if (auto call = ended_call(id, answer)) found.push_back(std::move(*call));
    }
    return found;
  }

  Result<std::vector<CallProgress>> progress(const std::vector<ToldProgress>& running) override {
    ASSIGN_OR_RETURN(const auto client, client::HttpClient::create(http_));
    std::vector<CallProgress> found;
    for (const auto& told : running) {
      ASSIGN_OR_RETURN(auto newer, report_after(*client, told));
      if (newer) found.push_back(std::move(*newer));
    }
    return found;
  }

  void set_leave(std::stop_token leave) override { leave_ = std::move(leave); }

  void set_inline_wait(std::optional<milliseconds> wait) override {
    inline_ms_ = wait ? static_cast<unsigned>(wait->count()) : usual_inline_ms_;
  }

  bool remembers() const override { return true; }

 private:
  /// What `ask` learns of the calls that can be run, after the results of those that cannot be.
  template <typename Ask>
  static Result<std::vector<CallResult>> with_refused(const std::vector<Call>& calls, Ask ask) {
    auto made = chat::engine::calls_message(calls);
    auto results = std::move(made.refused);
    if (made.message.is_null()) return results;
    ASSIGN_OR_RETURN(auto known, ask(to_text(body_of(made.message))));
    results.insert(results.end(), std::make_move_iterator(known.begin()),
                   std::make_move_iterator(known.end()));
    return results;
  }

  static Result<client::HttpAnswer> call_at(client::HttpClient& client, const std::string& id) {
    return client.request("GET", "/v1/calls/" + percent_encoded(id));
  }

  /// Nothing: there is none.
  static Result<std::optional<CallProgress>> report_after(client::HttpClient& client,
                                                          const ToldProgress& told) {
    std::optional<CallProgress> newest;
    std::string after = told.event;
    for (int page = 0; page < kMaxPages; ++page) {
      const auto target =
          fmt::format("/v1/calls/{}/events?limit=1000{}{}", percent_encoded(told.ran_as),
                      after.empty() ? "" : "&after=", percent_encoded(after));
      ASSIGN_OR_RETURN(const auto answer,
                       client.request("GET", target, {}, {{"Accept", "application/json"}}));
      if (!answer.ok()) break;  // it has been deleted, or is told later
      const auto events = answer.json();
      if (auto newer = newest_report(told.ran_as, events)) newest = std::move(newer);
      after = client::cell(events, "next");
      if (client::cell(events, "more") != "true") break;
    }
    return newest;
  }

  Result<client::HttpAnswer> listed(std::string_view format, std::stop_token stop) const {
    auto http = http_;
    http.stop = std::move(stop);
    ASSIGN_OR_RETURN(const auto client, client::HttpClient::create(std::move(http)));
    return client->request("GET", fmt::format("{}/tools?format={}", path_, format));
  }

  static OrderedJson tools_in(const client::HttpAnswer& answer) {
    const auto list = answer.json();
    return list.is_object() ? list.value("tools", OrderedJson::array()) : OrderedJson::array();
  }

  void read_names() {
    std::vector<std::string> qualified;
    const auto answer = listed("toolway", {});
    if (answer && answer->ok())
      for (const auto& tool : tools_in(*answer))
        qualified.push_back(client::cell(tool, "namespace") + "." + client::cell(tool, "name"));
    names_ = std::make_shared<const tools::exports::ApiNames>(qualified);
    // Unless tools came or went between the two lists.
    if (answer && answer->ok() && list_ && list_->definitions.size() == qualified.size())
      known_->names.put(list_key_, answer->body.size(), names_);
  }

  const client::ClientOptions http_;
  const std::string path_;
  const unsigned usual_inline_ms_;
  unsigned inline_ms_ = usual_inline_ms_;
  std::stop_token leave_;
  const Clock& clock_;
  const std::shared_ptr<KnownTools> known_;
  MonotonicTime listed_at_{};
  std::optional<tools::exports::ModelApi> list_api_;
  std::string list_key_;
  window::ToolListPtr list_;  // null: it was not asked for yet
  std::shared_ptr<const tools::exports::ApiNames> names_;
};

}  // namespace

std::vector<CallResult> results_in(const OrderedJson& answer) {
  std::vector<CallResult> results;
  if (!answer.is_object()) return results;
  for (const auto& one : answer.value("results", OrderedJson::array())) {
    const auto status = client::cell(one, "status");
    if (status == "never_started") {
      results.push_back(tools::messages::interrupted_result(
          client::cell(one, "id"), tools::messages::Interruption::kNeverStarted));
      continue;
    }
    results.push_back({.call_id = client::cell(one, "id"),
                       .text = client::cell(one, "text"),
                       .is_error = client::cell(one, "is_error") == "true",
                       .ran_as = client::cell(one, "call_id"),
                       .detached = status == "detached" || status == client::kAwaitingApproval});
    if (const auto* content = content_of(one); content != nullptr && !results.back().is_error)
      show_content(results.back(), *content, client::cell(one, "result_ref"));
  }
  return results;
}

std::optional<chat::engine::EndedCall> ended_call(const std::string& id,
                                                  const client::HttpAnswer& answer) {
  // A call that there is not any more has ended, too, and is not asked for again.
  if (answer.status == 404)
    return chat::engine::EndedCall{id, "a call", "its result is not kept any more", true};
  const auto call = answer.json();
  if (!answer.ok() || !call.is_object() || client::cell(call, "outcome").empty())
    return std::nullopt;
  chat::engine::EndedCall made{
      id, client::cell(call, "namespace") + "." + client::cell(call, "tool"), {}, false};
  made.is_error = client::cell(call, "outcome") != "succeeded";
  if (made.is_error) {
    made.text = client::cell(call.value("error", OrderedJson::object()), "message");
    return made;
  }
  CallResult result{
      .call_id = {},
      .text = tools::exports::model_text(to_text(call.value("result", OrderedJson())))};
  if (const auto* content = content_of(call)) show_content(result, *content, "");
  if (const auto ref = call.find("result_ref"); ref != call.end() && ref->is_object())
    result.text += tools::exports::whole_result_note(ref->value("size", 0UL), id);
  made.text = std::move(result.text);
  made.blocks = std::move(result.blocks);
  return made;
}

bool made_by_model(const client::HttpAnswer& call) {
  return !client::cell(call.json(), "face").empty();
}

std::optional<CallProgress> newest_report(const std::string& id, const OrderedJson& events) {
  std::optional<CallProgress> newest;
  if (!events.is_object()) return newest;
  for (const auto& event : events.value("events", OrderedJson::array())) {
    if (client::cell(event, "type") != "progress") continue;
    std::string text = client::cell(event, "progress");
    for (const auto& [before, member] :
         {std::pair(" of ", "total"), {", step ", "step"}, {": ", "message"}})
      if (const auto said = client::cell(event, member); !said.empty()) text += before + said;
    newest = {.name = client::cell(event, "namespace") + "." + client::cell(event, "tool"),
              .text = std::move(text),
              .told = {.ran_as = id, .event = client::cell(event, "id")}};
  }
  return newest;
}

std::unique_ptr<chat::engine::ToolBox> make_gateway_tools(client::ClientOptions http,
                                                          const std::string& session,
                                                          unsigned inline_ms, const Clock& clock,
                                                          std::shared_ptr<KnownTools> known) {
  return std::make_unique<GatewayTools>(std::move(http), session, inline_ms, clock,
                                        std::move(known));
}

}  // namespace toolway::cli::talk
