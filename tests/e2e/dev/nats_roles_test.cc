// A fleet whose processes have each the rights of their role on NATS (k8s/nats/authorization.conf),
// and no more.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <sstream>

#include "base/ids.h"
#include "bus/jetstream_bus.h"
#include "local/postgres_cluster.h"
#include "persistence/postgres/pg_connection.h"
#include "proto/codec.h"
#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::array kUsers{"gateway", "worker",  "worker_native", "collector",
                            "migrate", "restore", "operator",      "observer"};

std::string password_of(const std::string& user) { return "s3cret-" + user; }

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

std::string pool_user(const std::string& directory, const std::string& pool) {
  const auto printed = directory + "/user.conf";
  auto child = local::ChildProcess::start(
      {.argv = {TOOLWAY_SOURCE_DIR "/k8s/nats/pool_user.sh", pool}, .log_file = printed});
  if (!child || (*child)->wait(10s) != 0) return "";
  return text_of(printed);
}

/// nats-server with the roles, on a port of its own.
class NatsWithRoles {
 public:
  explicit NatsWithRoles(const std::string& directory) : log_(directory + "/nats.log") {
    std::filesystem::create_directories(directory);
    Dev::Environment passwords;
    for (const std::string user : kUsers) {
      std::string name = user;
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return std::toupper(c); });
      passwords["TOOLWAY_NATS_" + name + "_PASSWORD"] = password_of(user);
    }
    auto roles = text_of(TOOLWAY_SOURCE_DIR "/k8s/nats/authorization.conf");
    // And the workers of one pool as a user of their own.
    const std::string list = "users: [\n";
    roles.insert(roles.find(list) + list.size(), pool_user(directory, "native"));
    std::ofstream(directory + "/authorization.conf") << roles;
    // As much room for the streams as docs/operations.md says they need, and no more.
    std::ofstream(directory + "/nats.conf")
        << "listen: \"127.0.0.1:-1\"\nports_file_dir: \"" << directory << "\"\n"
        << "jetstream { store_dir: \"" << directory << "/store\", max_file_store: 6320MB }\n"
        << "max_payload: 2MB\ninclude ./authorization.conf\n";
    const char* program = std::getenv("TOOLWAY_NATS_SERVER");
    auto child = local::ChildProcess::start(
        {.argv = {program == nullptr ? "nats-server" : program, "-c", directory + "/nats.conf"},
         .environment = passwords,
         .log_file = log_});
    if (!child) return;
    process_ = std::move(*child);
    const auto ports = directory + "/nats-server_" + std::to_string(process_->pid()) + ".ports";
    wait_for([&] {
      const auto told = parse_json(text_of(ports));
      if (!told || !told->contains("nats")) return false;
      address_ = (*told)["nats"][0].get<std::string>().substr(std::string("nats://").size());
      return true;
    });
  }

  std::string url(const std::string& user) const {
    return "nats://" + user + ":" + password_of(user) + "@" + address_;
  }
  std::string anonymous() const { return "nats://" + address_; }
  std::string log() const { return text_of(log_); }
  /// Lines in which the server says that a client did what is not allowed.
  std::vector<std::string> violations() const {
    std::vector<std::string> found;
    std::istringstream lines(log());
    for (std::string line; std::getline(lines, line);)
      if (line.find("Violation") != std::string::npos) found.push_back(line);
    return found;
  }

 private:
  const std::string log_;
  std::unique_ptr<local::ChildProcess> process_;
  std::string address_;
};

enum class Wait { kNo, kForTheResult };

/// Postgres, NATS with roles, and one process of each kind as its own user.
class NatsRoles : public testing::Test {
 protected:
  void SetUp() override {
    auto cluster = local::PostgresCluster::start({.directory = dir / "pg", .durable = false});
    ASSERT_TRUE(cluster) << cluster.error().message;
    postgres = std::move(*cluster);
    nats = std::make_unique<NatsWithRoles>(dir / "nats");
    const auto migrated = run_toolway(dir, {"migrate"}, environment("migrate"));
    ASSERT_EQ(migrated.status, 0) << migrated.output << nats->log();
  }

  Dev::Environment environment(const std::string& role) const {
    return {{"TOOLWAY_NATS_URL", nats->url(role)}, {"TOOLWAY_POSTGRES_URL", postgres->url()}};
  }

