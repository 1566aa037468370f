#include "cli/verbs.h"

#include <CLI/CLI.hpp>

namespace toolway::cli {

void add_tools(CLI::App& app, std::string& root, std::vector<std::string>& specs,
               std::string& token_file, std::string& env) {
  app.add_option("--root", root, "what the filesystem tools may read")->capture_default_str();
  app.add_option("--specs", specs,
                 "file, directory or http(s) URL of tool specs; repeatable, the first wins")
      ->allow_extra_args(false);
  app.add_option("--env", env, "environment whose spec overlays apply");
  app.add_option("--specs-token-file", token_file,
                 "file with the bearer token for those URLs (or TOOLWAY_SPECS_TOKEN)");
}

void add_durability(CLI::App& app, std::function<void(Durability)> chosen,
                    const std::string& text) {
  app.add_option_function<std::string>(
         "--durability",
         [chosen = std::move(chosen)](const std::string& word) { chosen(*parse_durability(word)); },
         text)
      ->check(CLI::IsMember({name_of(Durability::kProcess), name_of(Durability::kPower)}));
}

void add_python(CLI::App& app, std::string& python, std::vector<std::string>& path) {
  app.add_option("--python", python, "interpreter for python tools, or a virtual environment's")
      ->capture_default_str();
  app.add_option("--python-path", path, "directory to import their modules from; repeatable")
      ->capture_default_str();
}

void add_kinds(CLI::App& app, std::string& python, std::vector<std::string>& path,
               std::string& sandbox) {
  add_python(app, python, path);
  app.add_option("--sandbox", sandbox, "YAML file with sandbox profiles for command tools");
}

void add_settings(CLI::App& app, std::vector<std::string>& settings, std::string& secrets) {
  app.add_option("--set", settings, "KIND.NAME=VALUE: a setting of a tool kind; repeatable");
  app.add_option("--secrets", secrets,
                 "directory with one file per secret of the tools (or TOOLWAY_SECRET_<NAME>)");
}

void add_mocks(CLI::App& app, process::MockFlags& mocks) {
  app.add_option(
         "--mock", mocks.files,
         "file of answers that stand in for tools: YAML, JSON, or recorded .ndjson; repeatable")
      ->allow_extra_args(false);
  app.add_option("--mock-speed", mocks.speed, "speed of recorded answers: 1 as recorded, 0 at once")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--mock-only", mocks.only, "refuse every tool that has no mock");
  app.add_option("--record", mocks.record,
                 "append every call that really ran a tool to this .ndjson file");
}

void add_telemetry(CLI::App& app, std::string& otlp, std::optional<double>& trace_sample) {
  app.add_option(
      "--otlp", otlp,
      "OTLP/HTTP receiver for spans and metrics, such as http://collector:4318 (OTEL_EXPORTER_OTLP_ENDPOINT)");
  app.add_option(
         "--trace-sample", trace_sample,
         "share of the traces starting here that is sampled, 0 to 1 (OTEL_TRACES_SAMPLER_ARG; 0.01)")
      ->check(CLI::Range(0.0, 1.0));
}

void add_logging(CLI::App& app, std::string& level, std::string& format) {
  app.add_option("--log-level", level, "debug, info, warn, error")->capture_default_str();
  app.add_option(
         "--log-format", format,
         "text, or json: an object a line, also for each call that is refused, held or slow")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

void add_park_after(CLI::App& app, std::optional<unsigned>& seconds) {
  app.add_option("--park-after", seconds,
                 "seconds for which a call whose tool waits for an answer keeps its slot, if the "
                 "tool may run again (30)")
      ->check(CLI::Range(1U, 86400U));
}

void add_webhook_secrets(CLI::App& app, std::string& file) {
  app.add_option(
      "--webhook-secrets", file,
      "file (mode 0600) with the services that may be asked about calls, and the secrets "
      "that sign what they are asked; without it rules with `ask` get no answer");
}

void refuse_empty_values(CLI::App& app) {
  const auto not_empty = [](const std::string& value) {
    return value.empty() ? std::string("needs a value that is not empty") : std::string();
  };
  // What a chart leaves empty is not set, and so is a store of the benchmark.
  const bool may_be_empty = app.get_group() == "Processes" || app.get_name() == "bench";
  for (auto* option : app.get_options([](const CLI::Option*) { return true; }))
    if (!may_be_empty && option->get_items_expected_max() > 0) option->check(not_empty);
  for (auto* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    refuse_empty_values(*verb);
}

std::string without_value(const std::vector<std::string>& words) {
  for (const auto& word : words) {
    if (word == "--") break;
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      return word.substr(0, word.size() - 1);
  }
  return {};
}

}  // namespace toolway::cli
