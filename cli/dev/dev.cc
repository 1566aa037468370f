#include "cli/dev/dev.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/os/file_io.h"
#include "base/shell_text.h"
#include "base/try.h"
#include "chat/providers/setting_files.h"
#include "cli/client/http_client.h"
#include "cli/client/reporting.h"
#include "cli/dev/commentary.h"
#include "cli/dev/usual_script.h"
#include "cli/mock/verbs.h"
#include "cli/policies/verbs.h"
#include "cli/process/edge_flags.h"
#include "cli/process/hardening.h"
#include "cli/process/host_port.h"
#include "cli/process/process_parts.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/report.h"

namespace toolway::cli::dev {
namespace {

std::string words_of(Durability durability) {
  return durability == Durability::kPower
             ? "power: accepted calls survive a power cut; NATS syncs each message"
             : "process: accepted calls survive kill -9 of any process, not a power cut "
               "(--durability power)";
}

/// After the number of tools; empty: they run for real.
std::string mocks_in_words(const process::MockFlags& mocks) {
  if (mocks.files.empty())
    return mocks.only ? "; mocked: every tool is refused, since no --mock has answers" : "";
  return fmt::format("; mocked: answers come from {}{}", fmt::join(mocks.files, ", "),
                     mocks.only ? ", and every other tool is refused" : "");
}

/// `25; 3 files of mocks stand in for them (--mock)`
std::string tools_in_words(const stack::Stack& stack, const DevOptions& options) {
  std::string text = "unknown";
  auto client = client::HttpClient::create(
      {.url = stack.url(),
       .timeout = std::chrono::seconds(2),
       .reach = {.token_file = stack::operator_token_file(options.stack.data)}});
  if (client) {
    const auto answer = (*client)->request("GET", "/v1/tools");
    if (answer && answer->ok()) {
      const auto tools = answer->json().value("tools", OrderedJson::array());
      text = std::to_string(std::ranges::count_if(
          tools, [](const auto& tool) { return !client::is_for_benchmarks(tool); }));
    }
  }
  return text + mocks_in_words(options.stack.mocks);
}

std::string model_in_words(const DevOptions& options) {
  if (!options.why_scripted.empty())
    return fmt::format("a script of ours answers messages: {}", options.why_scripted);
  if (!options.stack.chat_script.empty())
    return "the script " + options.stack.chat_script + " answers messages";
  return "as the environment says (toolway chat check)";
}

std::string shell_word(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '/' || c == '.' || c == '-' || c == '_';
  };
  return std::all_of(text.begin(), text.end(), plain) ? text : shell_quoted(text);
}

/// How the commands of the banner get the credential that this gateway asks for. They may run in
/// another directory.
std::string credential_in_words(const DevOptions& options) {
  const auto& methods = options.stack.edge.auth.methods;
  if (methods.empty() || methods == "none") return {};
  if (methods.find("keys") == std::string::npos)
    return "  export TOOLWAY_API_KEY=TOKEN   (a token of an issuer in --auth-config)\n";
  return fmt::format("  export TOOLWAY_API_KEY=$(toolway keys create --user me --data {})\n",
                     shell_word(std::filesystem::absolute(options.stack.data).lexically_normal()));
}

void print_banner(const stack::Stack& stack, const DevOptions& options,
                  const terminal::Style& style) {
  const auto description = stack.description();
  const auto line = [&](const char* name, const std::string& value) {
    fmt::print("  {} {}\n", style(terminal::Colour::kDim, fmt::format("{:<10}", name)), value);
  };
  fmt::print("\n{}\n\n", style(terminal::Colour::kBold, "Toolway is ready."));
  line("API", style(terminal::Colour::kCyan, stack.url()) + "  (docs: " + stack.url() + "/docs)");
  for (std::size_t i = 1; i < description["http_all"].size(); ++i)
    line("", style(terminal::Colour::kCyan, description["http_all"][i].get<std::string>()));
  for (const char* role : {"gateway", "worker", "collector", "chat"})
    for (const auto& url : description["metrics"].value(role, OrderedJson::array()))
      line("metrics", fmt::format("{}  ({})", url.get<std::string>(), role));
  line("NATS", "data: " + stack.where("nats"));
  line("durability", words_of(options.stack.durability));
  line("Postgres", "data: " + stack.where("postgres"));
  line("logs", stack.where("logs"));
  line("tools", tools_in_words(stack, options));
  if (options.stack.chat) line("model", model_in_words(options));
  const auto credential = credential_in_words(options);
  const bool asks = !credential.empty();
  // Who has a credential may have no right to see all tools; the call opens session `cli`.
  fmt::print(
      "\nTry it, from another terminal:\n\n"
      "{0}"
      "  toolway call get_current_time timezone=Europe/Berlin --wait{1}\n"
      "  toolway tools{2}{1}\n"
      "  curl -s {3}{4}/v1/{5}tools\n\n"
      "{6}\n",
      credential, stack.url() == client::ClientOptions().url ? "" : " --url " + stack.url(),
      asks ? " --session cli" : "", asks ? "-H \"Authorization: Bearer $TOOLWAY_API_KEY\" " : "",
      stack.url(), asks ? "sessions/cli/" : "",
      style(terminal::Colour::kDim, "Ctrl-C stops everything; the data stays."));
  std::fflush(stdout);
}

/// Without a key, a script of ours answers. It is written once `data` is there.
Result<void> use_usual_script(DevOptions& options) {
  ASSIGN_OR_RETURN(const auto settings, chat::providers::with_files(options.model));
  ASSIGN_OR_RETURN(const auto configuration, chat::providers::configure(settings));
  const auto* none = std::get_if<chat::providers::NotConfigured>(&configuration);
  if (none == nullptr || !none->lacks_model) return {};
  options.why_scripted = none->why;
  auto& stack = options.stack;
  stack.chat_script =
      std::filesystem::absolute(std::filesystem::path(stack.data) / "run" / "usual-script.yaml");
  stack.before_fleet = [before = stack.before_fleet,
                        file = stack.chat_script](const std::string& nats) -> Result<void> {
    RETURN_IF_ERROR(os::write_whole_file(file, usual_script()));
    return before(nats);
  };
  return {};
}

/// The chat process gets what the environment says of its model.
Result<void> use_model(DevOptions& options) {
  auto& stack = options.stack;
  if (!stack.chat && !stack.chat_script.empty())
    return fail(ErrorCode::kInvalidRequest, "--script is for --chat: give both");
  if (!stack.chat) return {};
  if (stack.chat_script.empty()) {
    RETURN_IF_ERROR(use_usual_script(options));
    if (!stack.chat_script.empty()) return {};
  }
  for (const auto& [name, value] : chat::providers::setting_variables())
    if (!(options.model.*value).empty()) stack.chat_environment[name] = options.model.*value;
  if (!stack.chat_script.empty() && access(stack.chat_script.c_str(), R_OK) != 0)
    return fail(ErrorCode::kNotFound, "--script: cannot read " + stack.chat_script);
  return {};
}

/// The files that its processes read at their start, so that one that is not there is said before
/// anything is started.
Result<void> files_are_there(const stack::StackOptions& stack) {
  const auto there = [](const std::string& option, const std::string& file) -> Result<void> {
    std::error_code error;
    if (std::filesystem::exists(file, error)) return {};
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("{}: cannot read {}: {}", option, file,
                            error ? error.message() : "no such file or directory"));
  };
  for (const auto& spec : stack.specs)
    if (spec.find("://") == std::string::npos) RETURN_IF_ERROR(there("--specs", spec));
  constexpr std::string_view kServers = "mcp.servers=";
  for (const auto& setting : stack.settings)
    if (setting.starts_with(kServers))
      RETURN_IF_ERROR(there("--set mcp.servers", setting.substr(kServers.size())));
  return {};
}

