// Every metric of the table, after a run in which calls, sessions and requests end in every way.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>

#include "monitoring/metric_names.h"
#include "monitoring/metric_table.h"
#include "tests/e2e/dev/dev_stack.h"
#include "tests/e2e/dev/exposition.h"

namespace toolway::cli {
namespace {

using std::chrono::seconds;

constexpr const char* kUser = "ann-whose-name-is-in-no-label";
constexpr const char* kSession = "session-that-is-in-no-label";

constexpr const char* kSpecs = R"(tools:
  - {name: echo, namespace: shop, kind: python, idempotent: true, multi_step: true, input_schema: {type: object}, implementation_config: &none {module: none, function_name: f}}
  - {name: pay, namespace: shop, kind: python, input_schema: {type: object}, implementation_config: *none}
  - {name: stock, namespace: shop, kind: python, idempotent: true, retry: {max_attempts: 2, initial_delay_ms: 1}, input_schema: {type: object}, implementation_config: *none}
  - {name: hang, namespace: shop, kind: python, limits: {run_ms: 300}, input_schema: {type: object}, implementation_config: *none}
  - {name: slow, namespace: shop, kind: python, idempotent: true, input_schema: {type: object}, implementation_config: *none}
  - {name: crash, namespace: shop, kind: python, input_schema: {type: object}, implementation_config: *none}
  - {name: press, namespace: shop, kind: python, idempotent: true, input_schema: {type: object}, implementation_config: *none}
  - {name: pack, namespace: shop, kind: python, pool: narrow, idempotent: true, input_schema: {type: object}, implementation_config: *none}
  - {name: wrap, namespace: shop, kind: python, pool: narrow, idempotent: true, input_schema: {type: object}, implementation_config: *none}
  - {name: wait, namespace: shop, kind: python, pool: unserved, idempotent: true, input_schema: {type: object}, implementation_config: *none}
)";

constexpr const char* kMocks = R"(mocks:
  - {tool: shop.echo, progress: [{after_ms: 1, message: here}], result: {said: true}}
  - {tool: shop.pay, error: {code: card_declined, message: no money}}
  - tool: shop.stock
    answers:
      - {error: {code: busy, message: later, retryable: true}, times: 1}
      - {result: {left: 7}}
  - {tool: shop.hang, hang: true}
  - {tool: shop.slow, delay_ms: 60000, result: {}}
  - {tool: shop.crash, crash: worker}
  - {tool: shop.press, delay_ms: 2000, result: {}}
  - {tool: shop.pack, delay_ms: 3000, result: {}}
  - {tool: shop.wrap, result: {}}
)";

constexpr const char* kExtensions = R"(rules:
  - {name: none, tools: shop.nothing, refuse: there is no such tool}
  - {name: one_at_once, tools: shop.press, limit: {running: 1}}
  - {name: few_wait, tools: shop.press, limit: {rate: 2/h, burst: 2}}
)";

constexpr const char* kChat = "no chat process runs here: unit_chat and e2e_chat.server see it";
/// What this run does not show, and why.
const std::map<std::string_view, const char*> kNotShownHere{
    {monitoring::kPublishErrors,
     "a series for each code: no publication fails while NATS is there"},
    {monitoring::kSeriesDropped, "a series for each metric that has too many"},
    {monitoring::kSpansExported, "no receiver of spans is configured here"},
    {monitoring::kAuth, "callers are not asked who they are here"},
    {monitoring::kModelRequest, kChat},
    {monitoring::kModelTokens, kChat},
    {monitoring::kFirstText, kChat},
    {monitoring::kModelRetries, kChat},
    {monitoring::kTurns, kChat},
    {monitoring::kTurnTime, kChat},
    {monitoring::kIterations, kChat},
    {monitoring::kRequestsCut, kChat},
    {monitoring::kCallsTold, kChat},
    {monitoring::kTurnsWaiting, kChat},
};

