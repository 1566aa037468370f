#include "tests/e2e/outage/outage_fleet.h"

#include <fmt/format.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "local/leftover.h"
#include "tests/paths.h"
#include "tests/support/nats.h"

namespace toolway::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// From the signal; less than what an orchestrator gives (docs/kubernetes.md).
const std::map<std::string, seconds> kEndsWithin{
    {"gateway", seconds(15)}, {"worker", seconds(15)}, {"collector", seconds(20)}};

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Whether every thread of the process is stopped, or it has ended.
bool stands_still(int pid) {
  std::error_code gone;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone)) {
    const auto stat = text_of(task.path() / "stat");
    const auto name_ends = stat.rfind(") ");
    if (name_ends != std::string::npos &&
        std::string_view("TtZX").find(stat[name_ends + 2]) == std::string_view::npos)
      return false;
  }
  return true;
}

std::uint16_t port_of(const std::string& url) {
  const auto after_host = url.find("127.0.0.1:") + std::string_view("127.0.0.1:").size();
  return static_cast<std::uint16_t>(std::stoi(url.substr(after_host)));
}

std::string with_port(std::string url, std::uint16_t port) {
  const auto from = "127.0.0.1:" + std::to_string(port_of(url));
  return url.replace(url.find(from), from.size(), "127.0.0.1:" + std::to_string(port));
}

}  // namespace

std::unique_ptr<OutageFleet::Servers> OutageFleet::servers_;

bool becomes_true(const std::function<bool()>& condition, milliseconds timeout) {
  const auto deadline = Steady::now() + timeout;
  do {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(10));
  } while (Steady::now() < deadline);
  return false;
}

Frozen::Frozen(std::vector<int> pids) : pids_(std::move(pids)) {
  for (const int pid : pids_) kill(pid, SIGSTOP);
  // A thread that runs at that moment may still answer something.
  for (const int pid : pids_) EXPECT_TRUE(becomes_true([pid] { return stands_still(pid); })) << pid;
}
Frozen::~Frozen() {
  for (const int pid : pids_) kill(pid, SIGCONT);
}

std::vector<int> OutageFleet::nats_pids() { return {servers_->nats->pid()}; }
std::vector<int> OutageFleet::postgres_pids() {
  return local::processes_in(servers_->postgres->directory() + "/data");
}

void OutageFleet::SetUpTestSuite() {
  servers_ = std::make_unique<Servers>();
  servers_->nats = test::start_nats(servers_->directory / "nats");
  auto cluster =
      local::PostgresCluster::start({.directory = servers_->directory / "pg", .durable = false});
  ASSERT_TRUE(cluster) << cluster.error().message;
  servers_->postgres = std::move(*cluster);
  const auto log = servers_->directory / "migrate.log";
  auto migrate = local::ChildProcess::start(
      {.argv = {TOOLWAY_PROGRAM, "migrate"},
       .environment = {{"TOOLWAY_NATS_URL", servers_->nats->url()},
                       {"TOOLWAY_POSTGRES_URL", servers_->postgres->url()}},
       .log_file = log});
  ASSERT_TRUE(migrate) << migrate.error().message;
  ASSERT_EQ((*migrate)->wait(seconds(60)), 0) << text_of(log);
}

void OutageFleet::TearDownTestSuite() { servers_.reset(); }

void OutageFleet::SetUp() {
  ASSERT_TRUE(servers_ && servers_->postgres);
  auto nats = chaos::Proxy::start(port_of(servers_->nats->url()));
  auto postgres = chaos::Proxy::start(port_of(servers_->postgres->url()));
  ASSERT_TRUE(nats && postgres);
  to_nats_ = std::move(*nats);
  to_postgres_ = std::move(*postgres);
  start("collector", {"--metrics", "127.0.0.1:0"});
  start("worker", {"--metrics", "127.0.0.1:0", "--root", TOOLWAY_SOURCE_DIR, "--workspaces",
                   directory_ / "workspaces"});
  start("gateway", {"--http", "127.0.0.1:0", "--root", TOOLWAY_SOURCE_DIR});
  for (const char* role : {"collector", "worker", "gateway"})
    ASSERT_TRUE(becomes_true([&] { return ready(role).status == 200; }))
        << role << ready(role).body << logs();
  const auto opened =
      ask("POST", "/v1/sessions", R"({"session_id":"outage","namespaces":["time"]})");
  ASSERT_TRUE(opened.status == 200 || opened.status == 201) << opened.body;
  const auto first = call();
  const auto completed = parse_json(first.body);
  ASSERT_TRUE(completed && completed->contains("call_id")) << first.body << logs();
  call_id_ = completed->at("call_id").get<std::string>();
  ASSERT_EQ(read().status, 200) << logs();
  ASSERT_TRUE(becomes_true([&] { return ask("GET", "/v1/calls/" + call_id_).status == 200; }));
}