/// Says what is wrong with them.
bool mocks_are_right(const DevOptions& options) {
  if (!options.stack.mocks.any()) return true;
  const auto mistakes = mock::mock_mistakes({.files = options.stack.mocks.files,
                                             .specs = options.stack.specs,
                                             .given = mock::SpecsGiven::kSome,
                                             .python = options.stack.python,
                                             .python_path = options.stack.python_path});
  for (const auto& mistake : mistakes) fmt::print(stderr, "{}\n", mistake.text());
  return mistakes.empty();
}

/// The policy of `--extensions` is in force before the first call can come. `options` must last.
Result<void> use_extensions(DevOptions& options) {
  RETURN_IF_ERROR(process::check_services(options.stack.webhook_secrets));
  if (options.extensions.empty()) return {};
  options.stack.before_fleet = [&options](const std::string& nats) -> Result<void> {
    RETURN_IF_ERROR(policies::put_policy_file({.nats = nats, .data = {}}, options.extensions, ""));
    return {};
  };
  return policies::check_file(options.extensions);
}

Result<void> write_ready(const DevOptions& options, const stack::Stack& stack) {
  if (options.ready_file.empty()) return {};
  return os::write_whole_file(options.ready_file, stack.description().dump(2) + "\n");
}

}  // namespace

