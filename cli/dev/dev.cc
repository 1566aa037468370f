#include "cli/dev/dev.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "cli/mock/verbs.h"
#include "cli/process/edge_flags.h"
#include "cli/process/file_io.h"
#include "cli/process/host_port.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::dev {
namespace {

std::string words_of(Durability durability) {
  return durability == Durability::kPower
             ? "power: accepted calls survive a power cut; NATS syncs each message"
             : "process: accepted calls survive kill -9 of any process, not a power cut "
               "(--durability power)";
}

void print_banner(const stack::Stack& stack, Durability durability, const terminal::Style& style) {
  const auto description = stack.description();
  const auto line = [&](const char* name, const std::string& value) {
    fmt::print("  {} {}\n", style(terminal::Colour::kDim, fmt::format("{:<10}", name)), value);
  };
  fmt::print("\n{}\n\n", style(terminal::Colour::kBold, "Toolway is ready."));
  line("API",
       style(terminal::Colour::kCyan, stack.url()) + "  (docs: " + stack.url() + "/openapi.yaml)");
  for (std::size_t i = 1; i < description["http_all"].size(); ++i)
    line("", style(terminal::Colour::kCyan, description["http_all"][i].get<std::string>()));
  for (const char* role : {"gateway", "worker", "collector"})
    for (const auto& url : description["metrics"][role])
      line("metrics", fmt::format("{}  ({})", url.get<std::string>(), role));
  line("NATS", "data: " + stack.where("nats"));
  line("durability", words_of(durability));
  line("Postgres", "data: " + stack.where("postgres"));
  line("logs", stack.where("logs"));
  fmt::print(
      "\nTry it:\n\n"
      "  curl -s {0}/v1/sessions -d '{{\"session_id\": \"try\", \"namespaces\": [\"time\", \"filesystem\"]}}' "
      "-H 'content-type: application/json'\n"
      "  curl -s {0}/v1/sessions/try/calls -H 'content-type: application/json' -H 'prefer: wait=10' \\\n"
      "       -d '{{\"tool\": \"get_current_time\", \"arguments\": {{\"timezone\": \"Europe/Berlin\"}}}}'\n\n"
      "{1}\n",
      stack.url(), style(terminal::Colour::kDim, "Ctrl-C stops everything; the data stays."));
  std::fflush(stdout);
}

Result<void> write_ready(const DevOptions& options, const stack::Stack& stack) {
  if (options.ready_file.empty()) return {};
  return process::write_whole_file(options.ready_file, stack.description().dump(2) + "\n");
}

}  // namespace

int run_dev(DevOptions options, const terminal::Style& style) {
  process::StopSignals signals;
  options.stack.report = [&style](const std::string& text) {
    fmt::print("{} {}\n", style(terminal::Colour::kYellow, "toolway dev:"), text);
    std::fflush(stdout);
  };
  if (options.stack.mocks.any()) {
    const auto mistakes = mock::mock_mistakes({.files = options.stack.mocks.files,
                                               .specs = options.stack.specs,
                                               .given = mock::SpecsGiven::kSome,
                                               .python = options.stack.python,
                                               .python_path = options.stack.python_path});
    for (const auto& mistake : mistakes) fmt::print(stderr, "{}\n", mistake.text());
    if (!mistakes.empty()) return terminal::kExitUsage;
  }
  if (const auto where = process::parse_host_port(options.stack.http))
    if (const auto warning = process::open_to_pages(where->host, options.stack.edge))
      options.stack.report("warning: " + *warning);
  // A ready file of an earlier run must not be taken for ours.
  std::error_code ignored;
  if (!options.ready_file.empty()) std::filesystem::remove(options.ready_file, ignored);
  auto stack = stack::Stack::start(options.stack, signals);
  if (!stack) {
    if (stack.error().code == ErrorCode::kShuttingDown) return terminal::kExitOk;
    fmt::print(stderr, "toolway dev: {}\n", stack.error().message);
    return terminal::exit_code(stack.error().code);
  }
  if (auto written = write_ready(options, **stack); !written) {
    fmt::print(stderr, "toolway dev: {}\n", written.error().message);
    return terminal::exit_code(written.error().code);
  }
  print_banner(**stack, options.stack.durability, style);
  while (!signals.wait(std::chrono::milliseconds(100))) {
    if (!(*stack)->supervise()) continue;
    if (auto written = write_ready(options, **stack); !written)
      options.stack.report(written.error().message);
  }
  options.stack.report("stopping (press Ctrl-C again to force it)");
  if (!options.ready_file.empty()) std::filesystem::remove(options.ready_file, ignored);
  const bool gentle = (*stack)->stop(signals);
  options.stack.report(gentle ? "stopped" : "stopped by force");
  return terminal::kExitOk;
}

}  // namespace toolway::cli::dev
