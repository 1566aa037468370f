#include "cli/talk/remote_talk.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/ids.h"
#include "base/text.h"
#include "cli/client/ensure_session.h"
#include "cli/client/follow.h"
#include "cli/client/operator_client.h"
#include "cli/client/problem.h"
#include "cli/client/reporting.h"
#include "cli/talk/call_bars.h"
#include "cli/talk/import_file.h"
#include "cli/talk/import_parts.h"
#include "cli/talk/line_loop.h"
#include "cli/talk/session_calls.h"
#include "cli/talk/shown_text.h"
#include "cli/talk/stop_key.h"
#include "cli/talk/turn_display.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::talk {
namespace {

class RemoteConversation {
 public:
  RemoteConversation(const client::ClientContext& context, client::HttpClient& http,
                     const TalkOptions& options, OrderedJson asked, StopKey& stop_key)
      : context_(context),
        http_(http),
        options_(options),
        asked_(std::move(asked)),
        stop_key_(stop_key),
        bars_(context.http, options.session, context.view.error_style),
        path_("/v1/sessions/" + percent_encoded(options.session)) {}

  /// Nothing: the gateway has no chat process.
  std::optional<int> say(const std::string& message) {
    const OrderedJson body{{"content", message}, {"options", asked_}};
    const auto answer = http_.request("POST", path_ + "/messages", to_text(body),
                                      {{"Idempotency-Key", random_hex(16)}});
    if (!answer) return terminal::report_error(context_.view, answer.error());
    if (answer->status == 503 && client::cell(answer->json(), "code") == "pool_unavailable")
      return std::nullopt;
    if (!answer->ok()) return client::report_problem(context_, *answer);
    return follow(client::cell(answer->json(), "call_id"));
  }

  int command(std::string_view line) {
    if (line == "/new") return begin_new();
    if (line.starts_with("/export")) return export_as(line.substr(7));
    if (line.starts_with("/import")) return import_file(asked_import(line.substr(7)));
    if (line == "/calls") return print_calls(context_, http_, options_.session);
    return help_with(line);
  }

 private:
  int follow(const std::string& call) {
    stop_key_.begin_turn([this, call] { cancel(call); });
    display_.begin_turn();
    OrderedJson ended;
    const auto followed = client::follow_events(
        http_, "/v1/calls/" + call + "/events", "0", [&](const client::SseEvent& event) {
          const auto json = parse_ordered_json(event.data);
          if (json && event.type == "progress") show(*json);
          if (json && event.type == "completed") ended = *json;
          return ended.is_null() && !display_.reader_has_gone();
        });
    const bool stopped = stop_key_.end_turn();
    display_.end_turn();
    if (ended.is_null() && display_.reader_has_gone()) {
      cancel(call);
      return terminal::kExitNotSucceeded;
    }
    if (!followed) return terminal::report_error(context_.view, followed.error());
    if (!followed->ok()) return client::report_problem(context_, *followed);
    return report(ended, stopped);
  }

  void show(const OrderedJson& progress) {
    const auto parts = progress.value("data", OrderedJson());
    if (!parts.is_array()) return;
    display_.attempt(progress.value("attempt", 0U));
    for (const auto& part : parts) {
      const auto shown = shown_part(part);
      if (!shown.status.empty()) display_.note(shown.status);
      if (!display_.text(shown.text)) return;
      if (shown.ends_message) display_.end_message();
    }
  }

  int report(const OrderedJson& ended, bool stopped) {
    const auto result = ended.value("result", OrderedJson());
    const auto error = ended.value("error", OrderedJson());
    if (client::cell(ended, "outcome") == "succeeded") {
      const auto finish = client::cell(result, "finish");
      if (finish == "replied" || finish.empty()) return terminal::kExitOk;
      problem(client::cell(result, "notice"));
      return terminal::kExitNotSucceeded;
    }
    if (stopped || client::cell(ended, "outcome") == "cancelled") {
      display_.note("Stopped");
      return stopped ? 130 : terminal::kExitNotSucceeded;
    }
    problem(fmt::format("{} ({})", client::cell(error, "message"), client::cell(error, "code")));
    return terminal::kExitNotSucceeded;
  }

  int begin_new() {
    const auto answer = http_.request("POST", path_ + "/conversations");
    if (!answer) return terminal::report_error(context_.view, answer.error());
    if (!answer->ok()) return client::report_problem(context_, *answer);
    display_.note("A new conversation");
    return terminal::kExitOk;
  }

  int export_as(std::string_view words) {
    const auto format = asked_export(words);
    if (!format) return terminal::report_error(context_.view, format.error());
    const auto answer = http_.request(
        "GET", fmt::format("{}/export?format={}", path_, tools::exports::format_name(*format)));
    if (!answer) return terminal::report_error(context_.view, answer.error());
    if (!answer->ok()) return client::report_problem(context_, *answer);
    fmt::print("{}\n", answer->body);
    return terminal::kExitOk;
  }

