#include "tests/chaos/process_arguments.h"

namespace toolway::chaos {

std::vector<std::string> arguments_of(const Options& options, const std::string& directory,
                                      const std::string& role, const std::string& name) {
  std::vector<std::string> arguments;
  const auto with = [&](std::vector<std::string> more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
  };
  if (role != "collector")
    with({"--root", directory + "/root", "--python-path", directory + "/tools"});
  if (role != "worker" && options.session_idle != 0)
    with({"--session-idle", std::to_string(options.session_idle)});
  if (role != "worker") with({"--seal-keys", seal_keys_in(directory)});
  if (role == "gateway") with({"--specs", directory + "/tools/specs.yaml"});
  if (role == "gateway" && options.with("auth")) with({"--auth", "keys"});
  if (role == "gateway" && !options.with("auth")) with({"--trust-user-header", "loopback"});
  if (role == "worker")
    with({"--pool", "native=32,python=16,command=4", "--workspaces",
          directory + "/workspaces/" + name});
  return arguments;
}

std::map<std::string, std::string> chat_environment(unsigned number, const std::string& model_url) {
  static const std::vector<std::string> kApis{"anthropic", "openai", "openai-responses"};
  const auto& api = kApis[number % kApis.size()];
  return {{"TOOLWAY_AI_PROVIDER", api},
          {"TOOLWAY_AI_MODEL", "planned"},
          {"TOOLWAY_AI_BASE_URL", api == "anthropic" ? model_url : model_url + "/v1"},
          {"TOOLWAY_AI_ALLOW_ADDRESSES", "127.0.0.1"}};
}

std::string seal_keys_in(const std::string& directory) { return directory + "/run/seal-keys"; }

}  // namespace toolway::chaos
