#include "tests/chaos/fleet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/os/seal_key_file.h"
#include "local/leftover.h"
#include "tests/chaos/freeze.h"
#include "tests/chaos/jetstream_watch.h"
#include "tests/chaos/key_book.h"
#include "tests/chaos/nats_nodes.h"
#include "tests/chaos/process_arguments.h"
#include "tests/chaos/users.h"
#include "tests/paths.h"

namespace toolway::chaos {
namespace {

namespace fs = std::filesystem;
using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Where the port is in the URL of a server of ours; all listen on 127.0.0.1.
std::pair<std::size_t, std::size_t> port_place(const std::string& url) {
  constexpr std::string_view host = "127.0.0.1:";
  const auto from = url.find(host) + host.size();
  return {from, std::min(url.find('/', from), url.size())};
}

std::uint16_t port_of(const std::string& url) {
  const auto [from, to] = port_place(url);
  std::uint16_t port = 0;
  std::from_chars(url.data() + from, url.data() + to, port);
  return port;
}

std::string with_port(const std::string& url, std::uint16_t port) {
  const auto [from, to] = port_place(url);
  return url.substr(0, from) + std::to_string(port) + url.substr(to);
}

class LocalFleet final : public Fleet {
 public:
  LocalFleet(const Options& options, std::string directory, History& history)
      : options_(options), directory_(std::move(directory)), history_(history) {}

  ~LocalFleet() override {
    // What is frozen cannot end.
    for (const auto& server : nats_) thaw(server->pid());
    if (postgres_) thaw(postgres_->pid());
    for (auto& member : members_)
      if (member.process && member.process->child()) member.process->child()->signal(SIGKILL);
  }

