#include "cli/talk/commands.h"

#include <CLI/CLI.hpp>

namespace toolway::cli::talk {
namespace {

void add_talk(CLI::App& app, const TalkVerbs& verbs,
              const std::function<void(CLI::App&)>& add_client_options) {
  auto* talk = app.add_subcommand("talk", "Talk to a model that has the tools of a session");
  add_client_options(*talk);
  auto& options = verbs.talk;
  talk->add_option("message", options.message,
                   "one message; without it, each line of standard input is one");
  talk->add_option("--session", options.session, "opened with every namespace if it does not exist")
      ->capture_default_str();
  add_model_options(*talk, options);
  talk->add_flag("--server", options.server,
                 "let the server's chat process answer, although a model is set here");
  talk->add_option("--state", options.state,
                   "directory of the conversations (default: XDG_STATE_HOME/toolway/talk)");
  talk->callback([verbs, talk] {
    for (const auto* option :
         talk->get_options([](const CLI::Option* one) { return one->count() > 0; }))
      verbs.talk.given.insert(option->get_name());
    verbs.verb = [verbs] { return talk::talk(verbs.client, verbs.talk, *verbs.clock); };
  });
}

}  // namespace

void add_ai_config(CLI::App& app, chat::providers::ProviderSettings& settings) {
  app.add_option("--ai-config", settings.config_file,
                 "YAML file with provider, model, base_url (default: TOOLWAY_AI_CONFIG)");
}

void add_model_options(CLI::App& app, TalkOptions& options) {
  add_ai_config(app, options.settings);
  app.add_option("--script", options.settings.script,
                 "YAML file that answers in place of a model (docs/chat.md)");
  app.add_option("--system", options.system_prompt, "what the model is told first");
  app.add_option("--temperature", options.temperature,
                 "0 to 2; left out for models that refuse it (default: 0.5)")
      ->check(CLI::Range(0.0, 2.0));
  app.add_option("--max-tokens", options.max_tokens, "of one reply")
      ->check(CLI::Range(1U, 1'000'000U))
      ->capture_default_str();
  app.add_option("--max-history", options.max_history, "messages to send at most; 0: no limit")
      ->capture_default_str();
  app.add_flag("--summarize", options.summarize,
               "let the model summarize what no longer fits, and send that in its place");
  app.add_option("--max-iterations", options.max_iterations, "requests to the model in one turn")
      ->check(CLI::Range(1U, 1000U))
      ->capture_default_str();
  app.add_option("--context-window", options.context_window, "tokens of the model's window")
      ->check(CLI::Range(1000U, 100'000'000U))
      ->capture_default_str();
  app.add_option("--tool-choice", options.tool_choice,
                 "auto, none, required, or the model's name of one tool")
      ->capture_default_str();
  app.add_option("--inline-ms", options.inline_ms,
                 "how long a call may take; after that the model is told that it runs on")
      ->check(CLI::Range(0U, 300'000U))
      ->capture_default_str();
}

void add_talk_verbs(CLI::App& app, TalkVerbs verbs,
                    const std::function<void(CLI::App&)>& add_client_options) {
  add_talk(app, verbs, add_client_options);
  auto* chat =
      app.add_subcommand("chat", "Run the turns of conversations; check the model, serve a script")
          ->require_subcommand(0, 1);
  auto* check = chat->add_subcommand("check", "Say what is set, and try one request");
  check->add_option("--script", verbs.talk.settings.script,
                    "YAML file that answers in place of a model");
  add_ai_config(*check, verbs.talk.settings);
  terminal::add_table_options(*check, verbs.view);
  check->callback([verbs] {
    verbs.verb = [verbs] { return check_chat(verbs.client.view, verbs.talk, *verbs.clock); };
  });
  auto* serve = chat->add_subcommand(
      "serve", "Serve a script as OpenAI's and Anthropic's APIs, for tests without a model");
  serve->add_option("--script", verbs.serve.script, "YAML file with the replies")->required();
  serve->add_option("--port", verbs.serve.port, "of 127.0.0.1; 0: the system chooses")
      ->check(CLI::Range(0U, 65535U))
      ->capture_default_str();
  serve->add_option("--port-file", verbs.serve.port_file, "file to write the port to");
  serve->callback([verbs] { verbs.verb = [verbs] { return serve_script(verbs.serve); }; });
}

}  // namespace toolway::cli::talk
