#include "cli/authoring/run_tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "base/log.h"
#include "base/log_text.h"
#include "base/nearest_names.h"
#include "base/pause.h"
#include "base/try.h"
#include "cli/client/argument_words.h"
#include "cli/client/arguments.h"
#include "cli/client/result_text.h"
#include "cli/process/reader_options.h"
#include "cli/process/tool_kinds.h"
#include "cli/process/worker_mocks.h"
#include "cli/specs/spec_texts.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/report.h"
#include "tools/builtin/builtin.h"
#include "tools/model/kinds.h"
#include "tools/model/local_context.h"
#include "tools/native/native_tool.h"

namespace toolway::cli::authoring {
namespace {

using Specs = std::vector<std::shared_ptr<const tools::model::Spec>>;

/// Those of the files, and of the build where no file has the name.
Result<Specs> known_specs(const process::ProcessOptions& options,
                          const tools::model::Registry& natives) {
  Specs specs;
  if (!options.specs.empty()) {
    const auto read = specs::read_spec_texts(
        options.specs, process::python_options(options.python, options.python_path), options.env);
    if (!read.mistakes.empty()) {
      std::string lines;
      for (const auto& mistake : read.mistakes)
        lines += (lines.empty() ? "" : "\n") + mistake.text();
      return fail(ErrorCode::kInvalidSpec, std::move(lines));
    }
    for (const auto& file : read.files) {
      for (const auto& offered : file.specs) {
        if (offered.enabled && offered.rollout == 0) specs.push_back(offered.spec);
      }
    }
  }
  for (const auto* native : natives.list()) {
    const auto name = native->spec().qualified_name();
    const bool adjusted = std::any_of(specs.begin(), specs.end(), [&](const auto& spec) {
      return spec->qualified_name() == name;
    });
    if (!adjusted) specs.push_back(std::make_shared<const tools::model::Spec>(native->spec()));
  }
  return specs;
}

Result<tools::model::Spec> chosen_spec(const Specs& specs, const std::string& name) {
  Specs found;
  std::vector<std::string> names;
  for (const auto& spec : specs) {
    names.push_back(spec->qualified_name());
    if (spec->qualified_name() == name || spec->name == name) found.push_back(spec);
  }
  if (found.size() == 1) return *found.front();
  if (found.empty()) {
    const auto near = nearest_names(name, names);
    return fail(ErrorCode::kUnknownTool,
                fmt::format("neither the specs nor this build have a tool '{}'{}", name,
                            near.empty() ? "" : "; did you mean " + quoted_choices(near) + "?"));
  }
  names.clear();
  for (const auto& spec : found) names.push_back(spec->qualified_name());
  return fail(ErrorCode::kAmbiguousTool,
              fmt::format("'{}' may be {}", name, quoted_choices(names)));
}

/// A tool that is ready, and what it needs as long as it runs.
struct Ready {
  tools::model::ToolKinds kinds;
  std::shared_ptr<const tools::executors::mock::Mocks> mocks;
  tools::model::RegisteredToolPtr tool;
};

/// As a worker makes it (workers/call/tool_table.cc), from a spec that needs no fetching.
Result<Ready> make_ready(const process::ProcessOptions& options,
                         const tools::model::Registry& natives, tools::model::Spec spec,
                         const std::shared_ptr<const tools::model::Secrets>& secrets) {
  Ready ready;
  ASSIGN_OR_RETURN(ready.mocks, process::make_worker_mocks(options.mocks, natives, secrets));
  auto mock = ready.mocks ? ready.mocks->instead_of(spec) : nullptr;
  const auto checks = mock ? tools::model::SchemaChecks::kByRun
                      : spec.kind == tools::model::Kind::kNative
                          ? tools::model::SchemaChecks::kByTool
                          : tools::model::SchemaChecks::kByRun;
  auto tool = Result<std::shared_ptr<const tools::model::Tool>>(std::move(mock));
  if (!*tool && spec.kind == tools::model::Kind::kNative) {
    const auto native = natives.find(spec.ns, spec.name);
    tool = tools::native::with_spec(native->tool, std::move(spec));
  } else if (!*tool) {
    // Its kind's pool: only that kind must run on this machine.
    ASSIGN_OR_RETURN(ready.kinds, process::make_worker_kinds(
                                      options, {{.name = std::string(spec.kind.name), .slots = 1}},
                                      secrets, [](tools::model::Toolset) {}));
    tool = tools::model::make_tool(ready.kinds, std::move(spec));
  }
  RETURN_IF_ERROR(tool);
  ASSIGN_OR_RETURN(
      ready.tool,
      tools::model::register_tool(
          ready.mocks ? ready.mocks->recorded(*std::move(tool)) : *std::move(tool), checks));
  return ready;
}

/// Asks the tool to stop when its time has passed.
class RunLimit {
 public:
  RunLimit(std::chrono::milliseconds limit, std::stop_source& stop) {
    if (limit.count() == 0) return;
    thread_ = std::jthread([limit, &stop](const std::stop_token& done) {
      if (pause(limit, done)) stop.request_stop();
    });
  }

