#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cli/bench/commands.h"
#include "cli/bench/mcp_server.h"
#include "cli/client/reporting.h"
#include "cli/client/verbs.h"
#include "cli/demo/demo.h"
#include "cli/process/environment.h"
#include "cli/terminal/exit_code.h"
#include "cli/mcp/verbs.h"
#include "cli/mock/verbs.h"
#include "cli/process/files.h"
#include "cli/process/pools.h"
#include "cli/process/processes.h"
#include "cli/specs/verbs.h"
#include "cli/specs/version_commands.h"
#include "cli/dev/dev.h"
#include "cli/switches/commands.h"
#include "cli/tools/commands.h"

namespace toolway::cli {
namespace {

/// Everything that the command line can set, and the verb that was chosen.
struct Chosen {
  ProcessOptions process;
  std::string postgres_file;
  DevOptions dev;
  DemoOptions demo;
  BenchOptions bench;
  ClientContext client;
  std::string output = "table";
  std::string name;  ///< of a session or call
  CallOptions call;
  McpOptions mcp;
  WatchOptions watch;
  OpenOptions open;
  CloseOptions close;
  MailboxOptions mailbox;
  CallListOptions calls;
  ResultOptions result;
  CancelOptions cancel;
  SpecsOptions specs;
  MockCheckOptions mock;
  SwitchOptions switches;
  AloneOptions alone;
  unsigned limit = 50;
  std::function<int()> verb;
};

void add_nats(CLI::App& app, Chosen& chosen) {
  // Not what the environment says, which may hold a password.
  app.add_option("--nats", chosen.process.nats, "NATS servers (TOOLWAY_NATS_URL)")->default_str(ProcessOptions{}.nats);
  app.add_option("--log-level", chosen.process.log_level, "debug, info, warn, error")->capture_default_str();
}

void add_postgres(CLI::App& app, Chosen& chosen) {
  app.add_option("--postgres-url-file", chosen.postgres_file,
                 "file with the Postgres URL (or TOOLWAY_POSTGRES_URL; it is a secret, so there is no option for it)");
}

void add_tools(CLI::App& app, std::string& root, std::vector<std::string>& specs, std::string& token_file, std::string& env) {
  app.add_option("--root", root, "what the filesystem tools may read")->capture_default_str();
  app.add_option("--specs", specs, "file, directory or http(s) URL of tool specs; repeatable, the first wins")->allow_extra_args(false);
  app.add_option("--env", env, "environment whose spec overlays apply");
  app.add_option("--specs-token-file", token_file, "file with the bearer token for those URLs (or TOOLWAY_SPECS_TOKEN)");
}

/// Reads the URL from its file, unless the environment gave it.
int with_postgres(Chosen& chosen, int (*run_process)(const ProcessOptions&)) {
  if (!chosen.postgres_file.empty()) {
    auto text = read_file(chosen.postgres_file);
    if (!text) return report_error(text.error());
    while (text->ends_with('\n') || text->ends_with(' ')) text->pop_back();
    chosen.process.postgres_url = *text;
  }
  if (chosen.process.postgres_url.empty())
    return report_error({ErrorCode::kInvalidRequest, "no Postgres: set TOOLWAY_POSTGRES_URL or give --postgres-url-file", {}});
  return run_process(chosen.process);
}

void add_python(CLI::App& app, std::string& python, std::vector<std::string>& path) {
  app.add_option("--python", python, "interpreter for python tools, or a virtual environment's")->capture_default_str();
  app.add_option("--python-path", path, "directory to import their modules from; repeatable")->capture_default_str();
}

void add_kinds(CLI::App& app, std::string& python, std::vector<std::string>& path, std::string& sandbox) {
  add_python(app, python, path);
  app.add_option("--sandbox", sandbox, "YAML file with sandbox profiles for command tools");
}

void add_settings(CLI::App& app, std::vector<std::string>& settings, std::string& secrets) {
  app.add_option("--set", settings, "KIND.NAME=VALUE: a setting of a tool kind; repeatable");
  app.add_option("--secrets", secrets, "directory with one file per secret of the tools (or TOOLWAY_SECRET_<NAME>)");
}

void add_mocks(CLI::App& app, MockFlags& mocks) {
  app.add_option("--mock", mocks.files, "file of answers that stand in for tools: YAML, JSON, or recorded .ndjson; repeatable")->allow_extra_args(false);
  app.add_option("--mock-speed", mocks.speed, "speed of recorded answers: 1 as recorded, 0 at once")->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_flag("--mock-only", mocks.only, "refuse every tool that has no mock");
  app.add_option("--record", mocks.record, "append every call that really ran a tool to this .ndjson file");
}

void add_telemetry(CLI::App& app, std::string& otlp, std::optional<double>& trace_sample) {
  app.add_option("--otlp", otlp, "OTLP/HTTP receiver for spans and metrics, such as http://collector:4318 (OTEL_EXPORTER_OTLP_ENDPOINT)");
  app.add_option("--trace-sample", trace_sample, "share of the traces starting here that is sampled, 0 to 1 (OTEL_TRACES_SAMPLER_ARG; 0.01)")
      ->check(CLI::Range(0.0, 1.0));
}

void add_caps(CLI::App& app, gateway::GuardCaps& caps) {
  const auto add = [&app](const char* name, std::uint64_t& cap, const char* text) {
    app.add_option(name, cap, text)->capture_default_str()->check(CLI::PositiveNumber);
  };
  add("--pool-queue", caps.pool_queue, "calls that may wait in a pool; more get 503 queue_full");
  add("--session-share", caps.shares.session_bulk, "calls a session may have waiting before the next ones go to lane bulk");
  add("--user-share", caps.shares.user_bulk, "the same for a user");
  add("--session-most", caps.shares.session_most, "calls a session may have waiting; more get 429 too_many_calls");
  add("--user-most", caps.shares.user_most, "the same for a user");
  app.add_option("--unrecorded", caps.unrecorded, "share of a stream that may be unrecorded; above it, 503 collector_behind")
      ->capture_default_str()->check(CLI::Range(0.0, 1.0));
}

void add_processes(CLI::App& app, Chosen& chosen) {
  auto* gateway = app.add_subcommand("gateway", "Serve the HTTP API")->group("Processes");
  auto* collector = app.add_subcommand("collector", "Record the streams in Postgres")->group("Processes");
  for (auto* process : {gateway, collector})
    process->add_option("--session-idle", chosen.process.session_idle, "seconds after which an unused session is closed; 0: never")->capture_default_str();
  collector->add_option("--closed-session-keep", chosen.process.closed_session_keep, "seconds after which a closed session leaves the bucket and stays only in Postgres; 0: only when the bucket is half full")->capture_default_str();
  collector->add_option("--keep-days", chosen.process.keep_days, "days after which calls are dropped with their events and results, by whole days; 0: never")
      ->check(CLI::Range(0U, 36500U))->capture_default_str();
  gateway->add_option("--http", chosen.process.http, "HOST:PORT to listen on")->capture_default_str();
  add_caps(*gateway, chosen.process.guard);
  gateway->add_option("--user-sessions", chosen.process.session_caps.open, "sessions that a user may have open; more get 429 too_many_sessions; 0: no limit")->capture_default_str();
  gateway->add_option("--user-session-rate", chosen.process.session_caps.per_second, "new sessions per user and second, up to ten seconds' worth at once; more get 429; 0: no limit")->capture_default_str();
  gateway->add_option("--memory-budget", chosen.process.memory_budget_mib, "MiB that it may use with 10,000 connections; requests and answers that would need more get 503 overloaded")
      ->check(CLI::Range(128U, 65536U))->capture_default_str();
  add_edge_flags(*gateway, chosen.process.edge);
  add_edge_caps(*gateway, chosen.process.edge_caps);
  auto* worker = app.add_subcommand("worker", "Run the calls of a pool")->group("Processes");
  worker->add_option("--pool", chosen.process.pools, "NAME or NAME=SLOTS: pool whose calls it takes, and how many at once (default: every kind's pool)")->delimiter(',');
  add_kinds(*worker, chosen.process.python, chosen.process.python_path, chosen.process.sandbox);
  add_python(*gateway, chosen.process.python, chosen.process.python_path);
  gateway->add_option("--set", chosen.process.settings, "mcp.servers=FILE: MCP servers whose tools are offered once workers find them; repeatable");
  add_settings(*worker, chosen.process.settings, chosen.process.secrets_directory);
  add_mocks(*worker, chosen.process.mocks);
  worker->add_option("--drain", chosen.process.drain_s, "seconds that running calls may take after SIGTERM")->check(CLI::Range(1U, 86400U))->capture_default_str();
  worker->add_option("--workspaces", chosen.process.workspaces, "directory for the sessions' workspaces");
  auto* migrate = app.add_subcommand("migrate", "Bring schema and streams up to date")->group("Processes");
  migrate->add_option("--pool", chosen.process.pools, "pool to create besides those of the kinds; repeatable")->delimiter(',');
  migrate->add_option("--replicas", chosen.process.replicas, "of the streams: 1, or 3 on a cluster (default: as last time, at first 1)")
      ->check(CLI::IsMember({1U, 3U, 5U}));
  migrate->add_option("--window-gib", chosen.process.window_gib, "what each of the streams CALLS, EVENTS and BLOBS keeps, for a day at most (default: as last time, at first 1)")
      ->check(CLI::Range(1U, 65536U));
  migrate->add_option("--partitions", chosen.process.partitions, "POOL=N: queues of a pool, each for 1,000 calls at once; a power of two")->delimiter(',');
  migrate->add_flag("--after-restore", chosen.process.after_restore, "NATS or Postgres was restored from a backup, or starts out empty: sessions and mailboxes continue");
  for (auto* process : {gateway, worker, collector, migrate}) add_nats(*process, chosen);
  for (auto* process : {gateway, collector, migrate}) add_postgres(*process, chosen);
  add_tools(*gateway, chosen.process.root, chosen.process.specs, chosen.process.specs_token_file, chosen.process.env);
  worker->add_option("--root", chosen.process.root, "what the filesystem tools may read")->capture_default_str();
  for (auto* process : {gateway, worker, collector})
    process->add_option("--ready-file", chosen.process.ready_file, "file that gets {\"http\": URL} when the process is ready");
  for (auto* process : {gateway, worker, collector}) add_telemetry(*process, chosen.process.telemetry.otlp, chosen.process.telemetry.trace_sample);
  for (auto* process : {worker, collector})
    process->add_option("--metrics", chosen.process.metrics, "HOST:PORT for /metrics and /readyz; 0: any")->capture_default_str();
  gateway->callback([&] { chosen.verb = [&] { return with_postgres(chosen, run_gateway); }; });
  worker->callback([&] {
    chosen.verb = [&] {
      if (chosen.process.pools.empty()) chosen.process.pools = default_pools();
      return run_worker(chosen.process);
    };
  });
  collector->callback([&] { chosen.verb = [&] { return with_postgres(chosen, run_collector); }; });
  migrate->callback([&] { chosen.verb = [&] { return with_postgres(chosen, run_migrate); }; });
}

void add_counts(CLI::App& app, StackOptions& stack) {
  app.add_option("--gateways", stack.gateways, "how many")->capture_default_str();
  app.add_option("--workers", stack.workers, "how many")->capture_default_str();
  app.add_option("--collectors", stack.collectors, "how many")->capture_default_str();
  app.add_option("--pool", stack.pools, "NAME or NAME=SLOTS: what each worker serves")->delimiter(',')->capture_default_str();
  add_kinds(app, stack.python, stack.python_path, stack.sandbox);
  add_settings(app, stack.settings, stack.secrets_directory);
  app.add_option("--log-level", stack.log_level, "of the processes")->capture_default_str();
  add_telemetry(app, stack.otlp, stack.trace_sample);
}

void add_stacks(CLI::App& app, Chosen& chosen) {
  auto* dev = app.add_subcommand("dev", "All of Toolway on this machine, until Ctrl-C")->group("Local");
  dev->add_option("--data", chosen.dev.stack.data, "where data is kept")->capture_default_str();
  dev->add_option("--http", chosen.dev.stack.http, "HOST:PORT of the first gateway")->capture_default_str();
  dev->add_option("--ready-file", chosen.dev.ready_file, "file that gets URLs and pids when everything answers");
  add_tools(*dev, chosen.dev.stack.root, chosen.dev.stack.specs, chosen.dev.stack.specs_token_file, chosen.dev.stack.env);
  add_edge_flags(*dev, chosen.dev.stack.edge);
  add_counts(*dev, chosen.dev.stack);
  add_mocks(*dev, chosen.dev.stack.mocks);
  dev->callback([&] { chosen.verb = [&] { return run_dev(chosen.dev, chosen.client.style); }; });

  auto* demo = app.add_subcommand("demo", "Real calls on a stack of its own, shown live and in Postgres")->group("Local");
  demo->add_option("--examples", chosen.demo.examples, "directory of the example tools")->capture_default_str();
  demo->add_option("--packs", chosen.demo.packs, "directory of the packs")->capture_default_str();
  demo->callback([&] { chosen.verb = [&] { return run_demo(chosen.demo, chosen.client.style); }; });

  auto* bench = app.add_subcommand("bench", "Measure calls end to end")->group("Local");
  add_bench_options(*bench, chosen.bench);
  add_counts(*bench, chosen.bench.stack);
  bench->callback([&] { chosen.verb = [&] { return run_bench(chosen.bench, chosen.client.style); }; });
}

CLI::App* client_verb(CLI::App& app, Chosen& chosen, const char* name, const char* text,
                      std::function<int()> verb) {
  auto* sub = app.add_subcommand(name, text);
  sub->add_option("--url", chosen.client.http.url, "a gateway's URL (TOOLWAY_URL)")->capture_default_str();
  sub->add_option("--user", chosen.client.http.user, "who is asking (TOOLWAY_USER)");
  sub->add_option("-o,--output", chosen.output, "table or json")
      ->check(CLI::IsMember({"table", "json"}))->capture_default_str();
  sub->callback([&chosen, verb = std::move(verb)] { chosen.verb = verb; });
  return sub;
}

void add_client(CLI::App& app, Chosen& chosen) {
  auto* tools = client_verb(app, chosen, "tools", "List tools; create one, run one alone; switch them off and on", nullptr);
  tools->add_option("--session", chosen.name, "only those of a session");
  tools->callback([&chosen, tools] {
    // Its own verbs have chosen already.
    if (tools->get_subcommands().empty()) chosen.verb = [&chosen] { return list_tools(chosen.client, chosen.name); };
  });
  add_switch_verbs(*tools, chosen.switches, chosen.verb);
  add_alone_verbs(*tools, chosen.alone, chosen.verb);
  auto* call = client_verb(app, chosen, "call", "Call a tool", [&] { return call_tool(chosen.client, chosen.call); });
  call->add_option("tool", chosen.call.tool, "name, or namespace.name")->required();
  call->add_option("arguments", chosen.call.arguments, "a JSON object, or @FILE")->capture_default_str();
  call->add_option("--session", chosen.call.session, "opened with every namespace if it does not exist")->capture_default_str();
  call->add_option("--tool-call-id", chosen.call.tool_call_id, "the model's own id");
  call->add_option("--idempotency-key", chosen.call.idempotency_key, "repeating the key and arguments gives the same call");
  auto* wait = call->add_flag("--wait", chosen.call.wait, "wait for the result");
  call->add_option("--timeout", chosen.call.timeout_s, "seconds to wait; then the call continues, and the exit status is 6; 0: until it ends")->needs(wait)->capture_default_str();
  call->add_flag("--follow", chosen.call.follow, "show its events until it completes");
  auto* watch = client_verb(app, chosen, "watch", "Follow a session live", [&] { return watch_session(chosen.client, chosen.watch); });
  watch->add_option("session", chosen.watch.session)->required();
  watch->add_option("--after", chosen.watch.after, "an event's id; 0: from the session's first event");
  auto* session = app.add_subcommand("session", "Open, show, list, close and restore sessions")->require_subcommand(1);
  auto* open = client_verb(*session, chosen, "open", "Open a session", [&] { return open_session(chosen.client, chosen.open); });
  open->add_option("session", chosen.open.session, "its id; the server makes one if it is missing");
  open->add_option("--namespace,-n", chosen.open.namespaces, "tool namespace to offer; repeatable; * is all of them")->delimiter(',');
  open->add_option("--metadata", chosen.open.metadata, "a JSON object");
  client_verb(*session, chosen, "show", "Show a session", [&] { return show_session(chosen.client, chosen.name); })
      ->add_option("session", chosen.name)->required();
  client_verb(*session, chosen, "list", "List sessions", [&] { return list_sessions(chosen.client, chosen.limit); })
      ->add_option("--limit", chosen.limit)->capture_default_str();
  auto* close = client_verb(*session, chosen, "close", "Close a session, and account for its calls", [&] { return close_session(chosen.client, chosen.close); });
  close->add_option("session", chosen.close.session)->required();
  close->add_option("--pending", chosen.close.pending, "wait for the calls in progress, detach from them, or cancel them")
      ->check(CLI::IsMember({"wait", "detach", "cancel"}))->capture_default_str();
  close->add_option("--timeout-ms", chosen.close.timeout_ms, "how long to wait for them")->check(CLI::Range(1U, 300'000U))->capture_default_str();
  client_verb(*session, chosen, "restore", "Open a closed session again, and show its unread completions", [&] { return restore_session(chosen.client, chosen.name); })
      ->add_option("session", chosen.name)->required();
  auto* mailbox = client_verb(app, chosen, "mailbox", "Show a session's unread completions", [&] { return read_mailbox(chosen.client, chosen.mailbox); });
  mailbox->add_option("session", chosen.mailbox.session)->required();
  mailbox->add_option("--after", chosen.mailbox.after, "a completion's cursor; 0: from the first one");
  mailbox->add_option("--limit", chosen.mailbox.limit)->check(CLI::Range(1U, 1000U))->capture_default_str();
  mailbox->add_flag("--ack", chosen.mailbox.ack, "acknowledge what was shown, so that it is not shown again");
  auto* calls = app.add_subcommand("calls", "List, show and cancel calls")->require_subcommand(1);
  auto* list = client_verb(*calls, chosen, "list", "List a session's calls", [&] { return list_calls(chosen.client, chosen.calls); });
  list->add_option("session", chosen.calls.session)->required();
  list->add_option("--state", chosen.calls.state)->check(CLI::IsMember({"queued", "running", "completed"}));
  list->add_option("--limit", chosen.calls.limit)->capture_default_str();
  client_verb(*calls, chosen, "show", "Show a call", [&] { return show_call(chosen.client, chosen.name); })
      ->add_option("call", chosen.name)->required();
  auto* cancel = client_verb(*calls, chosen, "cancel", "Cancel a call", [&] { return cancel_call(chosen.client, chosen.cancel); });
  cancel->add_option("call", chosen.cancel.call)->required();
  cancel->add_option("--reason", chosen.cancel.reason, "shown in its events");
  client_verb(app, chosen, "explain", "Say why a call is waiting, or what happened to it", [&] { return explain_call(chosen.client, chosen.name); })
      ->add_option("call", chosen.name)->required();
  client_verb(app, chosen, "workers", "List the workers", [&] { return list_workers(chosen.client); });
  auto* result = client_verb(*calls, chosen, "result", "Write a call's whole result, however large", [&] { return save_result(chosen.client, chosen.result); });
  result->add_option("call", chosen.result.call)->required();
  result->add_option("-O,--file", chosen.result.file, "a file, instead of standard output");
}

void add_mock_verbs(CLI::App& app, Chosen& chosen) {
  auto* mock = app.add_subcommand("mock", "Check mock files")->require_subcommand(1);
  auto* check = mock->add_subcommand("check", "Report every mistake in mock files");
  check->add_option("file", chosen.mock.files, "scripts and recordings; one or more")->required();
  check->add_option("--specs", chosen.mock.specs, "file or directory of tool specs to check the answers against; repeatable")->allow_extra_args(false);
  add_python(*check, chosen.mock.python, chosen.mock.python_path);
  check->add_option("-o,--output", chosen.output, "table or json")->check(CLI::IsMember({"table", "json"}))->capture_default_str();
  check->callback([&chosen] { chosen.verb = [&chosen] { return check_mocks(chosen.mock); }; });
}

void add_specs(CLI::App& app, Chosen& chosen) {
  auto& options = chosen.specs;
  auto* specs = app.add_subcommand("specs", "Check tool specs, and keep them in the database")->require_subcommand(1);
  const auto verb = [&](const char* name, const char* text, int (*run_verb)(const SpecsOptions&)) {
    auto* sub = specs->add_subcommand(name, text);
    sub->add_option("-o,--output", chosen.output, "table or json")
        ->check(CLI::IsMember({"table", "json"}))->capture_default_str();
    sub->callback([&chosen, run_verb] { chosen.verb = [&chosen, run_verb] { return run_verb(chosen.specs); }; });
    return sub;
  };
  auto* check = verb("check", "Report every mistake in spec files", check_specs);
  auto* put = verb("put", "Put the specs in files into the database: all, or none", put_specs);
  auto* list = verb("list", "List the specs in the database", list_specs);
  auto* remove = verb("remove", "Remove specs from the database: all, or none", remove_specs);
  for (auto* sub : {check, put}) sub->add_option("file", options.files, "file or directory; one or more")->required();
  remove->add_option("name", options.names, "namespace.name; one or more")->required();
  auto* from_python = verb("from-python", "Write the specs of a Python module's functions", specs_from_python);
  from_python->add_option("module", options.module, "as `import` takes it")->required();
  from_python->add_option("--namespace,-n", options.ns, "namespace of the tools")->capture_default_str();
  for (auto* sub : {check, put, from_python}) add_python(*sub, options.python, options.python_path);
  auto stored = add_spec_version_verbs(*check, *put, *remove, verb, options);
  stored.insert(stored.end(), {put, list, remove});
  for (auto* sub : stored) {
    sub->add_option("--postgres-url-file", options.postgres_file, "file with the Postgres URL (or TOOLWAY_POSTGRES_URL)");
    sub->add_option("--data", options.data, "directory of a running `toolway dev` (.toolway, if there is one)");
  }
}

void add_mcp(CLI::App& app, Chosen& chosen) {
  auto* server = app.add_subcommand("bench-mcp-server", "An MCP server that does nothing, for `toolway bench`")->group("");
  server->add_option("--port-file", chosen.name, "serves HTTP, and writes its port there");
  server->callback([&chosen] { chosen.verb = [&chosen] { return run_bench_mcp_server(chosen.name); }; });
  auto* mcp = app.add_subcommand("mcp", "Inspect MCP servers")->require_subcommand(1);
  auto* check = mcp->add_subcommand("check", "Read a file of MCP servers, connect to each, and say what it offers");
  check->add_option("file", chosen.mcp.servers, "as in --set mcp.servers=FILE")->required();
  check->add_option("--profiles", chosen.mcp.profiles, "as in --set mcp.profiles=FILE");
  check->add_option("--secrets", chosen.mcp.secrets_directory, "directory with one file per secret (or TOOLWAY_SECRET_<NAME>)");
  check->add_option("-o,--output", chosen.output, "table or json")
      ->check(CLI::IsMember({"table", "json"}))->capture_default_str();
  check->callback([&chosen] { chosen.verb = [&chosen] { return check_mcp_servers(chosen.mcp); }; });
}

}  // namespace

int run(int argc, char** argv, const Environment& environment) {
  Chosen chosen;
  if (!environment.nats_url.empty()) chosen.process.nats = chosen.switches.nats = environment.nats_url;
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
  chosen.client.style = Style(isatty(STDOUT_FILENO) != 0 && !environment.no_color);
  for (auto* stack : {&chosen.dev.stack, &chosen.demo.stack, &chosen.bench.stack}) {
    stack->nats_server = environment.nats_server;
    stack->secrets = environment.secrets;
    stack->specs_token = environment.specs_token;
    stack->otlp_headers = environment.otel.headers;
  }

  CLI::App app("Toolway executes the tool calls of LLM agents over NATS JetStream into Postgres.", "toolway");
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
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  chosen.client.output = chosen.output == "json" ? Output::kJson : Output::kTable;
  chosen.specs.output = chosen.client.output;
  chosen.mock.output = chosen.client.output;
  chosen.mcp.output = chosen.client.output;
  return chosen.verb ? chosen.verb() : kExitUsage;
}

}  // namespace toolway::cli
