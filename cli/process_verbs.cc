#include "cli/verbs.h"

#include <CLI/CLI.hpp>

#include "cli/client/reach_options.h"
#include "cli/process/bus_metrics.h"
#include "cli/process/named_file.h"
#include "cli/process/pools.h"
#include "cli/terminal/report.h"

namespace toolway::cli {
namespace {

void add_nats(CLI::App& app, Chosen& chosen) {
  // Not what the environment says, which may hold a password.
  app.add_option("--nats", chosen.process.nats, "NATS servers (TOOLWAY_NATS_URL)")
      ->default_str(process::ProcessOptions{}.nats);
  add_logging(app, chosen.process.log_level, chosen.process.log_format);
}

void add_postgres(CLI::App& app, Chosen& chosen) {
  app.add_option(
      "--postgres-url-file", chosen.postgres_file,
      "file with the Postgres URL (or TOOLWAY_POSTGRES_URL; it is a secret, so there is no option for it)");
}

/// Reads the URL from its file, unless the environment gave it.
int with_postgres(Chosen& chosen,
                  const std::function<int(const process::ProcessOptions&)>& run_process) {
  if (!chosen.postgres_file.empty()) {
    auto text = process::read_named_file(chosen.postgres_file);
    if (!text) return terminal::report_error(chosen.client.view, text.error());
    while (text->ends_with('\n') || text->ends_with(' ')) text->pop_back();
    chosen.process.postgres_url = *text;
  }
  if (chosen.process.postgres_url.empty())
    return terminal::report_error(
        chosen.client.view, {ErrorCode::kInvalidRequest,
                             "no Postgres: set TOOLWAY_POSTGRES_URL or give --postgres-url-file",
                             {}});
  return run_process(chosen.process);
}

void add_caps(CLI::App& app, gateway::admission::GuardCaps& caps) {
  constexpr unsigned kMaxCalls = 1'000'000'000;
  const auto add = [&app](const char* name, std::uint64_t& cap, const char* text) {
    app.add_option(name, cap, text)->capture_default_str()->check(CLI::Range(1U, kMaxCalls));
  };
  const auto add_share = [&app](const char* name, std::uint64_t& cap, const char* text) {
    app.add_option(name, cap, text)->check(CLI::Range(1U, kMaxCalls));
  };
  add("--pool-queue", caps.pool_queue, "calls that may wait in a pool; more get 503 queue_full");
  add_share(
      "--session-share", caps.shares.session_bulk,
      "calls a session may have waiting before the next ones go to lane bulk; without it: twice "
      "as many as the pool has slots, at least 16");
  add_share("--user-share", caps.shares.user_bulk,
            "the same for a user; without it: as for a session");
  add("--session-most", caps.shares.session_most,
      "calls a session may have waiting; more get 429 too_many_calls");
  add("--user-most", caps.shares.user_most, "the same for a user");
  app.add_option("--unrecorded", caps.unrecorded,
                 "share of a stream that may be unrecorded; above it, 503 collector_behind")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
}

void add_session_idle(CLI::App& app, Chosen& chosen) {
  app.add_option("--session-idle", chosen.process.session_idle,
                 "seconds after which an unused session is closed; 0: never")
      ->capture_default_str();
}

void add_ready_file(CLI::App& app, Chosen& chosen) {
  app.add_option("--ready-file", chosen.process.ready_file,
                 "file that gets {\"http\": URL} when the process is ready");
}

void add_metrics(CLI::App& app, Chosen& chosen) {
  app.add_option("--metrics", chosen.process.metrics, "HOST:PORT for /metrics and /readyz; 0: any")
      ->capture_default_str();
}

/// Of a gateway.
void add_user_caps(CLI::App& app, Chosen& chosen) {
  app.add_option("--user-sessions", chosen.process.session_caps.open,
                 "sessions that a user may have open; more get 429 too_many_sessions; 0: no limit")
      ->capture_default_str();
  app.add_option(
         "--user-session-rate", chosen.process.session_caps.per_second,
         "new sessions per user and second, up to ten seconds' worth at once; more get 429; 0: no limit")
      ->capture_default_str();
  app.add_option("--user-sessions-mib", chosen.process.session_caps.open_mib,
                 "MiB that a user's open sessions may take in the bucket with their metadata; "
                 "more get 429 too_many_sessions; 0: no limit")
      ->check(CLI::Range(0U, 512U))
      ->capture_default_str();
  app.add_option("--user-sessions-per-day", chosen.process.session_caps.per_day,
                 "new sessions per user and day, a day's worth at once; more get 429; 0: no limit")
      ->capture_default_str();
  app.add_option("--user-key-mib", chosen.process.key_caps.user_mib,
                 "MiB of a user's calls with an Idempotency-Key in 24 hours while their bucket is "
                 "more than half full; more get 429 too_many_calls; 0: no limit")
      ->capture_default_str();
}

void add_gateway(CLI::App& app, Chosen& chosen) {
  auto* gateway = app.add_subcommand("gateway", "Serve the HTTP API")->group("Processes");
  add_session_idle(*gateway, chosen);
  gateway->add_option("--http", chosen.process.http, "HOST:PORT to listen on")
      ->capture_default_str();
  gateway->add_option("--metrics", chosen.process.gateway_metrics,
                      "HOST:PORT for /metrics without a credential, besides --http");
  gateway
      ->add_option(
          "--loops", chosen.process.loops,
          "event loops that share the port, each on a thread with its own connections; one keeps a "
          "core busy, and counts as a gateway of its own for what one user or address may take")
      ->check(CLI::Range(1U, process::BusMetrics::kMaxConnections))
      ->capture_default_str();
  gateway
      ->add_option("--keep-days", chosen.process.keep_days,
                   "the collectors' --keep-days: MCP clients are told it as the ttl of tasks")
      ->check(CLI::Range(0U, 36500U))
      ->capture_default_str();
  add_caps(*gateway, chosen.process.guard);
  add_user_caps(*gateway, chosen);
  gateway
      ->add_option(
          "--memory-budget", chosen.process.memory_budget_mib,
          "MiB that it may use with 10,000 connections; requests and answers that would need more get 503 overloaded")
      ->check(CLI::Range(128U, 65536U))
      ->capture_default_str();
  add_durability(
      *gateway, [&chosen](Durability durability) { chosen.process.durability = durability; },
      "what accepted calls survive on your NATS servers, process or power: /readyz and a "
      "metric show it, nothing else changes");
  process::add_edge_flags(*gateway, chosen.process.edge);
  process::add_operator_flag(*gateway, chosen.process.edge);
  process::add_edge_caps(*gateway, chosen.process.edge_caps);
  add_webhook_secrets(*gateway, chosen.process.webhook_secrets);
  gateway->add_option(
      "--seal-keys", chosen.process.seal_keys,
      "file of the keys that seal the tokens that gateways hand out, a line each: "
      "an id and 64 hex digits; the same for all gateways, and not the collectors'");
  add_python(*gateway, chosen.process.python, chosen.process.python_path);
  gateway->add_option(
      "--set", chosen.process.settings,
      "mcp.servers=FILE: MCP servers whose tools are offered once workers find them; repeatable");
  add_nats(*gateway, chosen);
  add_postgres(*gateway, chosen);
  add_tools(*gateway, chosen.process.root, chosen.process.specs, chosen.process.specs_token_file,
            chosen.process.env);
  add_ready_file(*gateway, chosen);
  add_telemetry(*gateway, chosen.process.telemetry.otlp, chosen.process.telemetry.trace_sample);
  gateway->callback(
      [&] { chosen.verb = [&] { return with_postgres(chosen, process::run_gateway); }; });
}

void add_collector(CLI::App& app, Chosen& chosen) {
  auto* collector =
      app.add_subcommand("collector", "Record the streams in Postgres")->group("Processes");
  add_session_idle(*collector, chosen);
  collector
      ->add_option(
          "--closed-session-keep", chosen.process.closed_session_keep,
          "seconds after which a closed session leaves the bucket and stays only in Postgres; 0: only when the bucket is half full")
      ->capture_default_str();
  collector
      ->add_option(
          "--keep-days", chosen.process.keep_days,
          "days after which calls are dropped with their events and results, by whole days; 0: never")
      ->check(CLI::Range(0U, 36500U))
      ->capture_default_str();
  collector
      ->add_option("--keep-audit-days", chosen.process.keep_audit_days,
                   "days after which records of the audit are dropped, by whole days; 0: never")
      ->check(CLI::Range(0U, 36500U))
      ->capture_default_str();
  collector->add_option("--seal-keys", chosen.process.seal_keys,
                        "file of the keys that seal the audit, a line each: an id and 64 hex "
                        "digits; without it, records are not sealed");
  collector->add_option("--audit-continues-from", chosen.process.audit_continues_from,
                        "NUMBER:MAC of the last seal, 0 if there is none, of a database that was "
                        "restored: sealing continues after it");
  add_nats(*collector, chosen);
  add_postgres(*collector, chosen);
  add_ready_file(*collector, chosen);
  add_telemetry(*collector, chosen.process.telemetry.otlp, chosen.process.telemetry.trace_sample);
  add_metrics(*collector, chosen);
  collector->callback(
      [&] { chosen.verb = [&] { return with_postgres(chosen, process::run_collector); }; });
}

void add_worker(CLI::App& app, Chosen& chosen) {
  auto* worker = app.add_subcommand("worker", "Run the calls of a pool")->group("Processes");
  worker
      ->add_option(
          "--pool", chosen.process.pools,
          "NAME or NAME=SLOTS: pool whose calls it takes, and how many at once (default: every kind's pool)")
      ->delimiter(',');
  add_kinds(*worker, chosen.process.python, chosen.process.python_path, chosen.process.sandbox);
  add_settings(*worker, chosen.process.settings, chosen.process.secrets_directory);
  add_mocks(*worker, chosen.process.mocks);
  add_webhook_secrets(*worker, chosen.process.webhook_secrets);
  add_park_after(*worker, chosen.process.park_after_s);
  worker
      ->add_option("--drain", chosen.process.drain_s,
                   "seconds that running calls may take after SIGTERM")
      ->check(CLI::Range(1U, 86400U))
      ->capture_default_str();
  worker->add_option("--workspaces", chosen.process.workspaces,
                     "directory for the sessions' workspaces");
  worker->add_option("--root", chosen.process.root, "what the filesystem tools may read")
      ->capture_default_str();
  add_nats(*worker, chosen);
  add_ready_file(*worker, chosen);
  add_telemetry(*worker, chosen.process.telemetry.otlp, chosen.process.telemetry.trace_sample);
  add_metrics(*worker, chosen);
  worker->callback([&] {
    chosen.verb = [&] {
      if (chosen.process.pools.empty()) chosen.process.pools = process::default_pools();
      return process::run_worker(chosen.process);
    };
  });
}

void add_migrate(CLI::App& app, Chosen& chosen) {
  auto* migrate =
      app.add_subcommand("migrate", "Bring schema and streams up to date")->group("Processes");
  migrate
      ->add_option("--pool", chosen.process.pools,
                   "pool to create besides those of the kinds; repeatable")
      ->delimiter(',');
  migrate
      ->add_option("--replicas", chosen.process.replicas,
                   "of the streams: 1, or 3 on a cluster (default: as last time, at first 1)")
      ->check(CLI::IsMember({1U, 3U, 5U}));
  migrate
      ->add_option(
          "--window-gib", chosen.process.window_gib,
          "what each of the streams CALLS, EVENTS and BLOBS keeps, for a day at most (default: as last time, at first 1)")
      ->check(CLI::Range(1U, 65536U));
  migrate
      ->add_option("--partitions", chosen.process.partitions,
                   "POOL=N: queues of a pool, each for 1,000 calls at once; a power of two")
      ->delimiter(',');
  migrate->add_flag(
      "--after-restore", chosen.process.after_restore,
      "NATS or Postgres was restored from a backup, or starts out empty: sessions and mailboxes continue");
  add_durability(
      *migrate, [&chosen](Durability durability) { chosen.process.durability = durability; },
      "what your NATS servers keep; power fails if they are too old to sync each message");
  add_nats(*migrate, chosen);
  add_postgres(*migrate, chosen);
  migrate->callback(
      [&] { chosen.verb = [&] { return with_postgres(chosen, process::run_migrate); }; });
}

}  // namespace

void add_processes(CLI::App& app, Chosen& chosen) {
  add_gateway(app, chosen);
  add_collector(app, chosen);
  add_worker(app, chosen);
  add_migrate(app, chosen);
}

void add_chat_process(CLI::App& app, Chosen& chosen) {
  constexpr unsigned kInlineMs = 20'000;
  auto* chat = app.get_subcommand("chat");
  chat->group("Processes");
  chat->add_option("--url", chosen.chat.http.url, "gateway whose tools turns call (TOOLWAY_URL)")
      ->default_str(chosen.client.http.url);
  chat->add_option("--url-file", chosen.chat.url_file,
                   "file with the gateway's URL, read at each turn");
  client::add_reach_options(*chat, chosen.chat.http.reach);
  chat->add_option("--slots", chosen.chat.slots, "turns at once")
      ->check(CLI::Range(1U, 10'000U))
      ->capture_default_str();
  chat->add_option("--drain", chosen.process.drain_s,
                   "seconds that turns which run may take after SIGTERM")
      ->check(CLI::Range(1U, 86400U))
      ->capture_default_str();
  talk::add_model_options(*chat, chosen.talk);
  chat->add_flag("--no-summaries", chosen.talk.no_summaries,
                 "refuse turns that ask for summaries of what no longer fits")
      ->excludes(chat->get_option("--summarize"));
  chat->add_option("--models", chosen.talk.models,
                   "models that messages may ask for besides the usual one, with commas between")
      ->delimiter(',');
  auto* inline_ms = chat->get_option("--inline-ms")->default_str(std::to_string(kInlineMs));
  add_nats(*chat, chosen);
  add_postgres(*chat, chosen);
  add_ready_file(*chat, chosen);
  add_telemetry(*chat, chosen.process.telemetry.otlp, chosen.process.telemetry.trace_sample);
  add_metrics(*chat, chosen);
  chat->callback([&chosen, chat, inline_ms] {
    if (!chat->get_subcommands().empty()) return;
    if (inline_ms->count() == 0) chosen.talk.inline_ms = kInlineMs;
    chosen.verb = [&chosen] {
      return with_postgres(chosen, [&chosen](const process::ProcessOptions& options) {
        return talk::run_chat(options, chosen.chat, chosen.talk);
      });
    };
  });
}

}  // namespace toolway::cli