void OutageFleet::TearDown() {
  if (HasFailure()) fmt::print(stderr, "{}\n", logs());
  for (auto& [role, process] : processes_) process->signal(SIGKILL);
}

void OutageFleet::start(const std::string& role, std::vector<std::string> arguments) {
  const auto ready_file = directory_ / (role + ".json");
  std::vector<std::string> argv{TOOLWAY_PROGRAM, role, "--ready-file", ready_file};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  auto child = local::ChildProcess::start(
      {.argv = argv,
       .environment = {{"TOOLWAY_NATS_URL", with_port(servers_->nats->url(), to_nats_->port())},
                       {"TOOLWAY_POSTGRES_URL",
                        with_port(servers_->postgres->url(), to_postgres_->port())}},
       .log_file = directory_ / (role + ".log")});
  ASSERT_TRUE(child) << child.error().message;
  processes_[role] = std::move(*child);
  ASSERT_TRUE(becomes_true([&] {
    const auto said = parse_json(text_of(ready_file));
    if (!said || !said->is_object() || !said->contains("http")) return false;
    urls_[role] = said->at("http").get<std::string>();
    return true;
  })) << text_of(directory_ / (role + ".log"));
}

Timed OutageFleet::ask(const std::string& method, const std::string& target,
                       const std::string& body, const std::string& prefer) const {
  const auto begun = Steady::now();
  auto client = client::HttpClient::create({.url = urls_.at("gateway")});
  if (!client) return {};
  auto answer =
      (*client)->request(method, target, body,
                         prefer.empty() ? client::HttpClient::Headers{}
                                        : client::HttpClient::Headers{{"Prefer", prefer}});
  const auto took = std::chrono::duration_cast<milliseconds>(Steady::now() - begun);
  if (!answer) return {.status = 0, .body = answer.error().message, .took = took};
  return {.status = answer->status, .body = std::move(answer->body), .took = took};
}

void OutageFleet::expect_reads_are_answered() const {
  std::map<std::string, std::future<Timed>> reads;
  for (const std::string& target :
       {std::string("/v1/sessions"), std::string("/v1/sessions/outage"),
        std::string("/v1/sessions/outage/calls"), std::string("/v1/sessions/outage/completions"),
        std::string("/v1/sessions/outage/tools"), "/v1/calls/" + call_id_,
        "/v1/calls/" + call_id_ + "/explain"}) {
    reads[target] = std::async(std::launch::async, [this, target] { return ask("GET", target); });
  }
  for (auto& [target, under_way] : reads) {
    const auto answer = under_way.get();
    EXPECT_TRUE(answer.status == 200 || answer.status == 503)
        << target << ": " << answer.status << answer.body;
    EXPECT_LT(answer.took, milliseconds(3000)) << target << answer.body;
  }
}

Timed OutageFleet::ready(const std::string& role) const {
  const auto begun = Steady::now();
  auto client = client::HttpClient::create({.url = urls_.at(role)});
  if (!client) return {};
  auto answer = (*client)->request("GET", "/readyz");
  const auto took = std::chrono::duration_cast<milliseconds>(Steady::now() - begun);
  // A probe's patience is 3 s; what waits for nothing needs milliseconds, also on a busy machine.
  EXPECT_LT(took, milliseconds(1000)) << role;
  if (!answer) return {.status = 0, .body = answer.error().message, .took = took};
  return {.status = answer->status, .body = std::move(answer->body), .took = took};
}

void OutageFleet::expect_all_run() {
  for (auto& [role, process] : processes_) EXPECT_FALSE(process->poll()) << role << "\n" << logs();
}

void OutageFleet::expect_all_end() {
  const auto begun = Steady::now();
  for (auto& [role, process] : processes_) process->signal(SIGTERM);
  for (auto& [role, process] : processes_) {
    const auto left = kEndsWithin.at(role) - (Steady::now() - begun);
    const auto status = process->wait(std::chrono::duration_cast<milliseconds>(left));
    EXPECT_EQ(status, 0) << role << " after "
                         << std::chrono::duration<double>(Steady::now() - begun).count() << " s\n"
                         << logs();
  }
}

std::string OutageFleet::logs() const {
  return text_of(directory_ / "gateway.log") + text_of(directory_ / "worker.log") +
         text_of(directory_ / "collector.log");
}

}  // namespace toolway::cli
