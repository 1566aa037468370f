#include "cli/stack/arguments.h"

#include <fmt/format.h>

#include "cli/stack/run_files.h"

namespace toolway::cli::stack {
namespace {

/// Those whose names begin with `prefix`.
void add_settings(const StackOptions& options, std::vector<std::string>& argv,
                  std::string_view prefix) {
  for (const auto& setting : options.settings)
    if (setting.starts_with(prefix)) argv.insert(argv.end(), {"--set", setting});
}

void add_python_arguments(const StackOptions& options, std::vector<std::string>& argv) {
  argv.insert(argv.end(), {"--python", options.python});
  for (const auto& directory : options.python_path)
    argv.insert(argv.end(), {"--python-path", directory});
}

/// The rest is in the environment, which they inherit.
void add_telemetry_arguments(const StackOptions& options, std::vector<std::string>& argv) {
  if (!options.otlp.empty()) argv.insert(argv.end(), {"--otlp", options.otlp});
  if (options.trace_sample)
    argv.insert(argv.end(), {"--trace-sample", fmt::format("{}", *options.trace_sample)});
}

void add_gateway_arguments(const StackOptions& options, std::vector<std::string>& argv) {
  add_python_arguments(options, argv);
  add_settings(options, argv, "mcp.servers=");
  for (auto& argument : process::arguments_of(options.edge)) argv.push_back(std::move(argument));
  argv.insert(argv.end(), {"--durability", std::string(name_of(options.durability))});
  argv.insert(argv.end(), {"--loops", std::to_string(options.gateway_loops)});
  for (const auto& spec : options.specs) argv.insert(argv.end(), {"--specs", spec});
  argv.insert(argv.end(), options.gateway_options.begin(), options.gateway_options.end());
  if (!options.env.empty()) argv.insert(argv.end(), {"--env", options.env});
  if (!options.specs_token_file.empty())
    argv.insert(argv.end(), {"--specs-token-file", options.specs_token_file});
}

void add_worker_arguments(const StackOptions& options, const std::filesystem::path& data,
                          std::vector<std::string>& argv) {
  for (const auto& pool : options.pools) argv.insert(argv.end(), {"--pool", pool});
  add_python_arguments(options, argv);
  argv.insert(argv.end(), {"--workspaces", (data / "workspaces").string()});
  if (!options.sandbox.empty()) argv.insert(argv.end(), {"--sandbox", options.sandbox});
  if (options.park_after_s)
    argv.insert(argv.end(), {"--park-after", std::to_string(*options.park_after_s)});
  add_settings(options, argv, "");
  if (!options.secrets_directory.empty())
    argv.insert(argv.end(), {"--secrets", options.secrets_directory});
  for (auto& argument : process::arguments_of(options.mocks)) argv.push_back(std::move(argument));
}

}  // namespace

std::vector<std::string> arguments_of(const StackOptions& options, std::string_view role,
                                      const std::filesystem::path& data) {
  std::vector<std::string> argv;
  const bool chat = role == "chat";
  if (role != "collector" && !chat) argv.insert(argv.end(), {"--root", options.root});
  add_telemetry_arguments(options, argv);
  if (role != "collector" && !chat && !options.webhook_secrets.empty())
    argv.insert(argv.end(), {"--webhook-secrets", options.webhook_secrets});
  if (role == "gateway") add_gateway_arguments(options, argv);
  if (role == "gateway") argv.insert(argv.end(), {"--seal-keys", token_keys_file(data.string())});
  if (role == "collector") argv.insert(argv.end(), {"--seal-keys", seal_keys_file(data.string())});
  if (role == "worker") add_worker_arguments(options, data, argv);
  if (chat)
    argv.insert(argv.end(), {"--url-file", http_url_file(data.string()), "--token-file",
                             operator_token_file(data.string())});
  if (chat && !options.chat_script.empty())
    argv.insert(argv.end(), {"--script", options.chat_script});
  if (chat && options.chat_slots != 0)
    argv.insert(argv.end(), {"--slots", std::to_string(options.chat_slots)});
  return argv;
}

}  // namespace toolway::cli::stack
