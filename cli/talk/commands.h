#pragma once

#include <functional>

#include "cli/talk/verbs.h"
#include "cli/terminal/view_options.h"

namespace CLI {
class App;
}

namespace toolway::cli::talk {

/// Adds `talk` and `chat check|serve`; what they choose is in the others, which outlive `app`.
/// `clock` is read when a verb runs.
struct TalkVerbs {
  client::ClientContext& client;
  TalkOptions& talk;
  ServeOptions& serve;
  terminal::ViewOptions& view;
  std::function<int()>& verb;
  const Clock* const& clock;
};
/// `--ai-config`, for all that may ask a model.
void add_ai_config(CLI::App& app, chat::providers::ProviderSettings& settings);
/// What a model is asked with: the same for `talk` and the process of turns.
void add_model_options(CLI::App& app, TalkOptions& options);
/// `talk` gets the options of a client from `add_client_options`.
void add_talk_verbs(CLI::App& app, TalkVerbs verbs,
                    const std::function<void(CLI::App&)>& add_client_options);

}  // namespace toolway::cli::talk
