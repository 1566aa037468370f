#include <fmt/format.h>

#include <filesystem>

#include "base/ids.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/try.h"
#include "chat/engine/file_memory.h"
#include "cli/client/ensure_session.h"
#include "cli/client/reporting.h"
#include "cli/process/hardening.h"
#include "cli/talk/call_bars.h"
#include "cli/talk/gateway_tools.h"
#include "cli/talk/import_file.h"
#include "cli/talk/line_loop.h"
#include "cli/talk/model.h"
#include "cli/talk/remote_talk.h"
#include "cli/talk/session_calls.h"
#include "cli/talk/shown_text.h"
#include "cli/talk/stop_key.h"
#include "cli/talk/turn_display.h"
#include "cli/talk/verbs.h"
#include "cli/terminal/exit_code.h"
#include "tools/messages/import.h"

namespace toolway::cli::talk {
namespace {

using chat::engine::Reply;
using chat::engine::ToolAwareChatEngine;
using How = Reply::How;

/// One conversation at a terminal, or in a pipe.
class Conversation {
 public:
  /// `http`: of the session named `session`.
  struct Calls {
    client::HttpClient& http;
    const std::string& session;
  };
  Conversation(const client::ClientContext& context, Calls calls, ToolAwareChatEngine& engine,
               const std::string& provider, StopKey& stop_key)
      : context_(context),
        calls_(calls),
        engine_(engine),
        provider_(provider),
        stop_key_(stop_key),
        bars_(context.http, calls.session, context.view.error_style) {}

  int say(const std::string& message) {
    return turn([&](const auto& events) { return engine_.send(message, events); });
  }

  /// Lines of standard input, until it ends.
  int read_lines() {
    if (engine_.interrupted() && !engine_.memory().history().messages().empty()) {
      display_.note("Continuing the turn that was interrupted");
      turn([&](const auto& events) { return engine_.resume(events); });
    }
    return each_line(context_.view,
                     {.say = [this](const std::string& message) { return say(message); },
                      .command = [this](std::string_view line) { return command(line); }});
  }

 private:
  template <typename Run>
  int turn(Run run) {
    const chat::engine::Events events{
        .on_text =
            [this](std::string_view piece) {
              if (!display_.text(piece)) engine_.stop();
            },
        .on_call = [this](const auto&,
                          const std::string& name) { display_.note("Calling tool: " + name); },
        .on_status = [this](std::string_view text) { display_.note(text); }};
    stop_key_.begin_turn([this] { engine_.stop(); });
    display_.begin_turn();
    const auto reply = run(events);
    const bool stopped = stop_key_.end_turn();
    display_.end_turn();
    return report(reply, stopped);
  }

  int report(const Reply& reply, bool stopped) {
    switch (reply.how) {
      case How::kReplied: return terminal::kExitOk;
      case How::kStopped:
        display_.note("Stopped");
        return stopped ? 130 : terminal::kExitNotSucceeded;
      case How::kFailed:
        problem(fmt::format("{} ({})", reply.text, reply.error));
        return terminal::kExitUnavailable;
      case How::kRefused:
      case How::kCutOff:
      case How::kFiltered: problem(reply.notice); break;
      case How::kMaxIterations:
      case How::kRepeats: problem(reply.text); break;
    }
    return terminal::kExitNotSucceeded;
  }

  int command(std::string_view line) {
    if (line == "/new") {
      const auto begun = engine_.new_conversation();
      if (!begun) return terminal::report_error(context_.view, begun.error());
      display_.note("A new conversation");
      return terminal::kExitOk;
    }
    if (line.starts_with("/export")) return export_as(line.substr(7));
    if (line.starts_with("/import")) return import_file(asked_import(line.substr(7)));
    if (line == "/calls") return print_calls(context_, calls_.http, calls_.session);
    return help_with(line);
  }

  int export_as(std::string_view name) {
    const auto format = asked_export(name);
    if (!format) return terminal::report_error(context_.view, format.error());
    const auto text =
        tools::messages::export_conversation(engine_.memory().history(), *format, provider_);
    if (!text) return terminal::report_error(context_.view, text.error());
    fmt::print("{}\n", *text);
    return terminal::kExitOk;
  }

  int import_file(const AskedImport& asked) {
    const auto text = read_import(asked);
    const auto imported =
        text ? tools::messages::import_conversation(*text, asked.format,
                                                    tools::messages::Mended::kRefuse, provider_)
             : tl::unexpected(text.error());
    if (!imported) {
      problem(imported.error().message);
      return terminal::kExitUsage;
    }
    if (const auto begun = engine_.new_conversation(); !begun)
      return terminal::report_error(context_.view, begun.error());
    for (const auto& message : imported->history.messages())
      if (const auto added = engine_.memory().append(message); !added)
        return terminal::report_error(context_.view, added.error());
    display_.note(
        fmt::format("A conversation of {} messages", imported->history.messages().size()));
    return terminal::kExitOk;
  }

