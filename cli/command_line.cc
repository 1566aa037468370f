#include "cli/command_line.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <sstream>
#include <system_error>

#include "cli/bench/bench.h"
#include "cli/bench/kinds/mcp_server.h"
#include "cli/client/known_names.h"
#include "cli/client/reach_options.h"
#include "cli/help/completion.h"
#include "cli/help/help_text.h"
#include "cli/help/usage_error.h"
#include "cli/process/bus_metrics.h"
#include "cli/process/environment.h"
#include "cli/specs/version_commands.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/report.h"
#include "cli/verbs.h"

namespace toolway::cli {

namespace {

void add_counts(CLI::App& app, stack::StackOptions& stack) {
  constexpr unsigned kMaxProcesses = 1'000;
  app.add_option("--gateways", stack.gateways, "how many")
      ->check(CLI::Range(1U, kMaxProcesses))
      ->capture_default_str();
  app.add_option("--gateway-loops", stack.gateway_loops, "event loops of each gateway")
      ->check(CLI::Range(1U, process::BusMetrics::kMaxConnections))
      ->capture_default_str();
  app.add_option("--workers", stack.workers, "how many")
      ->check(CLI::Range(1U, kMaxProcesses))
      ->capture_default_str();
  app.add_option("--collectors", stack.collectors, "how many")
      ->check(CLI::Range(1U, kMaxProcesses))
      ->capture_default_str();
  app.add_option("--pool", stack.pools, "NAME or NAME=SLOTS: what each worker serves")
      ->delimiter(',')
      ->capture_default_str();
  add_durability(
      app, [&stack](Durability durability) { stack.durability = durability; },
      "what accepted calls survive: process (kill -9; default) or power (loss of power: NATS "
      "syncs each message)");
  add_kinds(app, stack.python, stack.python_path, stack.sandbox);
  add_settings(app, stack.settings, stack.secrets_directory);
  add_logging(app, stack.log_level, stack.log_format);
  add_telemetry(app, stack.otlp, stack.trace_sample);
}

}  // namespace

void add_stacks(CLI::App& app, Chosen& chosen) {
  auto* dev =
      app.add_subcommand("dev", "All of Toolway on this machine, until Ctrl-C")->group("Local");
  dev->add_option("--data", chosen.dev.stack.data, "where data is kept")->capture_default_str();
  dev->add_option("--http", chosen.dev.stack.http, "HOST:PORT of the first gateway")
      ->capture_default_str();
  dev->add_option("--ready-file", chosen.dev.ready_file,
                  "file to write URLs and pids to, once everything is ready");
  add_tools(*dev, chosen.dev.stack.root, chosen.dev.stack.specs, chosen.dev.stack.specs_token_file,
            chosen.dev.stack.env);
  dev->add_option("--extensions", chosen.dev.extensions,
                  "extensions.yaml to put in force (default: what was in force last time)");
  add_webhook_secrets(*dev, chosen.dev.stack.webhook_secrets);
  add_park_after(*dev, chosen.dev.stack.park_after_s);
  process::add_edge_flags(*dev, chosen.dev.stack.edge);
  add_counts(*dev, chosen.dev.stack);
  add_mocks(*dev, chosen.dev.stack.mocks);
  dev->add_flag("--chat", chosen.dev.stack.chat,
                "run a chat process, which answers messages of sessions (docs/chat.md)");
  dev->add_option("--script", chosen.dev.stack.chat_script,
                  "YAML file that answers in place of a model, with --chat");
  talk::add_ai_config(*dev, chosen.talk.settings);
  dev->add_flag("--quiet,-q", chosen.dev.quiet,
                "after the banner show neither calls nor what the logs say");
  dev->callback([&] {
    chosen.verb = [&] {
      chosen.dev.model = chosen.talk.settings;
      return dev::run_dev(chosen.dev, chosen.client.view.style, *chosen.clock);
    };
  });

  auto* demo =
      app.add_subcommand("demo", "Real calls on a stack of its own, shown live and in Postgres")
          ->group("Local");
  demo->add_option("--examples", chosen.demo.examples, "directory of the example tools")
      ->capture_default_str();
  demo->add_option("--packs", chosen.demo.packs, "directory of the packs")->capture_default_str();
  demo->callback(
      [&] { chosen.verb = [&] { return demo::run_demo(chosen.demo, chosen.client.view.style); }; });

  auto* bench = app.add_subcommand("bench", "Measure calls end to end")->group("Local");
  bench::options::add_bench_options(*bench, chosen.bench);
  process::add_auth_flags(*bench, chosen.bench.stack.edge);
  add_counts(*bench, chosen.bench.stack);
  bench->callback([&] {
    chosen.verb = [&] { return bench::run_bench(chosen.bench, chosen.client.view.style); };
  });
}

void add_mock_verbs(CLI::App& app, Chosen& chosen) {
  auto* mock = app.add_subcommand("mock", "Check mock files")->require_subcommand(0, 1);
  auto* check = mock->add_subcommand("check", "Report every mistake in mock files");
  check->add_option("file", chosen.mock.files, "scripts and recordings; one or more")->required();
  check
      ->add_option("--specs", chosen.mock.specs,
                   "file or directory of tool specs to check the answers against; repeatable")
      ->allow_extra_args(false);
  add_python(*check, chosen.mock.python, chosen.mock.python_path);
  terminal::add_table_options(*check, chosen.view);
  check->callback(
      [&chosen] { chosen.verb = [&chosen] { return mock::check_mocks(chosen.mock); }; });
}

void add_specs(CLI::App& app, Chosen& chosen) {
  auto& options = chosen.specs;
  auto* specs = app.add_subcommand("specs", "Check tool specs, and keep them in the database")
                    ->require_subcommand(0, 1);
  const auto verb = [&](const char* name, const char* text,
                        int (*run_verb)(const specs::SpecsOptions&)) {
    auto* sub = specs->add_subcommand(name, text);
    terminal::add_table_options(*sub, chosen.view);
    sub->callback([&chosen, run_verb] {
      chosen.verb = [&chosen, run_verb] { return run_verb(chosen.specs); };
    });
    return sub;
  };
  auto* check = verb("check", "Report every mistake in spec files", specs::check_specs);
  auto* put =
      verb("put", "Put the specs in files into the database: all, or none", specs::put_specs);
  auto* list = verb("list", "List the specs in the database", specs::list_specs);
  auto* remove =
      verb("remove", "Remove specs from the database: all, or none", specs::remove_specs);
  for (auto* sub : {check, put})
    sub->add_option("file", options.files, "file or directory; one or more")->required();
  remove->add_option("name", options.names, "namespace.name; one or more")->required();
  auto* from_python = verb("from-python", "Write the specs of a Python module's functions",
                           specs::specs_from_python);
  from_python->add_option("module", options.module, "as `import` takes it")->required();
  from_python->add_option("--namespace,-n", options.ns, "namespace of the tools")
      ->capture_default_str();
  for (auto* sub : {check, put, from_python}) add_python(*sub, options.python, options.python_path);
  auto stored = specs::add_spec_version_verbs(*check, *put, *remove, verb, options);
  stored.insert(stored.end(), {put, list, remove});
  for (auto* sub : stored) {
    sub->add_option("--postgres-url-file", options.postgres_file,
                    "file with the Postgres URL (or TOOLWAY_POSTGRES_URL), instead of a gateway");
    sub->add_option("--url", options.http.url,
                    "gateway to do it through (TOOLWAY_URL, or those of a running `toolway dev`)");
    client::add_reach_options(*sub, options.http.reach);
    sub->add_option("--data", options.data,
                    "directory of a running `toolway dev` (.toolway, if there is one)");
  }
}

void add_mcp(CLI::App& app, Chosen& chosen) {
  auto* server =
      app.add_subcommand("bench-mcp-server", "An MCP server that does nothing, for `toolway bench`")
          ->group("");
  server->add_option("--port-file", chosen.name, "serves HTTP, and writes its port there");
  server->callback([&chosen] {
    chosen.verb = [&chosen] { return bench::kinds::run_bench_mcp_server(chosen.name); };
  });
  auto* mcp = app.add_subcommand("mcp", "Check MCP servers, and serve desktop clients")
                  ->require_subcommand(0, 1);
  auto* check = mcp->add_subcommand(
      "check", "Read a file of MCP servers, connect to each, and say what it offers");
  check->add_option("file", chosen.mcp.servers, "as in --set mcp.servers=FILE")->required();
  check->add_option("--profiles", chosen.mcp.profiles, "as in --set mcp.profiles=FILE");
  check->add_option("--secrets", chosen.mcp.secrets_directory,
                    "directory with one file per secret (or TOOLWAY_SECRET_<NAME>)");
  check
      ->add_option("--timeout", chosen.mcp.timeout_s,
                   "seconds that each server may take to start, instead of its start_timeout_ms")
      ->check(CLI::Range(1U, 600U));
  terminal::add_table_options(*check, chosen.view);
  check->callback(
      [&chosen] { chosen.verb = [&chosen] { return mcp_check::check_mcp_servers(chosen.mcp); }; });
  add_mcp_serve(*mcp, chosen);
}

namespace {

/// How long a person waits for the first byte before the command asks what is wrong; with that, an
/// error is there within 3 s.
constexpr std::chrono::milliseconds kFirstByteWait{1'500};

/// What the environment says, before the command line is read.
void take_environment(Chosen& chosen, const process::Environment& environment) {
  if (!environment.nats_url.empty())
    chosen.process.nats = chosen.switches.nats_by_environment = chosen.policies.fleet.nats =
        chosen.keys.fleet.nats = environment.nats_url;
  chosen.process.postgres_url = environment.postgres_url;
  chosen.process.specs_token = environment.specs_token;
  chosen.process.secrets = environment.secrets;
  chosen.mcp.secrets = chosen.alone.run.process.secrets = environment.secrets;
  chosen.process.telemetry.variables = environment.otel;
  chosen.specs.postgres_url = chosen.audit.postgres_url = environment.postgres_url;
  if (!environment.url.empty()) chosen.client.http.url = environment.url;
  chosen.client.http.user = environment.user;
  chosen.client.http.patience = kFirstByteWait;
  chosen.client.http.reach = {
      .token = environment.token, .ca_file = environment.ca_file, .variables = environment.proxies};
  chosen.talk.settings = environment.ai;
  chosen.chat.http = chosen.client.http;
  chosen.chat.http.user.clear();
  chosen.chat.http.patience = {};
  chosen.talk.proxies = environment.proxies;
  chosen.talk.state_home = environment.state_home;
  chosen.switches.http = chosen.policies.http = chosen.client.http;
  chosen.switches.http.url = environment.url;
  chosen.specs.http = chosen.switches.http;
  for (auto* stack : {&chosen.dev.stack, &chosen.demo.stack, &chosen.bench.stack}) {
    stack->nats_server = environment.nats_server;
    stack->secrets = environment.secrets;
    stack->specs_token = environment.specs_token;
    stack->otlp_headers = environment.otel.headers;
  }
}

/// For a shell: what may be at its cursor. Says nothing about errors.
int print_candidates(const CLI::App& app, const Chosen& chosen,
                     const std::vector<std::string>& words) {
  const auto candidates = help::complete(app, {words.begin() + 1, words.end()});
  for (const auto& word : candidates.words) fmt::print("{}\n", word);
  for (const auto& name : client::known_names(chosen.client.http, candidates))
    fmt::print("{}\n", name);
  return terminal::kExitOk;
}

/// The view of a command line that could not be read: whether it asks for JSON can be seen all the
/// same.
terminal::View view_of_words(const std::vector<std::string>& words, terminal::View view) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool json_next = i + 1 < words.size() && words[i + 1] == "json";
    if (((words[i] == "-o" || words[i] == "--output") && json_next) || words[i] == "-ojson" ||
        words[i] == "--output=json")
      view.output = terminal::Output::kJson;
  }
  return view;
}

int report_usage(const CLI::App& app, const CLI::ParseError& error, const Chosen& chosen,
                 const std::vector<std::string>& words) {
  const auto failure = help::usage_error(app, error, words);
  const auto view = view_of_words(words, chosen.client.view);
  if (view.json()) return terminal::report_error(view, {ErrorCode::kInvalidRequest, failure.what});
  terminal::print_failure(view, failure);
  return terminal::kExitUsage;
}

/// Whether standard output is a pipe or socket that nothing reads any more.
bool reader_has_gone() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

/// The verb's status, unless standard output could not take what it printed: a full disk.
int run_verb(const Chosen& chosen) {
  int wrong = 0;  // an earlier write may have failed for a reason that is not known any more
  try {
    const int status = chosen.verb();
    if (std::fflush(stdout) != 0)
      wrong = errno;
    else if (std::ferror(stdout) == 0)
      return status;
  } catch (const OrderedJson::exception&) {
    // What a field must be was known to the gateway that this command was made with.
    return terminal::report_error(
        chosen.client.view,
        {ErrorCode::kBusUnavailable,
         fmt::format("what answers is not a Toolway gateway, or one of another version than this "
                     "command ({}): check --url or TOOLWAY_URL",
                     TOOLWAY_VERSION)});
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) throw;
    wrong = error.code().value();
  }
  // The library of NATS has the signal ignored.
  if (wrong == EPIPE || reader_has_gone()) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  const auto reason =
      wrong == 0 ? "" : ": " + std::error_code(wrong, std::generic_category()).message();
  return terminal::report_error(chosen.client.view,
                                {ErrorCode::kInternal, "cannot write to standard output" + reason});
}

}  // namespace

