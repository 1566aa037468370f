#include "cli/command_line.h"

#include <CLI/CLI.hpp>

#include "cli/bench/bench.h"
#include "cli/bench/kinds/mcp_server.h"
#include "cli/process/bus_metrics.h"
#include "cli/process/environment.h"
#include "cli/specs/version_commands.h"
#include "cli/terminal/exit_code.h"
#include "cli/verbs.h"

namespace toolway::cli {

namespace {

void add_counts(CLI::App& app, stack::StackOptions& stack) {
  app.add_option("--gateways", stack.gateways, "how many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--gateway-loops", stack.gateway_loops, "event loops of each gateway")
      ->check(CLI::Range(1U, process::BusMetrics::kMostConnections))
      ->capture_default_str();
  app.add_option("--workers", stack.workers, "how many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--collectors", stack.collectors, "how many")
      ->check(CLI::PositiveNumber)
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
  app.add_option("--log-level", stack.log_level, "of the processes")->capture_default_str();
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
                  "file that gets URLs and pids when everything answers");
  add_tools(*dev, chosen.dev.stack.root, chosen.dev.stack.specs, chosen.dev.stack.specs_token_file,
            chosen.dev.stack.env);
  process::add_edge_flags(*dev, chosen.dev.stack.edge);
  add_counts(*dev, chosen.dev.stack);
  add_mocks(*dev, chosen.dev.stack.mocks);
  dev->callback(
      [&] { chosen.verb = [&] { return dev::run_dev(chosen.dev, chosen.client.view.style); }; });

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
  add_counts(*bench, chosen.bench.stack);
  bench->callback([&] {
    chosen.verb = [&] { return bench::run_bench(chosen.bench, chosen.client.view.style); };
  });
}

void add_mock_verbs(CLI::App& app, Chosen& chosen) {
  auto* mock = app.add_subcommand("mock", "Check mock files")->require_subcommand(1);
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
                    ->require_subcommand(1);
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
                    "file with the Postgres URL (or TOOLWAY_POSTGRES_URL)");
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
  auto* mcp = app.add_subcommand("mcp", "Inspect MCP servers")->require_subcommand(1);
  auto* check = mcp->add_subcommand(
      "check", "Read a file of MCP servers, connect to each, and say what it offers");
  check->add_option("file", chosen.mcp.servers, "as in --set mcp.servers=FILE")->required();
  check->add_option("--profiles", chosen.mcp.profiles, "as in --set mcp.profiles=FILE");
  check->add_option("--secrets", chosen.mcp.secrets_directory,
                    "directory with one file per secret (or TOOLWAY_SECRET_<NAME>)");
  terminal::add_table_options(*check, chosen.view);
  check->callback(
      [&chosen] { chosen.verb = [&chosen] { return mcp_check::check_mcp_servers(chosen.mcp); }; });
}

int run(int argc, char** argv, const process::Environment& environment, const Clock& clock) {
  Chosen chosen;
  if (!environment.nats_url.empty())
    chosen.process.nats = chosen.switches.nats = environment.nats_url;
  chosen.process.postgres_url = environment.postgres_url;
  chosen.process.specs_token = environment.specs_token;
  chosen.process.secrets = environment.secrets;
  chosen.mcp.secrets = chosen.alone.run.process.secrets = environment.secrets;
  chosen.alone.made.program = argv[0];
  chosen.process.telemetry.variables = environment.otel;
  chosen.specs.postgres_url = environment.postgres_url;
  if (!environment.url.empty()) chosen.client.http.url = environment.url;
  chosen.client.http.user = environment.user;
  chosen.switches.http = {.url = environment.url, .user = environment.user};
  for (auto* stack : {&chosen.dev.stack, &chosen.demo.stack, &chosen.bench.stack}) {
    stack->nats_server = environment.nats_server;
    stack->secrets = environment.secrets;
    stack->specs_token = environment.specs_token;
    stack->otlp_headers = environment.otel.headers;
  }

  CLI::App app("Toolway executes the tool calls of LLM agents over NATS JetStream into Postgres.",
               "toolway");
  app.set_version_flag("--version", "toolway " TOOLWAY_VERSION);
  app.require_subcommand(1);
  add_processes(app, chosen);
  add_stacks(app, chosen);
  add_client(app, chosen);
  add_specs(app, chosen);
  add_mock_verbs(app, chosen);
  add_mcp(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? terminal::kExitOk : terminal::kExitUsage;
  }
  chosen.client.view = terminal::view_of(chosen.view, terminal::own_streams(environment.columns),
                                         environment.no_color, clock.wall());
  chosen.specs.view = chosen.mock.view = chosen.mcp.view = chosen.switches.view =
      chosen.alone.run.view = chosen.client.view;
  return chosen.verb ? chosen.verb() : terminal::kExitUsage;
}

}  // namespace toolway::cli
