#include <fmt/format.h>

#include <chrono>

#include "chat/providers/base_url.h"
#include "cli/client/reporting.h"
#include "cli/process/hardening.h"
#include "cli/talk/model.h"
#include "cli/talk/shown_text.h"
#include "cli/talk/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/report.h"

namespace toolway::cli::talk {
namespace {

namespace providers = chat::providers;

/// What the trial request came to.
struct Trial {
  providers::ReplyResult reply;
  std::chrono::milliseconds took{0};
};

Trial try_request(providers::Provider& provider, const std::string& model, const Clock& clock) {
  const auto message =
      tools::messages::text_message(tools::messages::Role::kUser, "Reply with the word: ready");
  providers::ModelRequest request{.messages = {&message}, .options = {.model = model}};
  request.options.max_tokens = 256;
  const auto begun = clock.monotonic();
  auto reply = provider.ask(request, [](std::string_view) {}, {});
  return {std::move(reply),
          std::chrono::duration_cast<std::chrono::milliseconds>(clock.monotonic() - begun)};
}

OrderedJson as_json(const providers::Configured& configured, const Trial& trial) {
  OrderedJson json = {
      {"configured", true},
      {"provider", configured.provider},
      {"model", configured.model},
      {"base_url", configured.base_url.empty()
                       ? OrderedJson()
                       : OrderedJson(providers::shown_url(configured.base_url))},
      {"key", !configured.key.empty()},
      {"from",
       {{"provider", configured.provider_from},
        {"model", configured.model_from},
        {"base_url", configured.base_url_from},
        {"key", configured.key.empty() ? OrderedJson() : OrderedJson(configured.key_name)}}},
      {"answers", trial.reply.has_value()},
      {"took_ms", trial.took.count()}};
  if (!trial.reply)
    json["error"] = {{"code", providers::kind_name(trial.reply.error().kind)},
                     {"message", trial.reply.error().message}};
  return json;
}

void print(const providers::Configured& configured, const Trial& trial) {
  const auto say = [](const char* what, const std::string& value, const std::string& from) {
    // A variable or a file, or in words why it is so.
    const bool words = from.starts_with("the ");
    fmt::print("{:<10} {}{}{}{}\n", what, value, words ? " (" : ", from ", from, words ? ")" : "");
  };
  if (configured.provider == "scripted") {
    fmt::print("provider   scripted\nmodel      scripted\n");
  } else {
    say("provider", configured.provider, configured.provider_from);
    say("model", configured.model, configured.model_from);
    if (configured.base_url.empty())
      fmt::print("base URL   the provider's own\n");
    else
      say("base URL", providers::shown_url(configured.base_url), configured.base_url_from);
    fmt::print("key        {}\n",
               configured.key.empty() ? "none" : "set, from " + configured.key_name);
  }
  if (!trial.reply) return;
  const auto text = ShownText().next(tools::messages::text_of(*trial.reply));
  fmt::print("answers    yes, in {} ms: {}\n", trial.took.count(),
             text.empty() ? "(no text)" : text);
}

int not_configured(const terminal::View& view, const std::string& why) {
  if (view.json())
    client::print_json({{"configured", false}, {"code", "not_configured"}, {"message", why}});
  else
    fmt::print("{}\n", why);
  return terminal::kExitInternal;
}

}  // namespace

int check_chat(const terminal::View& view, const TalkOptions& options, const Clock& clock) {
  process::wipe_environment({"OPENAI_API_KEY", "ANTHROPIC_API_KEY"});
  const auto made = make_model(options, clock);
  if (!made) return terminal::report_error(view, made.error());
  if (const auto* none = std::get_if<providers::NotConfigured>(&*made))
    return not_configured(view, none->why);
  const auto& model = std::get<Model>(*made);
  const auto trial = try_request(*model.provider, model.configured.model, clock);
  if (view.json())
    client::print_json(as_json(model.configured, trial));
  else
    print(model.configured, trial);
  if (trial.reply) return terminal::kExitOk;
  if (!view.json())
    terminal::print_failure(view, {.what = fmt::format("{} ({})", trial.reply.error().message,
                                                       kind_name(trial.reply.error().kind))});
  return terminal::kExitUnavailable;
}

}  // namespace toolway::cli::talk
