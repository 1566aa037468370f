#include "cli/authoring/commands.h"

#include <fmt/format.h>

#include "cli/client/reporting.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/report.h"

namespace toolway::cli::authoring {
namespace {

int new_tool(const AloneOptions& options) {
  auto tool = options.made;
  const bool native = tool.kind == "native";
  if (!options.into.empty())
    tool.directory = options.into;
  else if (native)
    tool.directory = ".";
  std::error_code ignored;
  if (native &&
      !std::filesystem::exists(tool.directory / "tools" / "native" / "native.h", ignored)) {
    return terminal::report_error(
        options.run.view,
        {ErrorCode::kInvalidRequest,
         fmt::format(
             "a native tool is compiled into toolway, and {} is not a checkout of its sources (it has no tools/native/native.h): "
             "name one with --into, or choose another kind",
             std::filesystem::absolute(tool.directory).lexically_normal().string()),
         {}});
  }
  const auto made = scaffold(tool);
  if (!made) return terminal::report_error(options.run.view, made.error());
  if (auto written = write_scaffold(*made); !written)
    return terminal::report_error(options.run.view, written.error());
  for (const auto& file : made->files)
    fmt::print("made  {}\n", file.path.lexically_normal().string());
  fmt::print("\nTest it, offer it, and call it, from another terminal:\n\n");
  for (const auto& command : made->next) fmt::print("    {}\n", command);
  return terminal::kExitOk;
}

void add_new(CLI::App& tools, AloneOptions& options, std::function<int()>& verb) {
  auto* made = tools.add_subcommand("new", "Create a tool with its test, and show the next steps");
  made->add_option("name", options.made.name, "1 to 64 characters of A-Z a-z 0-9 _ -")->required();
  made->add_option("--kind", options.made.kind,
                   fmt::format("{}", fmt::join(scaffolded_kinds(), ", ")))
      ->capture_default_str();
  made->add_option("--namespace,-n", options.made.ns, "of the tool")->capture_default_str();
  made->add_option(
      "--into", options.into,
      "directory for the files (my-tools; for native: this directory, a checkout of Toolway)");
  made->add_option("--port", options.made.port, "of the local server to try an http tool against")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  made->callback([&options, &verb] { verb = [&options] { return new_tool(options); }; });
}

void add_run(CLI::App& tools, AloneOptions& options, terminal::ViewOptions& view,
             std::function<int()>& verb) {
  auto& run = options.run;
  auto* sub = tools.add_subcommand(
      "run", "Run a tool in this process, without NATS or Postgres: for testing it");
  sub->add_option("tool", run.name, "namespace.name")->required();
  sub->add_option("arguments", run.arguments,
                  "a JSON object, @FILE, - (standard input), or NAME=VALUE pairs");
  sub->add_option("--specs", run.process.specs, "file or directory of specs; repeatable")
      ->allow_extra_args(false);
  sub->add_option("--env", run.process.env, "environment whose spec overlays apply");
  sub->add_option("--root", run.process.root, "what the filesystem tools may read")
      ->capture_default_str();
  sub->add_option("--python", run.process.python,
                  "interpreter for python tools, or a virtual environment's")
      ->capture_default_str();
  sub->add_option("--python-path", run.process.python_path,
                  "directory to import their modules from; repeatable");
  sub->add_option("--sandbox", run.process.sandbox,
                  "YAML file with sandbox profiles for command tools");
  sub->add_option("--set", run.process.settings,
                  "KIND.NAME=VALUE: a setting of a tool kind; repeatable")
      ->allow_extra_args(false);
  sub->add_option("--secrets", run.process.secrets_directory,
                  "directory with one file per secret (or TOOLWAY_SECRET_<NAME>)");
  sub->add_option("--mock", run.process.mocks.files,
                  "file of answers that stand in for tools; repeatable")
      ->allow_extra_args(false);
  terminal::add_output_option(*sub, view, {"table", "raw", "json"});
  sub->callback([&options, &verb] { verb = [&options] { return run_tool(options.run); }; });
}

}  // namespace

void add_alone_verbs(CLI::App& tools, AloneOptions& options, terminal::ViewOptions& view,
                     std::function<int()>& verb) {
  add_new(tools, options, verb);
  add_run(tools, options, view, verb);
}

}  // namespace toolway::cli::authoring
