#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cli/command_line.h"
#include "cli/process/hardening.h"
#include "cli/terminal/exit_code.h"

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string either(const char* name, const char* other) {
  auto value = variable(name);
  return value.empty() ? variable(other) : value;
}

/// The variables whose names begin with `prefix`, by the rest of their names.
std::map<std::string, std::string, std::less<>> variables(std::string_view prefix) {
  std::map<std::string, std::string, std::less<>> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || !text.starts_with(prefix)) continue;
    found.emplace(text.substr(prefix.size(), equals - prefix.size()), text.substr(equals + 1));
  }
  return found;
}

/// Where programs keep what they must not forget (XDG Base Directory Specification).
std::string state_home() {
  auto named = variable("XDG_STATE_HOME");
  if (named.starts_with('/')) return named;
  const auto home = variable("HOME");
  return home.empty() ? "" : home + "/.local/state";
}

toolway::chat::providers::ProviderSettings provider_settings() {
  toolway::chat::providers::ProviderSettings settings;
  for (const auto& [name, value] : toolway::chat::providers::setting_variables())
    settings.*value = variable(name);
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace toolway::cli;
  toolway::cli::process::close_to_other_processes();
  const toolway::cli::process::Environment environment{
      .nats_url = variable("TOOLWAY_NATS_URL"),
      .postgres_url = variable("TOOLWAY_POSTGRES_URL"),
      .specs_token = variable("TOOLWAY_SPECS_TOKEN"),
      .secrets = variables("TOOLWAY_SECRET_"),
      .nats_server = variable("TOOLWAY_NATS_SERVER"),
      .url = variable("TOOLWAY_URL"),
      .user = variable("TOOLWAY_USER"),
      .token = either("TOOLWAY_API_KEY", "TOOLWAY_TOKEN"),
      .ca_file = variable("TOOLWAY_CA_FILE"),
      // HTTP_PROXY has no meaning: in a CGI program a client's header sets it.
      .proxies = {.http = variable("http_proxy"),
                  .https = either("https_proxy", "HTTPS_PROXY"),
                  .all = either("all_proxy", "ALL_PROXY"),
                  .none = either("no_proxy", "NO_PROXY")},
      .otel = {.endpoint = variable("OTEL_EXPORTER_OTLP_ENDPOINT"),
               .headers = variable("OTEL_EXPORTER_OTLP_HEADERS"),
               .certificate = variable("OTEL_EXPORTER_OTLP_CERTIFICATE"),
               .sampler_arg = variable("OTEL_TRACES_SAMPLER_ARG"),
               .resource_attributes = variable("OTEL_RESOURCE_ATTRIBUTES"),
               .metric_interval = variable("OTEL_METRIC_EXPORT_INTERVAL")},
      .ai = provider_settings(),
      .state_home = state_home(),
      .columns = variable("COLUMNS"),
      .no_color = !variable("NO_COLOR").empty()};
  toolway::cli::process::wipe_environment(
      {"TOOLWAY_NATS_URL", "TOOLWAY_POSTGRES_URL", "TOOLWAY_SPECS_TOKEN", "TOOLWAY_SECRET_",
       "TOOLWAY_TOKEN", "TOOLWAY_API_KEY", "OTEL_EXPORTER_OTLP_HEADERS"});
  // The parser copies what it reads; a URL's password is on the command line until then.
  std::vector<std::string> copies(argv, argv + argc);
  std::vector<char*> arguments;
  for (auto& copy : copies) arguments.push_back(copy.data());
  arguments.push_back(nullptr);
  toolway::cli::process::wipe_passwords(argc, argv);
  toolway::cli::process::wipe_messages(argc, argv);
  try {
    return toolway::cli::run(argc, arguments.data(), environment, toolway::SystemClock());
  } catch (const std::exception& error) {
    // At the start of a process: the system has no thread, or no memory.
    std::fprintf(stderr, "toolway: cannot continue: %s\n", error.what());
    return toolway::cli::terminal::kExitInternal;
  }
}
