#include "chat/providers/setting_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/os/file_io.h"
#include "base/text.h"
#include "base/try.h"
#include "tools/specs/fields.h"
#include "tools/specs/trees.h"

namespace toolway::chat::providers {
namespace {

namespace specs = tools::specs;

constexpr std::size_t kMaxKeyBytes = 16UL << 10;
constexpr std::size_t kMaxConfigBytes = 256UL << 10;
constexpr std::string_view kSpace = " \t\r\n";

/// `name`: the variable that names the file.
Result<std::string> read_named(std::string_view name, const std::string& file, std::size_t most) {
  auto text = os::read_file(file, most + 1);
  if (!text)
    return fail(ErrorCode::kInvalidRequest, fmt::format("{}: {}", name, text.error().message));
  if (text->size() > most)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("{}: {} has more than {} bytes", name, file, most));
  return std::move(*text);
}

Result<void> read_key(const char* name, const std::string& file, std::string& key,
                      ProviderSettings& settings) {
  if (file.empty() || !key.empty()) return {};
  ASSIGN_OR_RETURN(const auto text, read_named(std::string(name) + "_FILE", file, kMaxKeyBytes));
  key = trimmed(text, kSpace);
  // What it is may be a secret, so it is not shown.
  if (key.empty() || key.find_first_of(kSpace) != std::string::npos)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("{}_FILE: {} {}: write the key there, and nothing else", name, file,
                            key.empty() ? "is empty" : "has more than one word"));
  settings.from[name] = std::string(name) + "_FILE";
  return {};
}

/// Members of the file, which say what variables do.
struct Member {
  const char* name;
  std::string ProviderSettings::* value;
};
constexpr Member kTexts[] = {
    {"provider", &ProviderSettings::provider},
    {"model", &ProviderSettings::model},
    {"base_url", &ProviderSettings::base_url},
};
constexpr Member kAddresses{"allow_addresses", &ProviderSettings::allow_addresses};
constexpr Member kLimits[] = {
    {"requests_per_minute", &ProviderSettings::requests_per_minute},
    {"tokens_per_minute", &ProviderSettings::tokens_per_minute},
};

const char* variable_of(const Member& member) {
  return std::ranges::find(setting_variables(), member.value, &SettingVariable::value)->name;
}

/// One of them, unless the environment has it.
void take(const Member& member, std::string text, specs::Fields& fields,
          ProviderSettings& settings) {
  auto& value = settings.*member.value;
  if (text.empty() || !value.empty()) return;
  value = std::move(text);
  settings.from[variable_of(member)] =
      fmt::format("{}, line {}", settings.config_file, fields.line_of(member.name));
}

Result<void> read_config(ProviderSettings& settings) {
  if (settings.config_file.empty()) return {};
  ASSIGN_OR_RETURN(const auto text,
                   read_named("TOOLWAY_AI_CONFIG", settings.config_file, kMaxConfigBytes));
  Mistakes mistakes(settings.config_file);
  const auto tree = specs::read_tree(text, mistakes);
  if (tree && !tree->is_map()) mistakes.add(tree->line, "expected `provider`, `model` and so on");
  if (tree && tree->is_map()) {
    specs::Fields fields(*tree, "the configuration of models", mistakes);
    for (const auto& member : kTexts) {
      std::string found;
      fields.text(member.name, found);
      take(member, std::move(found), fields, settings);
    }
    std::vector<std::string> addresses;
    fields.texts(kAddresses.name, addresses);
    take(kAddresses, fmt::format("{}", fmt::join(addresses, ",")), fields, settings);
    for (const auto& member : kLimits) {
      std::uint64_t found = 0;
      fields.whole<std::uint64_t>(member.name, found, {.least = 1});
      take(member, found == 0 ? "" : std::to_string(found), fields, settings);
    }
    fields.nothing_else();
  }
  if (mistakes.count() == 0) return {};
  std::string all;
  for (const Mistake& mistake : std::move(mistakes).take()) all += "\n  " + mistake.text();
  return fail(ErrorCode::kInvalidRequest, "the configuration of models has mistakes:" + all);
}

}  // namespace

Result<ProviderSettings> with_files(ProviderSettings settings) {
  // What is off asks for nothing.
  if (settings.enabled == "false" || !settings.script.empty()) return settings;
  RETURN_IF_ERROR(
      read_key("OPENAI_API_KEY", settings.openai_key_file, settings.openai_key, settings));
  RETURN_IF_ERROR(
      read_key("ANTHROPIC_API_KEY", settings.anthropic_key_file, settings.anthropic_key, settings));
  RETURN_IF_ERROR(read_config(settings));
  return settings;
}

}  // namespace toolway::chat::providers
