#include "chat/providers/configuration.h"

#include <fmt/format.h>

#include "base/comma_list.h"
#include "base/text.h"
#include "base/try.h"

namespace toolway::chat::providers {
namespace {

std::string_view default_model(std::string_view provider) {
  return provider == "anthropic" ? "claude-haiku-4-5" : "gpt-5-mini";
}

std::string chosen_provider(const ProviderSettings& settings) {
  if (!settings.provider.empty()) return settings.provider;
  // Most servers of one's own speak Chat Completions.
  const bool openai = !settings.openai_key.empty() || !settings.base_url.empty();
  return settings.anthropic_key.empty() && openai ? "openai" : "anthropic";
}

/// Where a setting comes from.
std::string from(const ProviderSettings& settings, const std::string& variable,
                 const std::string& value, const char* otherwise) {
  if (value.empty()) return otherwise;
  const auto found = settings.from.find(variable);
  return found == settings.from.end() ? variable : found->second;
}

Result<std::uint64_t> limit_of(const char* variable, const std::string& text) {
  std::uint64_t limit = 0;
  if (text.empty()) return limit;
  if (parse_number(text, limit) && limit > 0) return limit;
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("{} must be a whole number of 1 or more, not '{}'", variable, text));
}

using Settings = ProviderSettings;
constexpr SettingVariable kVariables[] = {
    {"TOOLWAY_AI_ENABLED", &Settings::enabled},
    {"TOOLWAY_AI_PROVIDER", &Settings::provider},
    {"TOOLWAY_AI_MODEL", &Settings::model},
    {"TOOLWAY_AI_BASE_URL", &Settings::base_url},
    {"TOOLWAY_AI_ALLOW_ADDRESSES", &Settings::allow_addresses},
    {"OPENAI_API_KEY", &Settings::openai_key},
    {"ANTHROPIC_API_KEY", &Settings::anthropic_key},
    {"OPENAI_API_KEY_FILE", &Settings::openai_key_file},
    {"ANTHROPIC_API_KEY_FILE", &Settings::anthropic_key_file},
    {"TOOLWAY_AI_CONFIG", &Settings::config_file},
    {"TOOLWAY_AI_REQUESTS_PER_MINUTE", &Settings::requests_per_minute},
    {"TOOLWAY_AI_TOKENS_PER_MINUTE", &Settings::tokens_per_minute},
};

}  // namespace

std::span<const SettingVariable> setting_variables() { return kVariables; }

Result<Configuration> configure(const ProviderSettings& settings) {
  if (settings.enabled == "false")
    return NotConfigured{"AI features disabled (TOOLWAY_AI_ENABLED=false)"};
  if (!settings.enabled.empty() && settings.enabled != "true")
    return fail(
        ErrorCode::kInvalidRequest,
        fmt::format("TOOLWAY_AI_ENABLED must be true or false, not '{}'", settings.enabled));
  if (!settings.script.empty())
    return Configured{.provider = "scripted",
                      .model = "scripted",
                      .base_url = {},
                      .key = {},
                      .key_name = {},
                      .provider_from = "--script",
                      .model_from = "--script"};
  Configured made{.provider = chosen_provider(settings),
                  .model = settings.model,
                  .base_url = settings.base_url,
                  .key = {},
                  .key_name = {}};
  const bool has_key = !settings.openai_key.empty() || !settings.anthropic_key.empty();
  made.provider_from = from(settings, "TOOLWAY_AI_PROVIDER", settings.provider,
                            has_key ? "the one whose key is there" : "the usual one");
  made.allow_addresses = comma_list(settings.allow_addresses);
  made.model_from = from(settings, "TOOLWAY_AI_MODEL", settings.model, "the usual one");
  made.base_url_from = from(settings, "TOOLWAY_AI_BASE_URL", settings.base_url, "the usual one");
  if (made.provider == "scripted")
    return NotConfigured{"The provider 'scripted' needs a script. Name it with --script FILE.",
                         true};
  if (make_dialect(made.provider) == nullptr)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("TOOLWAY_AI_PROVIDER must be openai, openai-responses, anthropic or "
                            "scripted, not '{}'",
                            made.provider));
  ASSIGN_OR_RETURN(made.pace.requests,
                   limit_of("TOOLWAY_AI_REQUESTS_PER_MINUTE", settings.requests_per_minute));
  ASSIGN_OR_RETURN(made.pace.tokens,
                   limit_of("TOOLWAY_AI_TOKENS_PER_MINUTE", settings.tokens_per_minute));
  const bool anthropic = made.provider == "anthropic";
  made.key = anthropic ? settings.anthropic_key : settings.openai_key;
  const std::string variable = anthropic ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
  made.key_name = from(settings, variable, made.key, variable.c_str());
  if (made.model.empty()) made.model = default_model(made.provider);
  // A model on one's own machine often needs none.
  if (made.key.empty() && made.base_url.empty())
    return NotConfigured{
        fmt::format("No API key found for provider '{}'. Set {}.", made.provider, made.key_name),
        true};
  return made;
}

}  // namespace toolway::chat::providers
