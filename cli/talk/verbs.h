#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "chat/engine/engine.h"
#include "chat/providers/configuration.h"
#include "cli/client/verbs.h"

/// `toolway talk` and `toolway chat …`. Each prints, and returns the exit status.
namespace toolway::cli::talk {

struct TalkOptions {
  chat::providers::ProviderSettings settings;  ///< of the environment; `script` of --script
  process::ProxyVariables proxies;
  std::string state_home;  ///< of the environment: where state is kept; empty: it does not say
  std::string state;       ///< a directory for conversations; empty: one below `state_home`
  std::string session = "talk";
  std::string message;            ///< empty: from standard input, line by line
  std::set<std::string> given{};  ///< of `toolway talk`: the options that were, as `--system`
  std::string system_prompt;
  std::optional<double> temperature;  ///< nothing: 0.5
  unsigned max_tokens = 1024;
  unsigned max_history = 0;
  std::vector<std::string>
      models{};               ///< of `toolway chat`: what turns may ask for besides the usual
  bool summarize = false;     ///< what is left out of requests
  bool no_summaries = false;  ///< of `toolway chat`: turns may not ask for them
  unsigned max_iterations = 10;
  unsigned context_window = 128'000;
  std::string tool_choice = "auto";
  bool server = false;          ///< the loop is on the server's side, whatever model is set here
  unsigned inline_ms = 60'000;  ///< how long a call may take before the model is told that it runs
};
/// A conversation with a model that has the tools of a session. `clock` outlives it.
int talk(const client::ClientContext& context, const TalkOptions& options, const Clock& clock);

/// What is set (never a key), and whether the model answers. 1: nothing is configured.
int check_chat(const terminal::View& view, const TalkOptions& options, const Clock& clock);

struct ServeOptions {
  std::string script;
  unsigned port = 0;      ///< of 127.0.0.1; 0: the system chooses
  std::string port_file;  ///< gets the port once it serves; empty: none
};
/// Plays a script over HTTP as each of the APIs, until it is interrupted.
int serve_script(const ServeOptions& options);

}  // namespace toolway::cli::talk