int run_dev(DevOptions options, const terminal::Style& style, const Clock& clock) {
  // The chat process gets them; no other one does, nor does what those start.
  process::wipe_environment({"OPENAI_API_KEY", "ANTHROPIC_API_KEY"});
  process::StopSignals signals;
  options.stack.report = [&style](const std::string& text) {
    fmt::print("{} {}\n", style(terminal::Colour::kYellow, "toolway dev:"), text);
    std::fflush(stdout);
  };
  if (auto right = files_are_there(options.stack); !right)
    return terminal::report_error({}, right.error());
  if (!mocks_are_right(options)) return terminal::kExitUsage;
  if (auto right = use_extensions(options); !right)
    return terminal::report_error({}, right.error());
  if (auto right = use_model(options); !right) return terminal::report_error({}, right.error());
  const auto where = process::parse_host_port(options.stack.http);
  if (!where) return terminal::report_error({}, where.error());
  if (auto right = gateway::auth::check_options(options.stack.edge.auth, where->host); !right)
    return terminal::report_error({}, right.error());
  if (const auto warning = process::open_to_pages(where->host, options.stack.edge))
    options.stack.report("warning: " + *warning);
  // A ready file of an earlier run must not be taken for ours.
  std::error_code ignored;
  if (!options.ready_file.empty()) std::filesystem::remove(options.ready_file, ignored);
  const terminal::ProgressLine progress;
  options.stack.progress = [&progress](const std::string& text) {
    progress("toolway dev: " + text + " ...");
  };
  Commentary commentary(options.stack.data + "/logs", options.stack.gateways, options.stack.workers,
                        options.stack.log_level, style);
  auto stack = stack::Stack::start(options.stack, signals);
  progress.clear();
  if (!stack) {
    if (stack.error().code == ErrorCode::kShuttingDown) return terminal::kExitOk;
    return terminal::report_error({}, stack.error());
  }
  // Also when it is quiet: what Ctrl-C waits for comes from them.
  if (auto watched = commentary.watch_calls((*stack)->nats_url()); !watched)
    options.stack.report("calls are not shown: " + watched.error().message);
  if (auto written = write_ready(options, **stack); !written) {
    return terminal::report_error({}, written.error());
  }
  print_banner(**stack, options, style);
  while (!signals.wait(std::chrono::milliseconds(100))) {
    if (!options.quiet) commentary.print();
    if (!(*stack)->supervise()) continue;
    if (auto written = write_ready(options, **stack); !written)
      options.stack.report(written.error().message);
  }
  const auto running = commentary.running(clock.wall());
  options.stack.report(
      running.empty()
          ? "stopping; Ctrl-C again to stop now"
          : fmt::format("waiting for {}, up to 30 s; Ctrl-C again to stop now", running));
  commentary.leave_calls();
  if (!options.ready_file.empty()) std::filesystem::remove(options.ready_file, ignored);
  const bool gentle = (*stack)->stop(signals);
  options.stack.report(gentle ? "stopped" : "stopped by force");
  return terminal::kExitOk;
}

}  // namespace toolway::cli::dev
