// No turn of a loop takes longer than 10 ms, whatever comes. Judged by the CPU time of the loop's
// thread: what else this machine does in the middle of a turn is not the loop's doing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "bus/jetstream_bus.h"
#include "monitoring/metric_names.h"
#include "proto/subjects.h"
#include "tests/e2e/dev/dev_stack.h"
#include "tests/e2e/dev/exposition.h"
#include "tests/integration/gateway/http_client.h"
#include "tests/support/sanitized.h"

namespace toolway::cli {
namespace {

using std::chrono::milliseconds;

/// Sanitizers make everything slower.
const double kLongestMs = test::time_bound(10);

/// `count` times `text`, with commas in between.
std::string repeated(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += (i == 0 ? "" : ",") + text;
  return all;
}

std::string nested(int depth, const std::string& begin, const std::string& inside,
                   const std::string& end) {
  std::string all;
  for (int i = 0; i < depth; ++i) all += begin;
  all += inside;
  for (int i = 0; i < depth; ++i) all += end;
  return all;
}

/// A schema that nests as deeply as JSON may, one that is slow, and one that is large.
std::string hostile_specs() {
  std::string specs = "tools:\n";
  const auto add = [&](const std::string& name, const std::string& schema) {
    specs += fmt::format(
        "  - {{name: {}, namespace: hostile, kind: http, input_schema: {}, "
        "implementation_config: {{url: 'http://127.0.0.1:9/'}}}}\n",
        name, schema);
  };
  add("deep", nested(28, R"({"type":"object","properties":{"a":)", R"({"type":"object"})", "}}"));
  add("slow", R"({"type":"object","properties":{"items":{"type":"array","uniqueItems":true},)"
              R"("text":{"type":"string","pattern":"^(a+)+$"}}})");
  std::string properties;
  for (int i = 0; i < 2000; ++i)
    properties +=
        fmt::format(R"({}"p{}":{{"type":"string","maxLength":{}}})", i == 0 ? "" : ",", i, i);
  add("large", R"({"type":"object","properties":{)" + properties + "}}");
  return specs;
}

class LongTurns : public testing::Test {
 protected:
  /// What a machine of others takes from a thread, and memory that it gives to it late, can count
  /// as that thread's time: a turn that is long by itself is long each time.
  void keeps_turns_short_through(const std::function<void()>& load) {
    for (int left = 2; left >= 0; --left) {
      start();
      if (HasFatalFailure()) return;
      load();
      const auto wrong = long_turns();
      if (wrong.empty() || HasFailure()) return;
      if (left == 0) ADD_FAILURE() << wrong << "three times in a row";
    }
  }
  void start() {
    dev_.reset();
    const auto& dir = dir_.emplace();
    std::filesystem::create_directory(dir / "specs");
    std::ofstream(dir / "specs/hostile.yaml") << hostile_specs();
    std::ofstream(dir / "answers.yaml") << "turns: [{replies: [{text: Hello.}]}]\n";
    dev_ = std::make_unique<Dev>(dir, std::vector<std::string>{"--specs", dir / "specs", "--chat",
                                                               "--script", dir / "answers.yaml"});
    ASSERT_FALSE(dev_->url().empty()) << dev_->log();
    port_ = static_cast<std::uint16_t>(std::stoi(dev_->url().substr(dev_->url().rfind(':') + 1)));
    client_ = connect();
    ASSERT_TRUE(client_);
    EXPECT_EQ(post("/v1/sessions", R"({"session_id":"h","namespaces":["hostile","bench"]})"), 201);
  }
  /// The processes whose loops took longer, a line each.
  std::string long_turns() {
    std::string wrong;
    for (const char* role : {"gateway", "worker", "collector"}) {
      auto seen = metrics_of(role);
      const double longest = seen[monitoring::kLongestTurn] * 1000;
      const double many = seen[monitoring::kLongTurns];
      const double delay = seen[monitoring::kLoopDelay] * 1000;
      const auto said = fmt::format(
          "{}: the longest turn took {:.1f} ms; {} took more than 10 ms ({:.1f} ms late)\n", role,
          longest, many, delay);
      fmt::print("{}", said);
      EXPECT_GT(longest, 0) << role << " measures nothing";
      if (longest > kLongestMs || (kLongestMs == 10 && many > 0)) wrong += said;
    }
    return wrong;
  }