/// A stack with a pool of one slot, and one that no worker serves.
class MetricsOfARun : public testing::Test {
 protected:
  void SetUp() override {
    const auto write = [&](const char* name, const char* text) {
      std::ofstream(dir_ / name) << text;
      return dir_ / name;
    };
    dev_ = std::make_unique<Dev>(
        dir_,
        std::vector<std::string>{"--specs", write("tools.yaml", kSpecs), "--mock",
                                 write("mocks.yaml", kMocks), "--mock-only", "--python", "/none",
                                 "--extensions", write("extensions.yaml", kExtensions), "--pool",
                                 "native", "--pool", "python", "--pool", "narrow=1"});
    ASSERT_TRUE(dev_->ready().is_object()) << dev_->log();
    ASSERT_EQ(toolway({"migrate", "--pool", "unserved"}), 0);
    client_ = std::move(*client::HttpClient::create({.url = dev_->url(), .user = kUser}));
  }

  int toolway(const std::vector<std::string>& arguments) {
    const auto ready = dev_->ready();
    const auto ran = run_toolway(dir_, arguments,
                                 {{"TOOLWAY_URL", dev_->url()},
                                  {"TOOLWAY_NATS_URL", ready.value("nats", "")},
                                  {"TOOLWAY_POSTGRES_URL", ready.value("postgres", "")}});
    EXPECT_EQ(ran.status, 0) << ran.output;
    return ran.status;
  }
  OrderedJson post(const std::string& target, const std::string& body, int status,
                   const client::HttpClient::Headers& headers = {}) {
    const auto answer = client_->request("POST", target, body, headers);
    if (!answer) {
      ADD_FAILURE() << target << ": " << answer.error().message;
      return {};
    }
    EXPECT_EQ(answer->status, status) << target << ": " << answer->body;
    return answer->json();
  }
  static std::string session(const std::string& rest) {
    return fmt::format("/v1/sessions/{}{}", kSession, rest);
  }
  std::string open_body(const char* ns) {
    return fmt::format(R"({{"session_id":"{}","namespaces":["{}"]}})", kSession, ns);
  }
  /// Calls and waits for the outcome.
  std::string outcome_of(const std::string& tool) {
    return post(session("/calls"), fmt::format(R"({{"tool":"shop.{}"}})", tool), 200,
                {{"Prefer", "wait=30"}})
        .value("outcome", "");
  }
  std::string begin(const std::string& tool, const std::string& more = {}) {
    return post(session("/calls"), fmt::format(R"({{"tool":"shop.{}"{}}})", tool, more), 202)
        .value("call_id", "");
  }
  OrderedJson call(const std::string& id) {
    const auto answer = client_->request("GET", "/v1/calls/" + id);
    return answer && answer->ok() ? answer->json() : OrderedJson::object();
  }
  bool comes_to(const std::string& id, const char* field, const char* value) {
    return wait_for([&] { return call(id).value(field, OrderedJson()) == value; }, seconds(120));
  }
  void cancel(const std::string& id) { post("/v1/calls/" + id + "/cancel", "{}", 202); }

  /// The union of what all processes show now.
  std::vector<Series> scrape() {
    std::vector<Series> all;
    const auto metrics = dev_->ready()["metrics"];
    for (const char* role : {"gateway", "worker", "collector"}) {
      for (const auto& process : metrics[role]) {
        const auto url = process.get<std::string>();
        auto client = client::HttpClient::create({.url = url.substr(0, url.rfind('/'))});
        const auto answer = (*client)->request("GET", "/metrics");
        if (!answer || !answer->ok()) continue;  // it starts again
        for (auto& series : read_exposition(answer->body)) all.push_back(std::move(series));
      }
    }
    return all;
  }
  static double sum(const std::vector<Series>& all, std::string_view name,
                    const std::map<std::string, std::string>& labels) {
    double total = 0;
    for (const auto& series : all) {
      if (series.name == name && series.has(labels)) total += series.value;
    }
    return total;
  }
  /// Scrapes until such series add up to something.
  bool shows(std::string_view name, const std::map<std::string, std::string>& labels) {
    return wait_for([&] { return sum(scrape(), name, labels) > 0; }, seconds(90));
  }

