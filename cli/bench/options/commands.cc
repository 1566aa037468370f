#include "cli/bench/options/commands.h"

#include <CLI/CLI.hpp>

namespace toolway::cli::bench::options {
namespace {

/// Of loads from a file.
void add_scenario_options(CLI::App& bench, ScenarioOptions& options) {
  static const std::map<std::string, Judge> kJudges{{"all", Judge::kAll},
                                                    {"correctness", Judge::kCorrectness}};
  bench.add_option("--scenario", options.file,
                   "a load described in a file (tests/load/*.yaml); with --url, --seconds, --json");
  bench
      .add_option("--suite", options.suite,
                  "original: the original design's six benchmarks with their targets")
      ->check(CLI::IsMember({"original"}));
  bench.add_flag(
      "--check", options.check,
      "of a scenario: only read the file, and report every mistake; without one: fail when a call "
      "takes more than 5 % more CPU than the stored result says");
  bench
      .add_option(
          "--scale", options.scale,
          "of a scenario: scales the load; of --chat: how many streams, turns that wait, messages")
      ->check(CLI::Range(0.0001, 1000.0))
      ->capture_default_str();
  bench.add_option(
      "--store", options.store,
      "of a scenario: directory of earlier results to compare this one with and keep it in "
      "(.toolway-bench); of --profile and --check: file of them (.toolway-bench/profiles.jsonl); \"\": none");
  bench.add_option(
      "--svg", options.svg,
      "file for a picture: of a scenario latency and rate over time, of --profile and --check the CPU of a call");
  bench
      .add_option("--judge", options.judge,
                  "of a scenario: all thresholds, or those of correctness alone")
      ->transform(CLI::CheckedTransformer(kJudges));
}

void add_chat_option(CLI::App& bench, BenchOptions& options) {
  bench.add_flag(
      "--chat", options.chat,
      "measure the chat engine with a scripted model over HTTP: overhead, turns/s, streams, turns that wait, "
      "a long conversation; --seconds of each load (10), --scale of the numbers");
}

/// What is called, and how often.
void add_load_options(CLI::App& bench, BenchOptions& options) {
  bench.add_option("--url", options.url, "a gateway; without it, a stack of its own");
  bench.add_option("--calls", options.calls, "how many to measure; 0: by --seconds")
      ->capture_default_str();
  bench
      .add_option("--seconds", options.seconds,
                  "how long (10, each round of --profile and --check 5; unless --calls is given)")
      ->check(CLI::Range(0.1, 1e6));
  bench.add_option("--warm-up", options.warm_up, "seconds before measuring")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  bench.add_option("--sessions", options.sessions, "open sessions")
      ->check(CLI::Range(1U, 1'000'000U))
      ->capture_default_str();
  bench
      .add_option("--followers", options.followers,
                  "sessions that are followed, and get the calls; 0: all, at most 1000")
      ->capture_default_str();
  bench.add_option("--concurrency", options.concurrency, "requests at once; 0: a suitable number")
      ->capture_default_str();
  bench.add_option("--batch", options.batch, "calls per request")->capture_default_str();
  bench.add_option("--payload", options.payload, "bytes")->capture_default_str();
  bench.add_option("--progress", options.progress, "progress reports per call")
      ->capture_default_str();
  bench
      .add_option("--kind", options.kind,
                  "of the tool that is called: native, python, command, http, mcp-stdio, mcp-http")
      ->capture_default_str();
  bench
      .add_option("--rate", options.rate,
                  "calls/s of an open loop; 0: closed loop (0; of --profile and --check: 1000)")
      ->check(CLI::Range(0.0, 1e6));
}

}  // namespace

void add_bench_options(CLI::App& bench, BenchOptions& options) {
  add_load_options(bench, options);
  bench.add_option("--slo", options.slo, "condition such as completion.p99<15ms; repeatable");
  bench.add_option("--json", options.json, "file for the result");
  bench
      .add_option("--in-flight", options.in_flight,
                  "measure the memory of a worker with this many HTTP calls at once (at most 870)")
      ->check(CLI::Range(1, 870));
  bench.add_flag(
      "--lifecycle", options.lifecycle,
      "measure sessions instead of calls: close, restore, --sessions open (100000), --followers that reconnect at once (10000)");
  bench
      .add_option(
          "--face", options.face,
          "mcp: measure /mcp beside REST in one run: calls, lists, tasks, sessions, streams")
      ->check(CLI::IsMember({"mcp"}));
  bench.add_flag(
      "--floor", options.floor,
      "also measure, before and after, what calls cannot beat: their messages alone (over nats.c's own "
      "threads, and over our loop), or of another --kind its mechanism");
  bench.add_flag("--profile", options.profile,
                 "say what a call costs each process: CPU, system calls, context switches, stacks");
  bench
      .add_option(
          "--rounds", options.rounds,
          "of --profile and --check: how often to measure; the best of the quiet rounds counts; of "
          "--face: likewise; the median counts")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  bench.add_option("--tokens", options.tokens_file,
                   "file with a bearer token a line, all of user `bench`, sent in turn");
  bench.add_option("--extensions", options.extensions,
                   "extensions.yaml to put in force on its own stack");
  add_chat_option(bench, options);
  add_scenario_options(bench, options.scenario);
}

}  // namespace toolway::cli::bench::options
