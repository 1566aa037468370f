#include "tools/http/http_engine.h"

#include <atomic>
#include <barrier>
#include <ctime>
#include <latch>
#include <thread>

#include "tests/unit/tools/http/http_fixture.h"

namespace toolway::test {
namespace {

using namespace tools;

TEST_F(HttpEngineTest, SendsWhatItIsToldAndNothingElse) {
  ScriptedServer server(always(ScriptedServer::ok("hello", "X-One: 1\r\nx-two:  two words \r\n")));
  auto asked = request(server.url("/a/../b?q=%20#f"), "PUT");
  asked.headers = {{"X-Empty", ""}, {"X-Key", "v"}};
  asked.body = "the body";
  const auto end = run(asked);
  EXPECT_EQ(end.why, Why::kComplete) << end.message;
  EXPECT_EQ(end.reached, Reached::kHead);
  EXPECT_EQ(answer_.head.status, 200);
  EXPECT_EQ(answer_.body, "hello");
  EXPECT_EQ(*tools::http::find_header(answer_.head.headers, "x-one"), "1");
  EXPECT_EQ(*tools::http::find_header(answer_.head.headers, "X-TWO"), "two words");
  EXPECT_EQ(tools::http::find_header(answer_.head.headers, "x"), nullptr);
  const auto seen = server.requests().at(0);
  EXPECT_TRUE(seen.starts_with("PUT /b?q=%20 HTTP/1.1\r\n")) << seen;
  EXPECT_NE(seen.find("\r\nX-Empty:\r\n"), std::string::npos) << seen;
  EXPECT_NE(seen.find("\r\nX-Key: v\r\n"), std::string::npos);
  EXPECT_NE(seen.find("\r\nUser-Agent: toolway/"), std::string::npos);
  EXPECT_EQ(seen.find("Content-Type"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("Expect"), std::string::npos);
  EXPECT_TRUE(seen.ends_with("\r\n\r\nthe body"));
}

TEST_F(HttpEngineTest, SendsEveryMethod) {
  ScriptedServer server(always(ScriptedServer::ok("")));
  for (const std::string method : {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    for (const bool body : {false, true}) {
      auto asked = request(server.url(), method);
      if (body) asked.body = "x";
      EXPECT_EQ(run(asked).why, Why::kComplete) << method;
      EXPECT_TRUE(server.requests().back().starts_with(method + " / "));
      EXPECT_EQ(server.requests().back().ends_with("x"), body);
      EXPECT_EQ(server.requests().back().find("Content-Type"), std::string::npos) << method;
    }
  }
  ScriptedServer head(always("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"));
  EXPECT_EQ(run(request(head.url(), "HEAD")).why, Why::kComplete);
  EXPECT_EQ(*tools::http::find_header(answer_.head.headers, "content-length"), "100");
}

TEST_F(HttpEngineTest, KeepsConnections) {
  ScriptedServer server(always(ScriptedServer::ok("x")));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(get(server.url()).why, Why::kComplete);
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(HttpEngineTest, CarriesManyAtOnce) {
  constexpr int kMany = 50;
  std::latch all(kMany);  // no answer before every request is there
  ScriptedServer server([&](ScriptedConnection& to, const std::string& asked) {
    all.arrive_and_wait();
    return to.send(ScriptedServer::ok(asked.substr(4, asked.find(' ', 4) - 4)));
  });
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < kMany; ++i) {
      callers.emplace_back([&, i] {
        KeptAnswer answer;
        const auto path = "/" + std::to_string(i);
        if (engine_->run(request(server.url(path)), answer, {}).why == Why::kComplete &&
            answer.body == path)
          ++right;
      });
    }
  }
  EXPECT_EQ(right, kMany);
}

TEST_F(HttpEngineTest, HandsPiecesOnAsTheyCome) {
  Awaited<int> taken;
  ScriptedServer server([&](ScriptedConnection& to, const std::string&) {
    to.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    taken.next();
    to.send("5\r\nfirst\r\n");
    taken.next();
    return to.send("6\r\nsecond\r\n0\r\n\r\n");
  });
  std::vector<std::string> seen;
  answer_.after_head = [&, tell = taken.callback()] {
    tell(0);
    return tools::http::HttpReceiver::Want::kMore;
  };
  answer_.after_piece = [&, tell = taken.callback()] {
    seen.push_back(answer_.body);
    tell(0);
    return tools::http::HttpReceiver::Want::kMore;
  };
  EXPECT_EQ(engine_->run(request(server.url()), answer_, {}).why, Why::kComplete);
  EXPECT_EQ(seen, (std::vector<std::string>{"first", "firstsecond"}));
}

TEST_F(HttpEngineTest, ASlowReceiverMakesTheServerWait) {
  constexpr std::size_t kPiece = 1UL << 20;
  constexpr std::size_t kPieces = 48;
  std::atomic<std::size_t> sent = 0;
  ScriptedServer server([&](ScriptedConnection& to, const std::string&) {
    to.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kPiece * kPieces) + "\r\n\r\n");
    const std::string piece(kPiece, 'x');
    for (std::size_t i = 0; i < kPieces && to.send(piece); ++i) ++sent;
    return false;
  });
  std::size_t before = 0;
  answer_.after_piece = [&] {
    if (before == 0) {
      await_standstill(sent);
      before = sent;
      const auto used = std::clock();
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
      EXPECT_LT(std::clock() - used, CLOCKS_PER_SEC / 10) << "the engine spins";
    }
    return tools::http::HttpReceiver::Want::kMore;
  };
  const auto end = engine_->run(request(server.url()), answer_, {});
  EXPECT_EQ(end.why, Why::kComplete) << end.message;
  EXPECT_EQ(answer_.body.size(), kPiece * kPieces);
  EXPECT_LT(before, kPieces);
}

TEST_F(HttpEngineTest, EndsAStreamThatNeverPauses) {
  constexpr std::size_t kPieces = 48;
  std::atomic<std::size_t> sent = 0;
  ScriptedServer server([&](ScriptedConnection& to, const std::string&) {
    to.send("HTTP/1.1 200 OK\r\n\r\n");
    const std::string piece(1UL << 20, 'x');
    for (std::size_t i = 0; i < kPieces && to.send(piece); ++i) ++sent;
    return false;
  });
  // The next piece is there whenever one has been taken.
  int pieces = 0;
  answer_.after_piece = [&] {
    if (++pieces == 1) {
      await_standstill(sent);
      stop_.request_stop();
    }
    return tools::http::HttpReceiver::Want::kMore;
  };
  auto end = engine_->run(request(server.url()), answer_, stop_.get_token());
  EXPECT_EQ(end.why, Why::kCancelled) << end.message;
  EXPECT_EQ(pieces, 1);

  pieces = 0;
  auto asked = request(server.url());
  asked.limits.total = std::chrono::milliseconds(500);
  const auto late = std::chrono::steady_clock::now() + asked.limits.total;
  answer_.after_piece = [&] {
    if (++pieces == 1) {
      do await_standstill(sent);
      while (std::chrono::steady_clock::now() < late);
    }
    return tools::http::HttpReceiver::Want::kMore;
  };
  end = engine_->run(asked, answer_, {});
  EXPECT_EQ(end.why, Why::kTimedOut) << end.message;
  EXPECT_EQ(end.limit, Limit::kTotal);
  EXPECT_EQ(pieces, 1);
}

TEST_F(HttpEngineTest, EndsWhenTheReceiverHasEnough) {
  ScriptedServer server([](ScriptedConnection& to, const std::string&) {
    to.send("HTTP/1.1 200 OK\r\n\r\ndata");
    to.wait_for_close();
    return false;
  });
  answer_.after_piece = [] { return tools::http::HttpReceiver::Want::kNoMore; };
  EXPECT_EQ(engine_->run(request(server.url()), answer_, {}).why, Why::kEnough);
  EXPECT_EQ(answer_.body, "data");
  answer_.after_head = [] { return tools::http::HttpReceiver::Want::kNoMore; };
  EXPECT_EQ(engine_->run(request(server.url()), answer_, {}).why, Why::kEnough);
}

TEST_F(HttpEngineTest, CancelIsAtOnce) {
  Awaited<int> asked;
  ScriptedServer server([tell = asked.callback()](ScriptedConnection& to, const std::string&) {
    tell(0);
    to.wait_for_close();
    return false;
  });
  tools::http::HttpEnd end;
  std::jthread caller([&] { end = get(server.url()); });
  ASSERT_TRUE(asked.next());
  stop_.request_stop();
  caller.join();
  EXPECT_EQ(end.why, Why::kCancelled);
  EXPECT_EQ(end.reached, Reached::kServer);
  EXPECT_EQ(get(server.url()).why, Why::kCancelled);
}

TEST_F(HttpEngineTest, KeepsItsLimits) {
  ScriptedServer silent(
      [](ScriptedConnection& to, const std::string&) { return to.wait_for_close(), false; });
  auto asked = request(silent.url());
  asked.limits.first_byte = std::chrono::milliseconds(60);
  auto end = run(asked);
  EXPECT_EQ(end.why, Why::kTimedOut);
  EXPECT_EQ(end.limit, Limit::kFirstByte);
  EXPECT_EQ(end.reached, Reached::kServer);
  EXPECT_EQ(end.message, silent.url("") + " did not begin to answer within 60 ms");

  asked.limits.total = std::chrono::milliseconds(40);
  end = run(asked);
  EXPECT_EQ(end.limit, Limit::kTotal);
  EXPECT_EQ(end.message, silent.url("") + " did not answer in full within 40 ms");

  ScriptedServer stuck([](ScriptedConnection& to, const std::string&) {
    to.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
    to.wait_for_close();
    return false;
  });
  asked = request(stuck.url());
  asked.limits.idle = std::chrono::milliseconds(60);
  end = run(asked);
  EXPECT_EQ(end.limit, Limit::kIdle);
  EXPECT_EQ(end.reached, Reached::kHead);
  EXPECT_EQ(answer_.body, "abc");
  EXPECT_EQ(end.message, stuck.url("") + " sent nothing more of its answer for 60 ms");
}

TEST_F(HttpEngineTest, WaitsForAConnectionWhenThereAreEnough) {
  restart({.max_connections = 1});
  Awaited<int> asked;
  ScriptedServer server([tell = asked.callback()](ScriptedConnection& to, const std::string&) {
    tell(0);
    to.wait_for_close();
    return false;
  });
  std::stop_source stop;
  std::jthread first([&] {
    KeptAnswer answer;
    engine_->run(request(server.url()), answer, stop.get_token());
  });
  ASSERT_TRUE(asked.next());
  auto second = request(server.url());
  second.limits.connect = std::chrono::milliseconds(50);
  const auto end = run(second);
  EXPECT_EQ(end.limit, Limit::kConnect);
  EXPECT_EQ(end.reached, Reached::kNothing);
  stop.request_stop();
}

TEST_F(HttpEngineTest, SaysWhatItCannotReach) {
  std::uint16_t port = 0;
  {
    port = ScriptedServer(always("")).port();
  }
  auto end = get("http://127.0.0.1:" + std::to_string(port) + "/secret");
  EXPECT_EQ(end.why, Why::kNotConnected);
  EXPECT_EQ(end.reached, Reached::kNothing);
  EXPECT_EQ(end.message, "no connection to http://127.0.0.1:" + std::to_string(port));
  end = get("http://nobody.invalid/secret");
  EXPECT_EQ(end.why, Why::kNotResolved);
  EXPECT_EQ(end.message, "no address found for nobody.invalid");
}

TEST_F(HttpEngineTest, RefusesWhatIsNotARequest) {
  ScriptedServer server(always(ScriptedServer::ok("x")));
  auto asked = request("ftp://127.0.0.1/");
  EXPECT_EQ(run(asked).why, Why::kInvalidRequest);
  for (const auto& value : std::vector<std::string>{
           "a\r\nX-Injected: 1", "a\nb", "a\rb", {"a\0b", 3}, "\x7f", "\x01"}) {
    asked = request(server.url());
    asked.headers = {{"X-Key", value}};
    const auto end = run(asked);
    EXPECT_EQ(end.why, Why::kInvalidRequest);
    EXPECT_EQ(end.message, "header X-Key has a control character in its value");
  }
  for (const std::string name :
       {"", "a b", "a:", "a\r\nb", "Content-Length", "transfer-encoding", "HOST", "connection"}) {
    asked = request(server.url());
    asked.headers = {{name, "1"}};
    EXPECT_EQ(run(asked).why, Why::kInvalidRequest) << name;
  }
  asked = request(server.url(), "GET / HTTP/1.1\r\nX:");
  EXPECT_EQ(run(asked).why, Why::kInvalidRequest);
  EXPECT_EQ(server.connections(), 0U);
}

TEST_F(HttpEngineTest, SendsNothingTwiceThatMustNotBe) {
  // The second request of every connection breaks it.
  const auto fickle = [](ScriptedConnection& to, const std::string& asked) {
    if (asked.find("X-Break") == std::string::npos) return to.send(ScriptedServer::ok("x"));
    to.reset();
    return false;
  };
  for (const bool again : {false, true}) {
    for (const std::string method : {"POST", "PATCH", "PUT"}) {
      restart({});
      ScriptedServer server(fickle);
      EXPECT_EQ(get(server.url()).why, Why::kComplete);
      auto asked = request(server.url(), method);
      asked.headers = {{"X-Break", "1"}};
      asked.body = "x";
      if (again) asked.replay = tools::http::HttpRequest::Replay::kAllowed;
      const auto end = run(asked);
      EXPECT_EQ(end.why, Why::kConnectionLost) << end.message;
      EXPECT_EQ(end.reached, Reached::kServer);
      EXPECT_EQ(server.requests().size(), again || method == "PUT" ? 3U : 2U) << method;
    }
  }
}

TEST_F(HttpEngineTest, EndsWhatIsInProgressWhenItEnds) {
  Awaited<int> asked;
  ScriptedServer server([tell = asked.callback()](ScriptedConnection& to, const std::string&) {
    tell(0);
    to.wait_for_close();
    return false;
  });
  auto engine = *tools::http::HttpEngine::start();
  auto* raw = engine.get();
  tools::http::HttpEnd end;
  std::jthread caller([&] {
    KeptAnswer answer;
    end = raw->run(request(server.url()), answer, {});
  });
  ASSERT_TRUE(asked.next());
  engine.reset();
  caller.join();
  EXPECT_EQ(end.why, Why::kCancelled);
}

}  // namespace
}  // namespace toolway::test