  /// Starts a process and waits until it is ready; returns its URL.
  std::string start(const std::string& role, std::vector<std::string> arguments,
                    const std::string& as = {}) {
    const auto& user = as.empty() ? role : as;
    const auto ready = dir / (user + ".json");
    std::vector<std::string> argv{TOOLWAY_PROGRAM, role, "--ready-file", ready};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    auto child = local::ChildProcess::start(
        {.argv = argv, .environment = environment(user), .log_file = dir / (user + ".log")});
    if (!child) return child.error().message;
    processes.push_back(std::move(*child));
    OrderedJson told = OrderedJson::object();
    wait_for([&] {
      auto parsed = parse_ordered_json(text_of(ready));
      if (parsed && parsed->is_object()) told = *std::move(parsed);
      return !told.value("http", "").empty();
    });
    return told.value("http", text_of(dir / (user + ".log")));
  }

  /// The fleet: a tool of each way through NATS (a slow one, one with a large result, one that a
  /// worker has found).
  void start_fleet() {
    std::ofstream(dir / "tools.yaml")
        << "tools:\n"
           "  - {name: slow, namespace: team, kind: http, description: Takes long., input_schema: {type: object}, implementation_config: {url: \"https://tools.invalid/slow\"}}\n"
           "  - {name: large, namespace: team, kind: http, description: Says much., input_schema: {type: object}, implementation_config: {url: \"https://tools.invalid/large\"}}\n";
    std::ofstream(dir / "mocks.yaml")
        << "mocks:\n  - {tool: team.slow, delay_ms: 60000, result: late}\n  - {tool: team.large, result: \""
        << std::string(700'000, 'x') << "\"}\n";
    std::ofstream(dir / "mcp.yaml") << "scripted:\n  command: [python3, " TOOLWAY_SOURCE_DIR
                                       "/tests/support/mcp/scripted_server.py]\n";
    start("collector", {"--metrics", "127.0.0.1:0"});
    start("worker",
          {"--metrics", "127.0.0.1:0", "--pool", "native", "--root", TOOLWAY_SOURCE_DIR,
           "--workspaces", dir / "workspaces"},
          "worker_native");
    start("worker", {"--metrics", "127.0.0.1:0", "--pool", "http,mcp", "--root", TOOLWAY_SOURCE_DIR,
                     "--workspaces", dir / "workspaces", "--mock", dir / "mocks.yaml", "--set",
                     "mcp.servers=" + (dir / "mcp.yaml")});
    url = start("gateway", {"--http", "127.0.0.1:0", "--trust-user-header", "loopback", "--specs",
                            dir / "tools.yaml", "--set", "mcp.servers=" + (dir / "mcp.yaml")});
    auto made = client::HttpClient::create({.url = url, .user = "e2e"});
    ASSERT_TRUE(made) << url;
    client = *std::move(made);
    ASSERT_TRUE(wait_for([&] {
      return text("GET", "/readyz").find("\"ready\"") != std::string::npos;
    })) << text("GET", "/readyz")
        << logs();
  }

  std::string text(const std::string& method, const std::string& target,
                   const std::string& body = {}, Wait wait = Wait::kNo) {
    const auto headers = wait == Wait::kForTheResult
                             ? client::HttpClient::Headers{{"Prefer", "wait=30"}}
                             : client::HttpClient::Headers{};
    auto answer = client->request(method, target, body, headers);
    return answer ? answer->body : answer.error().message;
  }
  OrderedJson json(const std::string& method, const std::string& target,
                   const std::string& body = {}) {
    auto parsed = parse_ordered_json(text(method, target, body, Wait::kForTheResult));
    return parsed ? *std::move(parsed) : OrderedJson::object();
  }
  std::string logs() const {
    return text_of(dir / "gateway.log") + text_of(dir / "worker.log") +
           text_of(dir / "worker_native.log") + text_of(dir / "collector.log") + nats->log();
  }

  const test::TempDir dir;
  std::unique_ptr<local::PostgresCluster> postgres;
  std::unique_ptr<NatsWithRoles> nats;
  std::vector<std::unique_ptr<local::ChildProcess>> processes;
  std::string url;
  std::unique_ptr<client::HttpClient> client;
};

TEST_F(NatsRoles, AFleetDoesAllItsWorkAndIsNeverRefused) {
  ASSERT_NO_FATAL_FAILURE(start_fleet());
  ASSERT_TRUE(wait_for([&] {
    return text("GET", "/v1/tools").find("\"scripted\"") != std::string::npos;
  })) << logs();
  ASSERT_EQ(
      json("POST", "/v1/sessions", R"({"session_id":"s","namespaces":["time","team","scripted"]})")
          .value("state", ""),
      "open")
      << logs();

  const auto call = [&](const char* body) { return json("POST", "/v1/sessions/s/calls", body); };
  EXPECT_EQ(call(R"({"tool":"time.get_current_time"})").value("outcome", ""), "succeeded")
      << logs();
  const auto large = call(R"({"tool":"team.large"})");
  EXPECT_EQ(large.value("outcome", ""), "succeeded") << logs();
  EXPECT_EQ(text("GET", "/v1/calls/" + large.value("call_id", "") + "/result").size(), 700'002U);
  EXPECT_EQ(call(R"({"tool":"scripted.echo","arguments":{"text":"hello"}})").value("outcome", ""),
            "succeeded")
      << logs();

  const auto slow =
      parse_ordered_json(text("POST", "/v1/sessions/s/calls", R"({"tool":"team.slow"})"))
          ->value("call_id", "");
  ASSERT_TRUE(wait_for([&] {
    return text("GET", "/v1/calls/" + slow).find("\"running\"") != std::string::npos;
  })) << logs();
  EXPECT_NE(text("GET", "/v1/calls/" + slow + "/explain").find(slow), std::string::npos);
  const auto cancelled_at = std::chrono::steady_clock::now();
  text("POST", "/v1/calls/" + slow + "/cancel", "{}");
  EXPECT_TRUE(wait_for([&] {
    return text("GET", "/v1/calls/" + slow).find("\"cancelled\"") != std::string::npos;
  })) << logs();
  // By ctl, not by the worker's next event, which is 10 s away.
  EXPECT_LT(std::chrono::steady_clock::now() - cancelled_at, 8s);

  EXPECT_TRUE(wait_for([&] {
    return text("GET", "/v1/workers").find("\"native\"") != std::string::npos;
  })) << text("GET", "/v1/workers");
  EXPECT_EQ(json("POST", "/v1/sessions/s/close",
                 R"({"pending":"wait","timeout_ms":20000})")["completed_calls"]
                .size(),
            4U)
      << logs();
  EXPECT_EQ(json("POST", "/v1/sessions/s/restore").value("state", ""), "open") << logs();
  const auto operate = [&](auto verb) { return run_toolway(dir, verb, environment("operator")); };
  const auto ends_as = [&](const char* code, const char* body, std::vector<std::string> verb) {
    EXPECT_EQ(operate(verb).status, 0) << logs();
    return wait_for([&] { return call(body).value("code", "") == code; });
  };
  EXPECT_TRUE(ends_as("tool_disabled", R"({"tool":"time.get_current_time"})",
                      words_of("tools disable time.get_current_time --future")));
  std::ofstream(dir / "x.yaml") << "rules: [{name: none, tools: 'team.*', refuse: no}]";
  EXPECT_TRUE(ends_as("permission_denied", R"({"tool":"team.large"})",
                      {"extensions", "put", dir / "x.yaml"}));
  const auto key = operate(words_of("keys create --user ann -o json")).json();
  EXPECT_EQ(operate(words_of("keys revoke " + key["id"].get<std::string>())).status, 0);
  // What the reaper does when a queue was deleted.
  auto bus = bus::connect_jetstream({.url = nats->url("collector"), .name = "toolway-collector"});
  ASSERT_TRUE(bus);
  EXPECT_TRUE((*bus)->provision({.pools = {{"native"}, {"another"}}}));
  EXPECT_EQ(nats->violations(), std::vector<std::string>{});
}

// A session that Postgres has and the bucket has not, as after a loss of NATS.
TEST_F(NatsRoles, WhoRestoresPutsSessionsBack) {
  v1::SessionRecord record;
  record.set_tenant_id("default");
  record.set_user_id("ann");
  record.set_session_id("chat");
  record.set_session_key(SessionKey::make().text());
  record.set_state(v1::SessionRecord::STATE_OPEN);
  auto connection = persistence::postgres::PgConnection::open(postgres->url());
  ASSERT_TRUE(connection);
  ASSERT_TRUE(connection->execute(
      "INSERT INTO sessions (session_key, user_id, session_id, namespaces, state, created_at, updated_at, incarnation, "
      "revision, record) VALUES ($1::uuid, 'ann', 'chat', '{}', 'open', now(), now(), 1, 1, $2)",
      {record.session_key(), persistence::postgres::SqlParameter::bytes(proto::encode(record))}));
  const auto restored = run_toolway(dir, {"migrate", "--after-restore"}, environment("restore"));
  EXPECT_EQ(restored.status, 0) << restored.output;
  EXPECT_NE(restored.output.find("1 sessions put back"), std::string::npos) << restored.output;
  EXPECT_TRUE(nats->violations().empty()) << nats->log();
  const auto again = run_toolway(dir, {"migrate", "--after-restore"}, environment("restore"));
  EXPECT_NE(again.output.find("0 sessions put back"), std::string::npos) << again.output;
  EXPECT_NE(run_toolway(dir, {"migrate", "--after-restore"}, environment("migrate")).status, 0)
      << "not the everyday role's";
}

struct Forbidden {  // what a client with a role's password may not do
  const char* user;
  const char* publish;  ///< subjects, separated by spaces
  const char* subscribe;
};
constexpr Forbidden kForbidden[]{
    {"worker",
     "call.native.normal.0.x $KV.sessions.k $KV.idempotency.k $KV.specs.k $KV.switches.k $KV.policies.extensions $KV.api_keys.k $KV.mcp.k $KV.mcp_requests.k live.000.s.c bucket.switches.k audit.gateway audit.worker "
     "$KV.seals.last_audit_seal $KV.clocks.last_audit_seal $KV.clocks.gateway.k $KV.clocks.collector.k $JS.API.STREAM.MSG.GET.KV_api_keys $JS.API.DIRECT.GET.KV_api_keys "
     "$JS.API.STREAM.CREATE.X $JS.API.STREAM.DELETE.CALLS $JS.API.STREAM.PURGE.EVENTS $JS.API.STREAM.UPDATE.CALLS "
     "$JS.API.CONSUMER.DELETE.CALLS.native-normal-0 $JS.API.CONSUMER.DURABLE.CREATE.CALLS.x $JS.API.CONSUMER.CREATE.CALLS.x.call.> "
     "$JS.API.CONSUMER.MSG.NEXT.EVENTS.collector $JS.API.CONSUMER.MSG.NEXT.CALLS.collector $JS.ACK.EVENTS.collector.1.1.1.1.1 "
     "$JS.ACK.CALLS.collector.1.1.1.1.1 $JS.API.DIRECT.GET.KV_sessions $JS.API.STREAM.MSG.GET.KV_idempotency $SYS.REQ.SERVER.PING "
     "_INBOX.toolway-gateway.0123456789ab.3 _INBOX.toolway-gateway.0123456789ab",
     "_INBOX.> _INBOX.toolway-gateway.> call.> event.> live.> lookup worker.> bucket.sessions.> bucket.api_keys.> $JS.API.> >"},
    {"worker_native",
     "call.native.normal.0.x $JS.API.CONSUMER.MSG.NEXT.CALLS.http-normal-0 $JS.ACK.CALLS.http-normal-0.1.1.1.1.1 worker.http.w $KV.toolsets.scripted.0 $KV.seals.last_audit_seal $KV.clocks.gateway.k "
     "$JS.API.CONSUMER.MSG.NEXT.CALLS.collector $JS.ACK.CALLS.collector.1.1.1.1.1 _INBOX.toolway-gateway.0123456789ab.3",
     "_INBOX.> _INBOX.toolway-gateway.> call.> event.> live.> lookup"},
    {"gateway",
     "worker.native.w blob.000.c.0 audit.cli $KV.policies.extensions $KV.toolsets.k $JS.API.STREAM.DELETE.CALLS $JS.API.CONSUMER.MSG.NEXT.CALLS.native-normal-0 "
     "$JS.ACK.CALLS.native-normal-0.1.1.1.1.1 $JS.API.STREAM.CREATE.X $KV.seals.last_audit_seal $KV.clocks.last_audit_seal $KV.clocks.worker.k",
     "_INBOX.> call.> ctl.> lookup"},
    {"collector",
     "$JS.API.STREAM.DELETE.CALLS $JS.API.STREAM.PURGE.CALLS $KV.specs.k $KV.switches.k $KV.policies.extensions $KV.api_keys.k ctl.w worker.native.w $KV.clocks.worker.k "
     "$JS.API.CONSUMER.MSG.NEXT.CALLS.native-normal-0 $JS.ACK.CALLS.native-normal-0.1.1.1.1.1 "
     "_INBOX.toolway-gateway.0123456789ab.3 _INBOX.toolway-worker.0123456789ab.3",
     "_INBOX.> call.> event.> live.>"},
    {"migrate",
     "call.native.normal.0.x event.000.s.c $KV.sessions.k $KV.seals.last_audit_seal $JS.API.STREAM.DELETE.CALLS $JS.API.STREAM.MSG.GET.CALLS",
     "_INBOX.> live.> event.>"},
    {"operator",
     "call.native.normal.0.x $KV.sessions.k $KV.specs.k $JS.API.STREAM.MSG.GET.KV_sessions $KV.seals.last_audit_seal audit.gateway",
     "_INBOX.> live.>"},
    {"observer",
     "call.native.normal.0.x event.000.s.c ctl.w audit.cli $KV.switches.k $KV.policies.extensions $KV.api_keys.k $KV.seals.last_audit_seal $JS.API.STREAM.MSG.GET.CALLS $JS.API.DIRECT.GET.EVENTS",
     "_INBOX.> call.> lookup"},
};

TEST_F(NatsRoles, ARoleIsRefusedWhatIsNotItsOwn) {
  const auto states = [&](bus::Bus& bus) {
    std::string text;
    for (const auto& stream : words_of("CALLS EVENTS BLOBS AUDIT KV_sessions KV_specs KV_switches "
                                       "KV_policies KV_api_keys KV_seals")) {
      std::promise<std::string> told;
      bus.stream_state(stream, [&](Result<bus::StreamState> state) {
        told.set_value(state ? std::to_string(state->incarnation) + " " +
                                   std::to_string(state->last_sequence)
                             : state.error().message);
      });
      text += stream + " " + told.get_future().get() + "\n";
    }
    return text;
  };
  auto looking = bus::connect_jetstream({.url = nats->url("gateway"), .name = "toolway-gateway"});
  ASSERT_TRUE(looking) << looking.error().message;
  const auto before = states(**looking);
  EXPECT_NE(before.find("CALLS 1"), std::string::npos) << before;
  for (const auto& [user, publish, subscribe] : kForbidden) {
    auto bus = bus::connect_jetstream({.url = nats->url(user),
                                       .name = std::string(user) == "operator"   ? "toolway-tools"
                                               : std::string(user) == "observer" ? "observer"
                                               : std::string(user) == "worker_native"
                                                   ? "toolway-worker"
                                                   : "toolway-" + std::string(user)});
    ASSERT_TRUE(bus) << user << bus.error().message;
    // Servers word the line differently, and the same subject may be tried by several users.
    const auto refusals = [&](const std::string& kind, const std::string& subject) {
      const auto lines = nats->violations();
      return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
        return line.find(kind + " Violation") != std::string::npos &&
               line.find("\"" + subject + "\"") != std::string::npos;
      });
    };
    for (const auto& subject : words_of(publish)) {
      const auto so_far = refusals("Publish", subject);
      (*bus)->tell(subject, "forged");
      ASSERT_TRUE(wait_for([&] { return refusals("Publish", subject) > so_far; }, 10s))
          << user << " may publish " << subject;
    }
    std::vector<std::unique_ptr<bus::Subscription>> kept;
    for (const auto& subject : words_of(subscribe)) {
      const auto so_far = refusals("Subscription", subject);
      auto heard = (*bus)->follow(subject, [](const bus::LiveMessage&) {});
      if (heard) kept.push_back(std::move(*heard));
      ASSERT_TRUE(wait_for([&] { return refusals("Subscription", subject) > so_far; }, 10s))
          << user << " may hear " << subject;
    }
  }
  EXPECT_EQ(states(**looking), before);
}

TEST_F(NatsRoles, NoClientComesInWithoutAPassword) {
  for (const auto& wrong :
       {nats->anonymous(), nats->url("worker").replace(nats->url("worker").find('@'), 1, "x@")}) {
    const auto bus =
        bus::connect_jetstream({.url = wrong, .name = "toolway-worker", .connect_timeout = 100ms});
    ASSERT_FALSE(bus);
    EXPECT_EQ(bus.error().message.find(password_of("worker")), std::string::npos)
        << bus.error().message;
  }
}

TEST_F(NatsRoles, NoProcessShowsAPassword) {
  ASSERT_NO_FATAL_FAILURE(start_fleet());
  for (const auto& process : processes) {
    EXPECT_EQ(text_of("/proc/" + std::to_string(process->pid()) + "/cmdline").find("s3cret"),
              std::string::npos);
  }
  EXPECT_EQ(logs().find("s3cret"), std::string::npos);
  EXPECT_EQ(text("GET", "/metrics").find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace toolway::cli