  void sessions_and_requests() {
    post("/v1/sessions", open_body("shop"), 200);
    post("/v1/sessions", open_body("time"), 409);
    post(session("/calls"), R"({"tool":"shop.nothing"})", 404);
    post(session("/calls"), R"({"tool":"shop.echo"})", 202, {{"Idempotency-Key", "k"}});
    EXPECT_TRUE(wait_for([&] {
      const auto again = client_->request("POST", session("/calls"), R"({"tool":"shop.echo"})",
                                          {{"Idempotency-Key", "k"}});
      return again && again->status == 202;
    }));
    bool event = false;
    const auto followed = client_->stream(
        session("/events?after=0"), {}, seconds(30), [] {},
        [&](std::string_view) {
          event = true;
          return false;
        });
    EXPECT_TRUE(followed && event);
    EXPECT_EQ(client_->request("GET", "/nowhere")->status, 404);
    post("/v1/sessions/nobodys/close", "{}", 404);
    post("/v1/sessions/nobodys/restore", "{}", 404);
  }

  void every_outcome_but_those_that_take_long() {
    EXPECT_EQ(outcome_of("echo"), "succeeded");
    EXPECT_EQ(outcome_of("pay"), "failed");
    EXPECT_EQ(outcome_of("stock"), "succeeded");
    EXPECT_EQ(outcome_of("hang"), "timed_out");
    const auto running = begin("slow");
    EXPECT_TRUE(comes_to(running, "state", "running"));
    post(session("/close"), R"({"pending":"wait","timeout_ms":1})", 200);
    post(session("/restore"), "{}", 200);
    cancel(running);
    EXPECT_TRUE(comes_to(running, "outcome", "cancelled"));
    begin("pack");
    const auto queued = begin("wrap");
    ASSERT_EQ(toolway({"tools", "disable", "shop.wrap"}), 0);
    EXPECT_TRUE(comes_to(queued, "outcome", "rejected"));
  }

  void limits_of_the_policy() {
    const auto first = begin("press");
    const auto second = begin("press");
    post(session("/calls"), R"({"tool":"shop.press"})", 429);
    EXPECT_TRUE(shows(monitoring::kPermitsHeld, {{"limit", "one_at_once"}}));
    EXPECT_TRUE(comes_to(first, "outcome", "succeeded"));
    EXPECT_TRUE(comes_to(second, "outcome", "succeeded"));
    const auto all = scrape();
    EXPECT_EQ(sum(all, monitoring::kLimited, {{"limit", "few_wait"}}), 1);
    EXPECT_GT(sum(all, monitoring::kToolBusy, {{"limit", "one_at_once"}}), 0);
    EXPECT_EQ(sum(all, monitoring::kPermitsHeld, {}), 0);
  }

  const test::TempDir dir_;
  std::unique_ptr<Dev> dev_;
  std::unique_ptr<client::HttpClient> client_;
};

