#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "chat/providers/http_provider.h"

namespace toolway::chat::providers {

/// What an operator sets, by environment and files. Keys are secrets.
struct ProviderSettings {
  std::string enabled{};   ///< TOOLWAY_AI_ENABLED; empty: true
  std::string provider{};  ///< TOOLWAY_AI_PROVIDER; empty: the one whose key is there
  std::string model{};     ///< TOOLWAY_AI_MODEL; empty: a small one of the provider
  std::string base_url{};  ///< TOOLWAY_AI_BASE_URL; empty: the provider's own
  /// TOOLWAY_AI_ALLOW_ADDRESSES, with commas between: besides the public internet.
  std::string allow_addresses{};
  std::string openai_key{};           ///< OPENAI_API_KEY
  std::string anthropic_key{};        ///< ANTHROPIC_API_KEY
  std::string openai_key_file{};      ///< OPENAI_API_KEY_FILE: has the key, if that is not set
  std::string anthropic_key_file{};   ///< ANTHROPIC_API_KEY_FILE
  std::string config_file{};          ///< TOOLWAY_AI_CONFIG: says what the environment does not
  std::string requests_per_minute{};  ///< TOOLWAY_AI_REQUESTS_PER_MINUTE; empty: no limit
  std::string tokens_per_minute{};    ///< TOOLWAY_AI_TOKENS_PER_MINUTE; empty: no limit
  std::string script{};               ///< a file: the scripted provider plays it
  /// Where what comes from a file was found, by the variable that says the same (setting_files.h).
  std::map<std::string, std::string, std::less<>> from{};
};

/// The variables of the environment that say them, each once.
struct SettingVariable {
  const char* name;
  std::string ProviderSettings::* value;
};
std::span<const SettingVariable> setting_variables();

/// Why no model is asked: a state, not a failure.
struct NotConfigured {
  std::string why;  ///< for a person: what to set
  bool lacks_model =
      false;  ///< a key or a script is missing: nothing else keeps one from being asked
};

/// What the settings come to; without any request, and without reading a file.
struct Configured {
  std::string provider;  ///< openai, openai-responses, anthropic or scripted
  std::string model;
  std::string base_url;                        ///< empty: the provider's own
  std::string key;                             ///< a secret; empty: none
  std::string key_name;                        ///< the variable it comes from
  std::vector<std::string> allow_addresses{};  ///< besides the public internet
  PaceLimits pace{};                           ///< of one process
  /// Where each comes from: a variable, a line of a file, or in words why it is so.
  std::string provider_from{};
  std::string model_from{};
  std::string base_url_from{};
};
using Configuration = std::variant<NotConfigured, Configured>;

/// Decides which provider is meant. Pure. Errors: kInvalidRequest (a provider that there is not, an
/// `enabled` that is not true or false, a limit of another form).
Result<Configuration> configure(const ProviderSettings& settings);

}  // namespace toolway::chat::providers