  /// The largest of each.
  std::map<std::string_view, double> metrics_of(const std::string& role) {
    const auto url = dev_->ready()["metrics"][role][0].get<std::string>();
    auto client = connect(url.substr(0, url.rfind('/')));
    const auto scraped =
        client ? client->request("GET", "/metrics") : fail(ErrorCode::kNotFound, "");
    EXPECT_TRUE(scraped && scraped->ok()) << role;
    std::map<std::string_view, double> seen;
    if (!scraped) return seen;
    for (const auto& series : read_exposition(scraped->body)) {
      for (const std::string_view name : std::initializer_list<std::string_view>{
               monitoring::kLongestTurn, monitoring::kLongTurns, monitoring::kLoopDelay})
        if (series.name == name) seen[name] = std::max(seen[name], series.value);
    }
    return seen;
  }
  std::unique_ptr<client::HttpClient> connect(const std::string& url = {}) {
    auto client = client::HttpClient::create(
        {.url = url.empty() ? dev_->url() : url, .timeout = milliseconds(60'000)});
    EXPECT_TRUE(client) << (client ? "" : client.error().message);
    return client ? std::move(*client) : nullptr;
  }
  int post(const std::string& target, const std::string& body,
           client::HttpClient::Headers more = {}) {
    more.emplace("Content-Type", "application/json");
    auto answer = client_->request("POST", target, body, more);
    EXPECT_TRUE(answer) << (answer ? "" : answer.error().message);
    return answer ? answer->status : 0;
  }
  int get(const std::string& target) {
    auto answer = client_->request("GET", target);
    EXPECT_TRUE(answer) << (answer ? "" : answer.error().message);
    return answer ? answer->status : 0;
  }
  /// Each of the bodies, refused or not. A gateway that is busy just now says so with a 503: it is
  /// asked again.
  void post_all(const std::string& target, const std::vector<std::string>& bodies,
                const client::HttpClient::Headers& more = {}) {
    for (const auto& body : bodies) {
      int status = 0;
      EXPECT_TRUE(wait_for([&] {
        status = post(target, body, more);
        return status != 503;
      })) << "still busy: "
          << body.substr(0, 100);
      EXPECT_TRUE(status >= 200 && status < 500) << status << ": " << body.substr(0, 100);
    }
  }
  /// A call of bench.`tool` to its end; its id.
  std::string call(const std::string& tool, const std::string& arguments) {
    auto answer =
        client_->request("POST", "/v1/sessions/h/calls",
                         fmt::format(R"({{"tool":"bench.{}","arguments":{}}})", tool, arguments),
                         {{"Content-Type", "application/json"}, {"Prefer", "wait=50"}});
    EXPECT_TRUE(answer && answer->status == 200)
        << (answer ? answer->body.substr(0, 300) : answer.error().message);
    return answer ? answer->json().value("call_id", "") : "";
  }

  const std::string calls_ = "/v1/sessions/h/calls";
  std::optional<test::TempDir> dir_;
  std::unique_ptr<Dev> dev_;
  std::uint16_t port_ = 0;
  std::unique_ptr<client::HttpClient> client_;
};

/// An array's, or an object's, entries: of 500 KB.
std::string keys() {
  std::string all;
  for (int i = 0; i < 40'000; ++i) all += fmt::format(R"({}"k{}":0)", i == 0 ? "" : ",", i);
  return all;
}

/// A call as a model writes it; its arguments are text.
std::string model_call(int number, const std::string& name, const std::string& arguments) {
  return fmt::format(
      R"({{"id":"c{}","type":"function","function":{{"name":"{}","arguments":{}}}}})", number, name,
      to_text(OrderedJson(arguments)));
}
std::string model_message(const std::string& calls) {
  return R"({"role":"assistant","content":null,"tool_calls":[)" + calls + "]}";
}

std::string echo(std::size_t bytes) {
  return R"({"tool":"bench.echo","arguments":{"payload":")" + std::string(bytes, 'x') + "\"}}";
}

TEST_F(LongTurns, LargestBodies) {
  keeps_turns_short_through([&] {
    const std::string zeros = repeated(250'000, "0");
    const std::string lists = nested(500'000, "[", "", "]");
    for (int round = 0; round < 3; ++round) {
      post_all(
          calls_,
          {echo(500 * 1024), R"({"tool":"bench.echo","arguments":{"payload":[)" + zeros + "]}}",
           R"({"tool":"bench.echo","labels":{)" + keys() + "}}", lists,
           R"({"tool":"hostile.large","arguments":{)" + keys() + "}}"},
          {{"Idempotency-Key", "k"}, {"Prefer", "wait=20"}});
      post_all(calls_ + ":batch",
               {R"({"calls":[)" + repeated(100, echo(10'000)) + "]}",
                R"({"calls":[)" + repeated(300'000, "{}") + "]}"},
               {{"Prefer", "wait=20"}});
      post_all("/v1/sessions",
               {R"({"session_id":"h","namespaces":["bench"],"labels":{)" + keys() + "}}",
                R"({"session_id":"h","namespaces":[)" + repeated(100'000, "\"a\"") + "]}", lists});
      const auto message = [](const std::string& params) {
        return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)" + params + "}";
      };
      const auto call = [&](const std::string& arguments) {
        return message(R"({"name":"bench__echo","_meta":{)"
                       R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                       R"("io.modelcontextprotocol/clientCapabilities":{}},"arguments":)" +
                       arguments + "}");
      };
      post_all("/mcp",
               {lists, message("[" + zeros + "]"), message(R"({"x":[)" + zeros + "]}"),
                call("{" + keys() + "}"), call(R"({"payload":[)" + zeros + "]}")},
               {{"MCP-Protocol-Version", "2026-07-28"},
                {"Mcp-Method", "tools/call"},
                {"Mcp-Name", "bench__echo"}});
    }
  });
}

TEST_F(LongTurns, LargestConversations) {
  keeps_turns_short_through([&] {
    const std::string few = R"({"role":"user","content":"a"})";
    const std::string wide = R"({"role":"user","content":"a",)" + keys() + "}";
    const std::string deep = nested(100'000, R"({"a":)", "0", "}");
    const auto body = [](const std::string& name, const std::string& messages) {
      return R"({"model":"m","max_tokens":5,")" + name + R"(":[)" + messages + "]}";
    };
    for (const auto& messages : {few, repeated(15'000, few), wide, deep, repeated(200'000, "0"),
                                 repeated(100'000, "{}")}) {
      post_all("/v1/chat/completions", {body("messages", messages)});
      post_all("/v1/messages", {body("messages", messages)});
      post_all("/v1/responses", {body("input", messages)});
      for (const char* format : {"openai", "anthropic", "toolway"})
        post_all(fmt::format("/v1/conversations:import?session=h&format={}", format),
                 {body("messages", messages)});
    }
    post_all("/v1/sessions/h/messages",
             {R"({"content":")" + std::string(250'000, 'x') + "\"}",
              R"({"content":"a","options":{)" + keys() + "}}", wide, deep});
  });
}

TEST_F(LongTurns, ManyCallsOfAModel) {
  keeps_turns_short_through([&] {
    for (const std::size_t bytes : {10, 1000, 8000}) {
      const std::string arguments = R"({"payload":")" + std::string(bytes, 'm') + "\"}";
      for (const int most : {100, 1000}) {
        for (const char* name : {"bench__echo", "bench_ekho", "no_such_tool_at_all"}) {
          std::string calls;
          for (int i = 0; i < most && calls.size() < 1'000'000; ++i)
            calls += (i == 0 ? "" : ",") + model_call(i, name, arguments);
          post_all("/v1/sessions/h/tool_calls?format=openai&inline_ms=20000",
                   {model_message(calls)});
        }
      }
    }
  });
}

TEST_F(LongTurns, DeepestSchemas) {
  keeps_turns_short_through([&] {
    std::string wide;
    for (int i = 0; i < 2000; ++i)
      wide += fmt::format(R"({}"p{}":"{}")", i == 0 ? "" : ",", i, std::string(200, 'v'));
    std::string items = "0";
    for (int i = 1; i < 75'000; ++i) items += fmt::format(",{}", i);
    const auto call = [](const std::string& tool, const std::string& arguments) {
      return R"({"tool":"hostile.)" + tool + R"(","arguments":)" + arguments + "}";
    };
    for (int round = 0; round < 5; ++round) {
      post_all(calls_, {call("deep", nested(28, R"({"a":)", "{}", "}")),
                        call("deep", nested(28, R"({"a":)", "1", "}")),
                        call("slow", R"({"items":[)" + items + ",0]}"),
                        call("slow", R"({"text":")" + std::string(200, 'a') + "!\"}"),
                        call("large", "{" + wide + "}")});
      for (const char* format : {"openai", "anthropic", "mcp"}) {
        EXPECT_EQ(get(fmt::format("/v1/sessions/h/tools?format={}", format)), 200) << format;
      }
      EXPECT_EQ(get("/v1/tools"), 200);
    }
  });
}

TEST_F(LongTurns, ResultsAtTheirCap) {
  keeps_turns_short_through([&] {
    for (int round = 0; round < 3; ++round) {
      for (const int bytes : {900 * 1024, 16 * 1024 * 1024 - 100}) {
        const auto id = call("work", fmt::format(R"({{"result_bytes":{}}})", bytes));
        EXPECT_EQ(get("/v1/calls/" + id), 200);
        EXPECT_EQ(get("/v1/calls/" + id + "/result"), 200);
      }
      post_all("/v1/sessions/h/tool_calls?format=openai&inline_ms=20000",
               {model_message(model_call(1, "bench__work", R"({"result_bytes":900000})"))});
    }
  });
}

TEST_F(LongTurns, LargestPages) {
  keeps_turns_short_through([&] {
    for (int i = 0; i < 60; ++i) post_all(calls_, {echo(200 * 1024)}, {{"Prefer", "wait=20"}});
    for (int i = 0; i < 10; ++i)
      post_all(calls_ + ":batch", {R"({"calls":[)" + repeated(100, echo(9'000)) + "]}"},
               {{"Prefer", "wait=20"}});
    call("stream", R"({"payload":")" + std::string(1000, 's') + R"(","chunks":10000})");
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(get("/v1/sessions/h/calls?limit=1000"), 200);
      EXPECT_EQ(get("/v1/sessions/h/completions?after=0&limit=1000"), 200);
      EXPECT_EQ(get("/v1/sessions?limit=1000"), 200);
      EXPECT_EQ(get("/v1/sessions/h"), 200);
    }
  });
}

/// A thousand connections that do not read what they have asked for.
TEST_F(LongTurns, SlowReaders) {
  keeps_turns_short_through([&] {
    for (int i = 0; i < 20; ++i) post_all(calls_, {echo(200 * 1024)}, {{"Prefer", "wait=20"}});
    std::vector<std::unique_ptr<test::RawClient>> slow;
    for (int i = 0; i < 1000; ++i) {
      slow.push_back(std::make_unique<test::RawClient>(port_, 4096));
      slow.back()->send(i % 2 == 0 ? test::http_request("GET /v1/sessions/h/calls?limit=1000")
                                   : test::http_request("GET /v1/sessions/h/events?after=0", "",
                                                        "accept: text/event-stream\r\n"));
    }
    for (int i = 0; i < 20; ++i) post_all(calls_, {echo(200 * 1024)}, {{"Prefer", "wait=20"}});
    for (int i = 0; i < 100; ++i) call("stream", R"({"payload":"s","chunks":100})");
  });
}

/// What is not Toolway's, on the subjects that its processes listen to.
TEST_F(LongTurns, MessagesOfAnyKind) {
  keeps_turns_short_through([&] {
    auto bus = bus::connect_jetstream({.url = dev_->ready().value("nats", ""), .name = "flood"});
    ASSERT_TRUE(bus) << bus.error().message;
    test::RawClient follower(port_);
    follower.send(
        test::http_request("GET /v1/sessions/h/events", "", "accept: text/event-stream\r\n"));
    ASSERT_TRUE(follower.read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
    const auto event = proto::event_subject(SessionKey::make(), CallId::make(SystemClock().wall()));
    const std::string subjects[] = {event, "live" + event.substr(event.find('.')),
                                    proto::worker_subject("native", "flood"),
                                    std::string(proto::kLookupSubject)};
    for (const auto& subject : subjects) {
      for (int i = 0; i < 10'000; ++i) (*bus)->tell(subject, "{}");
      for (int i = 0; i < 30; ++i) (*bus)->tell(subject, std::string(900 * 1024, '\0'));
      call("echo", R"({"payload":"still here"})");
    }
  });
}

}  // namespace
}  // namespace toolway::cli