std::set<std::string> names_in(std::string_view list) {
  std::set<std::string> names;
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    names.emplace(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return names;
}

TEST_F(MetricsOfARun, AreAllThereWithTheirLabelsAndNameNoUser) {
  post("/v1/sessions", open_body("shop"), 201);
  // The specs of a pool are offered once it is there.
  EXPECT_TRUE(wait_for([&] {
    const auto tools = client_->request("GET", session("/tools"));
    return tools && tools->body.find("\"wait\"") != std::string::npos;
  }));
  EXPECT_TRUE(wait_for([&] {
    return std::ranges::any_of(scrape(), [](const Series& series) {
      return series.name == monitoring::kQueueDepth && series.has({{"pool", "unserved"}});
    });
  })) << "the gateway looks for new queues every second";
  post("/mcp", R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})", 200);
  post("/mcp", R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", 400);
  const int worker = dev_->pid_of("worker");
  const auto crashed = begin("crash");
  EXPECT_TRUE(wait_for([&] { return dev_->pid_of("worker") != worker; })) << dev_->log();
  const auto forgotten = begin("wait", R"(,"limits":{"total_ms":1000})");
  const auto waits = begin("wait");
  const auto never_started = begin("wait");
  EXPECT_TRUE(shows(monitoring::kQueueDepth, {{"pool", "unserved"}, {"state", "pending"}}));
  EXPECT_TRUE(shows(monitoring::kQueueOldest, {{"pool", "unserved"}, {"lane", "normal"}}));
  cancel(never_started);
  EXPECT_TRUE(comes_to(never_started, "outcome", "cancelled"));
  sessions_and_requests();
  every_outcome_but_those_that_take_long();
  limits_of_the_policy();
  EXPECT_TRUE(comes_to(crashed, "outcome", "unknown"));
  EXPECT_TRUE(comes_to(forgotten, "outcome", "lost"));
  EXPECT_TRUE(shows(monitoring::kIncompleteCalls, {{"calls", "1"}}))
      << "call " << waits << " waits for ever";

  const auto all = scrape();
  for (const char* outcome :
       {"succeeded", "failed", "rejected", "cancelled", "timed_out", "unknown", "lost"}) {
    EXPECT_GE(sum(all, monitoring::kCallsCompleted, {{"outcome", outcome}}), 1) << outcome;
  }
  EXPECT_EQ(sum(all, monitoring::kCallsCompleted, {{"outcome", "cancelled"}, {"pool", "unserved"}}),
            1)
      << "by the gateway";
  EXPECT_EQ(sum(all, monitoring::kAttemptErrors,
                {{"tool", "shop.pay"}, {"pool", "python"}, {"code", "tool_error"}}),
            1);
  EXPECT_EQ(
      sum(all, monitoring::kAttemptErrors, {{"tool", "shop.hang"}, {"code", "run_limit_exceeded"}}),
      1);
  EXPECT_EQ(sum(all, monitoring::kRetries, {{"tool", "shop.stock"}}), 1);
  EXPECT_EQ(sum(all, monitoring::kSessionRequests, {{"action", "open"}, {"result", "ok"}}), 2);
  EXPECT_EQ(sum(all, monitoring::kSessionRequests, {{"action", "restore"}, {"result", "ok"}}), 1);
  EXPECT_EQ(sum(all, monitoring::kSessionRequests, {{"result", "refused"}}), 3);
  EXPECT_EQ(sum(all, monitoring::kSessionRequests, {{"result", "failed"}}), 0);
  EXPECT_GE(sum(all, monitoring::kHttpRequests,
                {{"route", "GET /v1/sessions/{s}/events"}, {"status", "2xx"}}),
            1);
  EXPECT_GE(sum(all, monitoring::kHttpRequests, {{"route", "none"}, {"status", "4xx"}}), 1);
  EXPECT_GT(sum(all, monitoring::kSessionMemory, {}), 0);
  EXPECT_EQ(sum(all, monitoring::kBusConnected, {}), 3);
  EXPECT_GT(sum(all, monitoring::kStoreSize, {{"table", "calls"}}), 0);
  EXPECT_GT(sum(all, monitoring::kStreamLimit, {{"stream", "EVENTS"}}), 0);

  std::map<std::string, std::set<std::string>> labels;
  for (const auto& metric : monitoring::metric_table()) {
    labels[std::string(metric.name)] = names_in(metric.labels);
    const auto has_it = [&](const Series& series) { return series.name == metric.name; };
    const bool shown = kNotShownHere.contains(metric.name) || std::ranges::any_of(all, has_it);
    EXPECT_TRUE(shown) << metric.name << " has no series";
  }
  const std::regex somebodys(fmt::format(
      "{}|{}|[0-9a-f]{{32}}|[0-9a-f]{{8}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{12}}",
      kUser, kSession));
  for (const auto& series : all) {
    ASSERT_TRUE(labels.contains(series.name)) << series.name << " is not in the table";
    std::set<std::string> names;
    for (const auto& [name, value] : series.labels) {
      names.insert(name);
      EXPECT_FALSE(std::regex_search(value, somebodys)) << series.name << ": " << value;
    }
    EXPECT_EQ(names, labels[series.name]) << series.name;
  }
}

}  // namespace
}  // namespace toolway::cli