  Result<void> bring_up() {
    for (const char* part : {"logs", "run", "tools", "root", "workspaces"})
      fs::create_directories(fs::path(directory_) / part);
    fs::copy(fs::path(TOOLWAY_SOURCE_DIR) / "tests/chaos/tools", fs::path(directory_) / "tools",
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const auto data = directory_ + "/data";
    fs::create_directories(data);
    if (options_.with_fault("fill disk") && !options_.cluster) {
      auto disk = FullDisk::mount(data, options_.disk_mb << 20);
      if (!disk) return fail(disk.error());
      disk_ = std::move(*disk);
    }
    auto nats = start_nats(options_, data, directory_ + "/logs");
    if (!nats) return fail(nats.error());
    nats_ = std::move(*nats);
    auto watch = JetStreamWatch::start(nats_url());
    if (!watch) return fail(watch.error());
    watch_ = std::move(*watch);
    auto postgres = local::PostgresCluster::start(
        {.directory = data + "/postgres", .keep = false, .log_file = log("postgres")});
    if (!postgres) return fail(postgres.error());
    postgres_ = std::move(*postgres);
    if (auto migrated = migrate(); !migrated) return migrated;
    if (auto keys = os::ensure_seal_keys(seal_keys()); !keys) return keys;
    if (auto put = must("extensions", {"put", directory_ + "/tools/extensions.yaml"}); !put)
      return put;
    for (const auto& [role, count] : {std::pair{"gateway", options_.gateways},
                                      {"worker", options_.workers},
                                      {"collector", options_.collectors}})
      for (unsigned i = 0; i < count; ++i)
        if (auto added = add(role, fmt::format("{}-{}", role, i)); !added) return added;
    if (auto ready = settle(seconds(60)); !ready) return ready;
    for (auto& member : members_)
      if (member.is_gateway()) entrance_.gateways.push_back(member.process->url());
    if (auto made = make_keys(); !made) return made;
    return add_chats();
  }

  std::vector<Member>& members() override { return members_; }
  const Entrance& entrance() const override { return entrance_; }
  Outages& outages() override { return outages_; }
  local::NatsServer& nats(unsigned node) override { return *nats_[node]; }
  unsigned nats_nodes() const override { return static_cast<unsigned>(nats_.size()); }
  local::PostgresCluster& postgres() override { return *postgres_; }
  std::string nats_url() const override { return urls_of(nats_); }
  const std::vector<UnexpectedEnd>& unexpected_ends() const override { return ends_; }
  FullDisk* disk() override { return disk_.get(); }
  Harmed& harmed() override { return harmed_; }
  const ModelHost* model() const override { return model_.get(); }
  void forgive_nats() override { watch_->forgive(); }
  unsigned server_restarts() const override { return server_restarts_; }

  void kill(Member& member, milliseconds down) override {
    member.expected_to_end = true;
    resumed(member);
    member.process->child()->signal(SIGKILL);
    member.process->child()->wait(seconds(10));
    member.start_at = Steady::now() + down;
  }

  void terminate(Member& member) override {
    member.expected_to_end = true;
    member.must_end_by = Steady::now() + seconds(45);
    member.process->child()->signal(SIGTERM);
  }

  void pause(Member& member, milliseconds duration) override {
    member.process->child()->signal(SIGSTOP);
    if (member.is_gateway()) outages_.open(member.process->url(), now_us());
    member.resume_at = Steady::now() + duration;
  }

  void tend() override {
    const auto now = Steady::now();
    tend_servers(now);
    for (auto& member : members_) {
      if (member.resume_at && *member.resume_at <= now) {
        member.process->child()->signal(SIGCONT);
        resumed(member);
      }
      if (member.must_end_by && *member.must_end_by <= now) {
        history_.odd(fmt::format("{} did not end within 45 s of SIGTERM", member.role()));
        member.process->child()->signal(SIGKILL);
        member.must_end_by.reset();
      }
      if (const auto status = member.process->died()) {
        if (!member.expected_to_end) unexpected(member, *status);
        if (!member.start_at) member.start_at = now + milliseconds(100);
      }
      if (member.start_at && *member.start_at <= now)
        start(member);
      else if (!member.start_at && !member.resume_at && !member.process->ready())
        member.process->check_ready();
    }
  }

  Result<void> settle(seconds patience) override {
    const auto deadline = Steady::now() + patience;
    for (auto& member : members_)
      if (member.resume_at) member.resume_at = Steady::now();
    for (;;) {
      tend();
      std::string missing;
      for (auto& member : members_)
        if (!member.up() || !member.process->check_ready()) missing += " " + member.name();
      if (missing.empty()) return {};
      if (Steady::now() > deadline)
        return fail(ErrorCode::kTimeout, fmt::format("not ready after {} s:{}; see {}/logs",
                                                     patience.count(), missing, directory_));
      std::this_thread::sleep_for(milliseconds(20));
    }
  }

  Result<void> migrate() override {
    std::vector<std::string> more;
    if (options_.cluster) more = {"--replicas", "3"};
    if (options_.converses()) more.insert(more.end(), {"--pool", "chat"});
    return must("migrate", more);
  }

  VerbEnd verb(const std::string& name, const std::vector<std::string>& more) override {
    std::vector<std::string> argv{TOOLWAY_PROGRAM, name};
    argv.insert(argv.end(), more.begin(), more.end());
    const auto file = fmt::format("{}/run/verb-{}.log", directory_, next_verb_++);
    auto child =
        local::ChildProcess::start({.argv = std::move(argv),
                                    .environment = {{"TOOLWAY_NATS_URL", nats_url()},
                                                    {"TOOLWAY_POSTGRES_URL", postgres_->url()}},
                                    .log_file = file});
    if (!child) return {.output = child.error().message};
    const auto status = (*child)->wait(seconds(60));
    std::ifstream in(file);
    VerbEnd end{.status = status.value_or(-1),
                .output = {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}};
    std::error_code ignored;
    fs::remove(file, ignored);
    return end;
  }

  /// What one gateway seals, such as the ids of MCP's streams, any other opens; and collectors
  /// seal the audit with it.
  std::string seal_keys() const override { return seal_keys_in(directory_); }

 private:
  /// A key for each user of the workload: gateways that take keys believe no header.
  Result<void> make_keys() {
    if (!options_.with("auth")) return {};
    for (const auto& user : users_of(options_)) {
      const auto end = verb("keys", {"create", "--user", user, "-o", "json"});
      const auto key = end.status == 0 ? read_made_key(end.output) : std::nullopt;
      if (!key) return fail(ErrorCode::kInternal, "keys create failed:\n" + end.output);
      entrance_.keys[user] = key->secret;
    }
    return {};
  }

  void resumed(Member& member) {
    member.resume_at.reset();
    if (member.is_gateway()) outages_.close(member.process->url(), now_us());
  }

  Result<void> must(const std::string& name, const std::vector<std::string>& more) {
    const auto end = verb(name, more);
    if (end.status == 0) return {};
    return fail(ErrorCode::kInternal, fmt::format("{} failed:\n{}", name, end.output));
  }

  /// What `toolway dev` does, and a service manager with a liveness probe: starts a server again
  /// that has ended, or that runs but does not answer. It leaves alone one that the nemesis ended.
  void tend_servers(Steady::time_point now) {
    if (now < next_look_) return;
    next_look_ = now + seconds(1);
    if (nats_.size() == 1 && !harmed_.nats && nats_[0]->alive() &&
        watch_->silent_for() > seconds(15)) {
      history_.note("supervisor", "nats-server does not answer: killed and started again");
      const auto silence =
          std::chrono::duration_cast<std::chrono::microseconds>(watch_->silent_for());
      outages_.open({}, now_us() - silence.count());
      nats_[0]->stop(SIGKILL);
      if (nats_[0]->restart()) ++server_restarts_;
      outages_.close({}, now_us());
      watch_->forgive();
    }
    if (nats_.size() == 1 && !harmed_.nats && !nats_[0]->alive()) restart("nats-server", *nats_[0]);
    if (!harmed_.postgres && !postgres_->alive()) restart("postgres", *postgres_);
  }

  template <typename Server>
  void restart(const char* name, Server& server) {
    history_.note("supervisor", fmt::format("{} ended by itself", name));
    // Within the second since it was looked at last.
    outages_.open({}, now_us() - 1'000'000);
    if (server.restart()) ++server_restarts_;
    outages_.close({}, now_us());
  }

  std::string log(const std::string& name) const { return directory_ + "/logs/" + name + ".log"; }

  Result<void> add(const std::string& role, const std::string& name) {
    Member member;
    cli::stack::FleetProcess::Plan plan{.role = role,
                                        .name = name,
                                        .listen = "127.0.0.1:0",
                                        .argv = {TOOLWAY_PROGRAM, role},
                                        .environment = {},
                                        .log_file = log(name),
                                        .ready_file = directory_ + "/run/" + name + ".ready"};
    if (auto opened = open_ways(member, plan); !opened) return opened;
    if (options_.with_fault("skew")) {
      auto clock = SkewedClock::make(directory_ + "/run/" + name + ".skew");
      if (!clock) return fail(clock.error());
      member.clock = std::move(*clock);
      plan.environment.merge(member.clock->environment());
    }
    const auto more =
        role == "chat" ? chat_arguments(member) : arguments_of(options_, directory_, role, name);
    plan.argv.insert(plan.argv.end(), more.begin(), more.end());
    if (role == "chat") plan.environment.merge(chat_environment(chats_ - 1, model_->url()));
    member.process = std::make_unique<cli::stack::FleetProcess>(std::move(plan));
    members_.push_back(std::move(member));
    start(members_.back());
    return {};
  }

  /// Proxies of its own to the servers, and of a chat process to a gateway.
  Result<void> open_ways(Member& member, cli::stack::FleetProcess::Plan& plan) {
    auto postgres = Proxy::start(port_of(postgres_->url()));
    if (!postgres) return fail(postgres.error());
    member.postgres = std::move(*postgres);
    std::string nats_urls;
    for (const auto& node : nats_) {
      auto nats = Proxy::start(port_of(node->url()));
      if (!nats) return fail(nats.error());
      nats_urls += (nats_urls.empty() ? "" : ",") + with_port(node->url(), (*nats)->port());
      member.nats.push_back(std::move(*nats));
    }
    plan.environment["TOOLWAY_NATS_URL"] = nats_urls;
    if (plan.role != "worker")
      plan.environment["TOOLWAY_POSTGRES_URL"] =
          with_port(postgres_->url(), member.postgres->port());
    if (plan.role != "chat") return {};
    auto gateway = Proxy::start(port_of(entrance_.gateways[chats_++ % entrance_.gateways.size()]));
    if (!gateway) return fail(gateway.error());
    member.gateway = std::move(*gateway);
    return {};
  }

  std::vector<std::string> chat_arguments(const Member& member) const {
    std::vector<std::string> arguments{
        "--url", with_port(entrance_.gateways.front(), member.gateway->port())};
    if (options_.with("auth")) arguments.insert(arguments.end(), {"--key-file", chat_key()});
    return arguments;
  }

  std::string chat_key() const { return directory_ + "/run/chat.key"; }

  /// Chat processes, their model, and the key that lets them act for users of turns.
  Result<void> add_chats() {
    if (!options_.converses()) return {};
    auto model = ModelHost::start(options_.seed);
    if (!model) return fail(model.error());
    model_ = std::move(*model);
    if (options_.with("auth")) {
      const auto end = verb("keys", {"create", "--user", "chat", "--role", "chat", "-o", "json"});
      const auto key = end.status == 0 ? read_made_key(end.output) : std::nullopt;
      if (!key) return fail(ErrorCode::kInternal, "keys create failed:\n" + end.output);
      std::ofstream(chat_key()) << key->secret;
      fs::permissions(chat_key(), fs::perms::owner_read | fs::perms::owner_write);
    }
    for (unsigned i = 0; i < options_.chats; ++i)
      if (auto added = add("chat", fmt::format("chat-{}", i)); !added) return added;
    return settle(seconds(60));
  }

  void start(Member& member) {
    member.start_at.reset();
    member.must_end_by.reset();
    member.expected_to_end = false;
    if (auto started = member.process->start(Steady::now()); !started) {
      history_.odd("cannot start " + member.role() + ": " + started.error().message);
      member.start_at = Steady::now() + seconds(1);
    }
  }

  void unexpected(const Member& member, int status) {
    ends_.push_back({member.name(), status, local::tail(member.process->plan().log_file, 600)});
    history_.note("end", fmt::format("{} ended by itself with status {}", member.name(), status));
  }

  const Options& options_;
  const std::string directory_;
  History& history_;
  std::unique_ptr<FullDisk> disk_;  // before the servers, which use it
  std::vector<std::unique_ptr<local::NatsServer>> nats_;
  std::unique_ptr<JetStreamWatch> watch_;
  std::unique_ptr<local::PostgresCluster> postgres_;
  std::unique_ptr<ModelHost> model_;  // before the processes that ask it
  unsigned chats_ = 0;
  std::vector<Member> members_;
  Entrance entrance_;
  Outages outages_;
  std::vector<UnexpectedEnd> ends_;
  Steady::time_point next_look_{};
  Harmed harmed_;
  unsigned server_restarts_ = 0;
  std::atomic<unsigned> next_verb_{0};
};

}  // namespace

Result<std::unique_ptr<Fleet>> Fleet::start(const Options& options, const std::string& directory,
                                            History& history) {
  auto fleet = std::make_unique<LocalFleet>(options, directory, history);
  if (auto up = fleet->bring_up(); !up) return fail(up.error());
  return fleet;
}

}  // namespace toolway::chaos