 private:
  std::jthread thread_;
};

Json shown(const tools::model::ToolError& error) {
  Json shown = {{"code", error.code}, {"message", error.message}};
  if (error.retryable) shown["retryable"] = true;
  if (error.retry_after) shown["retry_after_ms"] = error.retry_after->count();
  if (!error.details.is_null()) shown["details"] = error.details;
  return shown;
}

tools::model::Execution execute(const Ready& ready, const Json& arguments,
                                const tools::model::Secrets& secrets) {
  tools::model::LocalContext context;
  context.call_limits = ready.tool->spec().limits;
  for (const auto& [name, value] : secrets.all()) context.secrets.insert_or_assign(name, value);
  tools::model::ProgressTo progress([](const tools::model::ProgressReport& report) {
    fmt::print(stderr, "progress  {}{} {}{}\n", report.progress,
               report.total > 0 ? fmt::format("/{}", report.total) : "", log_text(report.message),
               report.data.is_null() ? "" : " " + to_text(report.data));
  });
  tools::model::Execution ended;
  {
    const RunLimit limit(context.call_limits.run, context.stop);
    ended = ready.tool->run(arguments, context, progress);
  }
  for (const auto& [level, line] : context.logged())
    fmt::print(stderr, "log       {}\n", log_text(line));
  if (!ended && context.stop.stop_requested()) {
    return tl::unexpected(tools::model::ToolError(
        "run_limit_exceeded",
        fmt::format("it ran for more than its limit of {} ms", context.call_limits.run.count())));
  }
  return ended;
}

/// Pairs are typed by the tool's schema, as `call` does.
Result<Json> arguments_of(const std::vector<std::string>& words, const tools::model::Spec& spec) {
  ASSIGN_OR_RETURN(const auto object,
                   client::are_pairs(words)
                       ? client::object_of_pairs(words, OrderedJson(spec.input_schema))
                       : client::arguments_of_words(words));
  return parse_json(to_text(object));
}

}  // namespace

int run_tool(const RunToolOptions& options) {
  start_logging("run", "error");
  const auto natives = tools::builtin::builtin_registry({.root = options.process.root});
  if (!natives) return terminal::report_error(options.view, natives.error());
  const auto specs = known_specs(options.process, **natives);
  if (!specs) return terminal::report_error(options.view, specs.error());
  auto spec = chosen_spec(*specs, options.name);
  if (!spec) return terminal::report_error(options.view, spec.error());
  const auto arguments = arguments_of(options.arguments, *spec);
  if (!arguments) return terminal::report_error(options.view, arguments.error());
  const auto secrets = std::make_shared<const tools::model::Secrets>(
      options.process.secrets_directory, options.process.secrets);
  const auto ready = make_ready(options.process, **natives, *std::move(spec), secrets);
  if (!ready) return terminal::report_error(options.view, ready.error());
  const auto ended = execute(*ready, *arguments, *secrets);
  if (options.view.json()) {
    fmt::print("{}\n",
               to_text(ended ? Json{{"result", *ended}} : Json{{"error", shown(ended.error())}}));
  } else if (ended) {
    client::print_result(options.view, OrderedJson(*ended));
  } else {
    terminal::print_failure(options.view,
                            {.what = fmt::format("the tool failed: {} ({})", ended.error().message,
                                                 ended.error().code)});
  }
  return ended ? terminal::kExitOk : terminal::kExitNotSucceeded;
}

}  // namespace toolway::cli::authoring