  void problem(const std::string& text) const {
    terminal::print_failure(context_.view, {.what = ShownText().next(text)});
  }

  const client::ClientContext& context_;
  const Calls calls_;
  ToolAwareChatEngine& engine_;
  const std::string provider_;
  StopKey& stop_key_;
  CallBars bars_;
  TurnDisplay display_{bars_, context_.view};
};

Result<std::filesystem::path> state_directory(const TalkOptions& options) {
  if (!options.state.empty()) return options.state;
  if (options.state_home.empty())
    return fail(ErrorCode::kInvalidRequest,
                "cannot tell where to keep conversations: neither XDG_STATE_HOME nor HOME is set. "
                "Name a directory with --state");
  return std::filesystem::path(options.state_home) / "toolway" / "talk";
}

/// A conversation of this session, user and gateway: each has one of its own.
std::string name_of(const client::ClientContext& context, const std::string& session) {
  constexpr std::size_t kDigits = 12;
  return session + "-" + sha256_hex(context.http.url + "\n" + context.http.user).substr(0, kDigits);
}

chat::engine::EngineConfig config_of(const TalkOptions& options, const Model& model) {
  chat::engine::EngineConfig config;
  config.options.model = model.configured.model;
  if (options.temperature) config.options.temperature = options.temperature;
  config.options.max_tokens = options.max_tokens;
  config.options.tool_choice = options.tool_choice;
  config.system_prompt = options.system_prompt;
  config.context_window = options.context_window;
  config.max_history = options.max_history;
  config.enable_summarization = options.summarize;
  config.limits.max_iterations = options.max_iterations;
  return config;
}

Result<std::unique_ptr<ToolAwareChatEngine>> make_engine(const client::ClientContext& context,
                                                         const TalkOptions& options,
                                                         const Model& model, const Clock& clock) {
  ASSIGN_OR_RETURN(const auto directory, state_directory(options));
  ASSIGN_OR_RETURN(auto memory,
                   chat::engine::open_file_memory(directory, name_of(context, options.session)));
  return ToolAwareChatEngine::create(
      std::move(memory), model.provider,
      make_gateway_tools(context.http, options.session, options.inline_ms, clock),
      config_of(options, model), clock);
}

}  // namespace

int talk(const client::ClientContext& context, const TalkOptions& options, const Clock& clock) {
  process::wipe_environment({"OPENAI_API_KEY", "ANTHROPIC_API_KEY"});
  StopKey stop_key;
  if (!valid_session_id(options.session))
    return terminal::report_error(
        context.view,
        {ErrorCode::kInvalidIdentifier,
         "a session's id has 1 to 128 of the characters A-Z a-z 0-9 . _ : @ -, and is "
         "neither . nor .."});
  if (options.given.contains("message") && trimmed(options.message).empty())
    return terminal::report_error(context.view,
                                  {ErrorCode::kInvalidRequest, "the message is empty"});
  if (options.server) {
    const auto status = talk_to_server(context, options, stop_key);
    return status ? *status : no_chat_process(context);
  }
  const auto made = make_model(options, clock);
  if (!made) return terminal::report_error(context.view, made.error());
  const auto* none = std::get_if<chat::providers::NotConfigured>(&*made);
  // Without a model here, the loop is on the server's side.
  if (none != nullptr && options.settings.enabled != "false")
    if (const auto status = talk_to_server(context, options, stop_key)) return *status;
  if (none != nullptr) {
    terminal::print_failure(
        context.view,
        {.what = none->why,
         .next = "start `toolway dev --chat`, or try it without a model: --script FILE "
                 "(docs/chat.md)"});
    return terminal::kExitInternal;
  }
  const auto& model = std::get<Model>(*made);
  auto client = client::HttpClient::create(context.http);
  if (!client) return terminal::report_error(context.view, client.error());
  const int opened =
      client::ensure_session(context, **client, options.session, client::WhenClosed::kRestore);
  if (opened != terminal::kExitOk) return opened;
  const auto engine = make_engine(context, options, model, clock);
  if (!engine) return terminal::report_error(context.view, engine.error());
  Conversation conversation(context, {**client, options.session}, **engine, model.provider->id(),
                            stop_key);
  return options.message.empty() ? conversation.read_lines() : conversation.say(options.message);
}

}  // namespace toolway::cli::talk
