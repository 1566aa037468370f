#include "cli/mcp_serve/change_listener.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/awaiting.h"
#include "tests/support/scripted_server.h"

namespace toolway::cli::mcp_serve {
namespace {

using namespace std::chrono_literals;
using test::ScriptedConnection;
using test::ScriptedServer;

constexpr const char* kBegin =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n: here\n\n";
constexpr const char* kToolsChanged =
    R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
constexpr const char* kUpdated =
    R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"docs://a"}})";

bool names(const std::string& request, const std::string& session) {
  return request.find("\r\nMCP-Session-Id: " + session + "\r\n") != std::string::npos;
}

std::string event(const std::string& message) { return "data: " + message + "\n\n"; }

/// Listens to a server that answers as a test says.
class ChangeListenerTest : public testing::Test {
 protected:
  void serve(ScriptedServer::Answer answer) {
    server_ = std::make_unique<ScriptedServer>(
        [this, answer = std::move(answer)](ScriptedConnection& to, const std::string& request) {
          asked_.callback()(request);
          return answer(to, request);
        });
    reached_.http.url = "http://127.0.0.1:" + std::to_string(server_->port());
    reached_.http.engine = *tools::http::HttpEngine::start();
    listener_ = std::make_unique<ChangeListener>(
        reached_, board_,
        Sinks{.write = [this](const std::string& line) { lines_.callback()(line); },
              .tools_changed = [this] { ++forgotten_; }},
        ListenPace{.first = 5ms, .longest = 20ms});
  }
  void agree(const std::string& session, const std::string& revision = "2025-11-25") {
    board_.agree("{}", {.session = session, .revision = revision, .lists = {"tools"}});
  }

  const SystemClock clock_;
  Reached reached_{.clock = clock_};
  SessionBoard board_;
  test::Awaited<std::string> asked_;
  test::Awaited<std::string> lines_;
  std::atomic<int> forgotten_ = 0;
  std::unique_ptr<ScriptedServer> server_;
  std::unique_ptr<ChangeListener> listener_;
};

TEST_F(ChangeListenerTest, PassesOnWhatComesInTheSessionInForce) {
  serve([](ScriptedConnection& to, const std::string&) {
    to.send(kBegin + event(kUpdated) + event("") + event("not JSON") +
            event(R"({"jsonrpc":"2.0","id":1,"result":{}})") + event(kToolsChanged));
    to.wait_for_close();
    return false;
  });
  agree("s1");
  const auto asked = asked_.next();
  ASSERT_TRUE(asked);
  EXPECT_TRUE(asked->starts_with("GET /mcp ")) << *asked;
  EXPECT_TRUE(names(*asked, "s1")) << *asked;
  EXPECT_NE(asked->find("MCP-Protocol-Version: 2025-11-25"), std::string::npos);
  EXPECT_NE(asked->find("Accept: text/event-stream"), std::string::npos);
  EXPECT_EQ(lines_.next(), kUpdated);
  EXPECT_EQ(lines_.next(), kToolsChanged);
  EXPECT_EQ(forgotten_, 1);
  EXPECT_EQ(server_->requests().size(), 1U) << "one stream";
}

TEST_F(ChangeListenerTest, AfterAGapTheClientIsToldThatTheListsHaveChanged) {
  std::atomic<int> times = 0;
  serve([&times](ScriptedConnection& to, const std::string&) {
    if (times++ == 1) {
      to.send(ScriptedServer::status(503));
      return true;
    }
    to.send(kBegin);
    if (times > 1) to.wait_for_close();
    return false;
  });
  agree("s1");
  EXPECT_EQ(lines_.next(), kToolsChanged);
  EXPECT_EQ(forgotten_, 1);
  EXPECT_EQ(times, 3);
}

TEST_F(ChangeListenerTest, FollowsASessionThatIsBegunAgain) {
  serve([](ScriptedConnection& to, const std::string& request) {
    if (!names(request, "s3"))
      return to.send(ScriptedServer::status(names(request, "s2") ? 404 : 405));
    to.send(kBegin);
    to.wait_for_close();
    return false;
  });
  agree("s1");
  EXPECT_TRUE(names(*asked_.next(), "s1"));
  EXPECT_FALSE(asked_.next(100ms)) << "405 is not asked again";
  agree("s2");
  EXPECT_TRUE(names(*asked_.next(), "s2"));
  EXPECT_TRUE(names(*asked_.next(), "s2")) << "404 may pass";
  agree("s3");
  EXPECT_EQ(lines_.next(), kToolsChanged);
  agree("s1");
  std::optional<std::string> asked;
  do asked = asked_.next();
  while (asked && !names(*asked, "s1"));
  EXPECT_TRUE(asked) << "a stream that is open ends for the next session";
}

TEST_F(ChangeListenerTest, ThereIsNoneBeforeASessionNorWhereEachRequestSaysItAll) {
  serve([](ScriptedConnection& to, const std::string&) {
    return to.send(ScriptedServer::status(405));
  });
  agree("", "2025-11-25");
  agree("s1", "2026-07-28");
  agree("s2", "unknown");
  agree("s3", "2025-03-26");
  EXPECT_TRUE(names(*asked_.next(), "s3"));
  EXPECT_EQ(server_->requests().size(), 1U);
}

TEST_F(ChangeListenerTest, EndsAtOnceWhateverItWaitsFor) {
  serve([](ScriptedConnection& to, const std::string& request) {
    if (names(request, "silent")) to.send(kBegin);
    to.wait_for_close();
    return false;
  });
  const auto end = [this] {
    const auto before = std::chrono::steady_clock::now();
    listener_.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  };
  agree("silent");
  EXPECT_TRUE(asked_.next());
  end();
  agree("mute");
  listener_ = std::make_unique<ChangeListener>(
      reached_, board_, Sinks{.write = [](const std::string&) {}}, ListenPace{});
  EXPECT_TRUE(names(asked_.next().value_or(""), "mute"));
  end();
}

}  // namespace
}  // namespace toolway::cli::mcp_serve
