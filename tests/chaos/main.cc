#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tests/chaos/campaign.h"
#include "tests/chaos/full_disk.h"

/// `toolway-chaos`, or `./run chaos`: docs/chaos.md.
int main(int argc, char** argv) {
  using namespace toolway;
  // Before there are threads. If it is not allowed, the disk is not filled.
  const auto mounts = toolway::chaos::unshare_mounts();
  toolway::cli::process::StopSignals signals;
  toolway::chaos::Options options;
  std::vector<std::string> leave_out;
  std::vector<std::string> only;
  CLI::App app("Breaks a stack of its own in every way it knows, and judges what clients saw.",
               "toolway-chaos");
  app.add_option("--minutes", options.minutes, "how long the storm lasts at most")
      ->capture_default_str();
  app.add_option("--calls", options.calls,
                 "the storm ends once this many are accepted; 0: by time alone")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of all schedules; 0: from the clock")
      ->capture_default_str();
  app.add_option("--rate", options.rate, "calls per second")->capture_default_str();
  app.add_option("--fault-every", options.fault_every, "seconds between faults, on average")
      ->capture_default_str();
  app.add_option("--agents", options.agents, "clients at once")->capture_default_str();
  app.add_option("--mcp-agents", options.mcp_agents, "besides them, clients that speak MCP")
      ->capture_default_str();
  app.add_option("--mcp-rate", options.mcp_rate, "their calls per second")->capture_default_str();
  app.add_option("--key-holders", options.key_holders,
                 "and clients with keys that an operator makes and revokes")
      ->capture_default_str();
  app.add_option("--talkers", options.talkers, "and clients that talk to a model; 0: none")
      ->capture_default_str();
  app.add_option("--users", options.users, "that they belong to")->capture_default_str();
  app.add_option("--gateways", options.gateways)->capture_default_str();
  app.add_option("--workers", options.workers)->capture_default_str();
  app.add_option("--collectors", options.collectors)->capture_default_str();
  app.add_option("--chats", options.chats, "processes that run the turns of talkers")
      ->capture_default_str();
  app.add_option("--quiet", options.quiet, "seconds that pending calls may take after the storm")
      ->capture_default_str();
  app.add_option("--session-idle", options.session_idle,
                 "seconds after which an unused session expires; 0: never")
      ->capture_default_str();
  app.add_option("--nats-server", options.nats_server,
                 "a nats-server; without it, the one in PATH");
  app.add_flag("--cluster", options.cluster,
               "three nats-servers and three replicas; one node is lost at a time");
  app.add_option("--disk-mb", options.disk_mb,
                 "size of the disk in memory, which \"fill disk\" makes too small")
      ->capture_default_str();
  app.add_option("--directory", options.directory, "of the run; without it, one below /tmp");
  app.add_option(
         "--leave-out", leave_out,
         "requests and faults not to make: close, mailbox, keys, cancel, chat, \"kill nats\" …")
      ->delimiter(',');
  app.add_option("--only", only, "the only faults to make: \"kill worker\" …")->delimiter(',');
  app.add_flag("--keep", options.keep, "keep the directory even when all is well");
  CLI11_PARSE(app, argc, argv);
  options.leave_out = {leave_out.begin(), leave_out.end()};
  options.only = {only.begin(), only.end()};
  if (!mounts) {
    if (options.only.contains("fill disk")) {
      fmt::print(stderr, "toolway-chaos: the disk cannot be filled here: {}\n",
                 mounts.error().message);
      return 2;
    }
    if (options.with_fault("fill disk"))
      fmt::print(stderr, "• the disk is not filled: {}\n", mounts.error().message);
    options.leave_out.insert("fill disk");
  }
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // Their runtimes must be loaded first.
  options.leave_out.insert("skew");
#endif
  const auto status = toolway::chaos::run_campaign(options, signals);
  if (status) return *status;
  fmt::print(stderr, "toolway-chaos: {}\n", status.error().message);
  return 2;
}