void add_verbs(CLI::App& app, Chosen& chosen) {
  add_client(app, chosen);
  add_specs(app, chosen);
  add_mock_verbs(app, chosen);
  add_mcp(app, chosen);
  add_stacks(app, chosen);
  add_processes(app, chosen);
  add_chat_process(app, chosen);
  add_help(app, chosen);
  refuse_empty_values(app);
}

int run(int argc, char** argv, const process::Environment& environment, const Clock& clock) {
  Chosen chosen;
  take_environment(chosen, environment);
  chosen.clock = chosen.keys.clock = chosen.audit.clock = &clock;
  chosen.alone.made.program = argv[0];
  const auto streams = terminal::own_streams(environment.columns);
  chosen.help.width = streams.width;
  const auto view = [&] {
    return terminal::view_of(chosen.view, streams, environment.no_color, clock.wall());
  };
  chosen.client.view = view();

  CLI::App app("Toolway executes the tool calls of LLM agents, durably and at scale", "toolway");
  help::use_own_help(app, streams.width);
  app.set_help_flag("-h,--help", "show this help");
  app.set_version_flag("--version", "toolway " TOOLWAY_VERSION, "show the version");
  app.require_subcommand(0, 1);
  add_verbs(app, chosen);
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "__complete") return print_candidates(app, chosen, words);
  try {
    if (const auto option = without_value(words); !option.empty())
      throw CLI::ValidationError(option, "needs a value that is not empty");
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return report_usage(app, error, chosen, words);
    std::ostringstream text;  // of --help or --version
    app.exit(error, text, text);
    chosen.verb = [&text] {
      fmt::print("{}", text.str());
      return terminal::kExitOk;
    };
    return run_verb(chosen);
  }
  chosen.client.view = view();
  chosen.specs.view = chosen.mock.view = chosen.mcp.view = chosen.switches.view =
      chosen.policies.view = chosen.keys.view = chosen.audit.view = chosen.alone.run.view =
          chosen.client.view;
  // A group of verbs, or nothing at all, prints its help.
  if (!chosen.verb)
    chosen.verb = [&app] {
      fmt::print("{}", app.help());
      return terminal::kExitOk;
    };
  return run_verb(chosen);
}

}  // namespace toolway::cli