  int import_file(const AskedImport& asked) {
    // In Toolway's own form, a part may be larger than as it is sent.
    constexpr std::size_t kPart = 256UL << 10;
    const auto text = read_import(asked);
    const auto parts = text ? import_parts(*text, kPart) : tl::unexpected(text.error());
    if (!parts) {
      problem(parts.error().message);
      return terminal::kExitUsage;
    }
    const auto begins =
        fmt::format("/v1/conversations:import?session={}&format={}",
                    percent_encoded(options_.session), tools::exports::format_name(asked.format));
    std::string continues;
    OrderedJson result;
    for (const auto& part : *parts) {
      const auto answer = http_.request(
          "POST", begins + continues, part,
          {{"Content-Type", "application/json"}, {"Idempotency-Key", random_hex(16)}});
      if (!answer) return terminal::report_error(context_.view, answer.error());
      if (!answer->ok()) return client::report_problem(context_, *answer);
      const auto call = client::cell(answer->json(), "call_id");
      if (const int status = follow(call); status != terminal::kExitOk) return status;
      const auto ended = http_.request("GET", "/v1/calls/" + call);
      if (!ended) return terminal::report_error(context_.view, ended.error());
      if (!ended->ok()) return client::report_problem(context_, *ended);
      result = ended->json().value("result", OrderedJson::object());
      continues = fmt::format("&conversation={}&after={}", client::cell(result, "conversation"),
                              client::cell(result, "messages"));
    }
    display_.note(fmt::format("A conversation of {} messages", client::cell(result, "messages")));
    return terminal::kExitOk;
  }

  /// On another thread, so with a client of its own.
  void cancel(const std::string& call) const {
    const auto client = client::HttpClient::create(context_.http);
    if (client)
      static_cast<void>((*client)->request("POST", "/v1/calls/" + call + "/cancel",
                                           R"({"reason": "the turn was stopped"})"));
  }

  void problem(const std::string& text) const {
    terminal::print_failure(context_.view, {.what = ShownText().next(text)});
  }

  const client::ClientContext& context_;
  client::HttpClient& http_;
  const TalkOptions& options_;
  const OrderedJson asked_;
  StopKey& stop_key_;
  CallBars bars_;
  TurnDisplay display_{bars_, context_.view};
  const std::string path_;
};

}  // namespace

int no_chat_process(const client::ClientContext& context) {
  terminal::print_failure(
      context.view,
      {.what = "no chat process runs, and nothing else answers messages",
       .next = "start `toolway dev --chat` or `toolway chat`, or set a model here (docs/chat.md)"});
  return terminal::kExitUnavailable;
}

Result<OrderedJson> options_for_server(const TalkOptions& options) {
  const auto given = [&](const char* name) { return options.given.contains(name); };
  const auto refused = [](std::string_view name, std::string_view why) {
    return fail(ErrorCode::kInvalidRequest, fmt::format("{}: {}", name, why));
  };
  if (given("--context-window"))
    return refused("--context-window",
                   "it is for a model that is set here; the server's chat process has its own");
  if (given("--state"))
    return refused("--state",
                   "it is for a model that is set here; the server keeps its conversations itself");
  for (const auto* name : {"--script", "--ai-config"})
    if (options.server && given(name))
      return refused(name, "it sets a model here, and with --server the server's model answers");
  // Who talks sees what comes by itself.
  OrderedJson asked{{"on_completion", "turn"}};
  if (given("--system")) asked["system_prompt"] = options.system_prompt;
  if (given("--max-tokens")) asked["max_tokens"] = options.max_tokens;
  if (given("--temperature")) asked["temperature"] = *options.temperature;
  if (given("--tool-choice")) asked["tool_choice"] = options.tool_choice;
  if (given("--max-iterations")) asked["max_iterations"] = options.max_iterations;
  if (given("--max-history")) asked["max_history"] = options.max_history;
  if (given("--summarize")) asked["enable_summarization"] = options.summarize;
  if (given("--inline-ms")) asked["inline_ms"] = options.inline_ms;
  return asked;
}

ShownPart shown_part(const OrderedJson& part) {
  ShownPart shown;
  if (!part.is_object()) return shown;
  const auto type = client::cell(part, "type");
  if (type == "text") shown.text = client::cell(part, "text");
  if (type == "status") shown.status = client::cell(part, "text");
  shown.ends_message = type == "tool_call";
  return shown;
}

std::optional<int> talk_to_server(const client::ClientContext& context, const TalkOptions& options,
                                  StopKey& stop_key) {
  auto asked = options_for_server(options);
  if (!asked) return terminal::report_error(context.view, asked.error());
  auto http = client::HttpClient::create(context.http);
  if (!http) return terminal::report_error(context.view, http.error());
  const int opened =
      client::ensure_session(context, **http, options.session, client::WhenClosed::kRestore);
  if (opened != terminal::kExitOk) return opened;
  RemoteConversation conversation(context, **http, options, *std::move(asked), stop_key);
  if (!options.message.empty()) return conversation.say(options.message);
  return each_line(context.view,
                   {.say =
                        [&](const std::string& message) {
                          const auto status = conversation.say(message);
                          return status ? *status : no_chat_process(context);
                        },
                    .command = [&](std::string_view line) { return conversation.command(line); }});
}

}  // namespace toolway::cli::talk
