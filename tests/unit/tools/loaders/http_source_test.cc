#include "tools/loaders/http_source.h"

#include <gtest/gtest.h>

#include "tests/unit/tools/loaders/spec_texts.h"
#include "tests/unit/tools/loaders/tiny_http_server.h"

namespace toolway::tools::loaders {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Socket = TinyHttpServer::Socket;

/// What the server answers with: written by the test, read by the server's thread.
class SharedText {
 public:
  SharedText& operator=(std::string text) {
    const std::scoped_lock lock(mutex_);
    text_ = std::move(text);
    return *this;
  }
  std::string get() const {
    const std::scoped_lock lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_ = TinyHttpServer::ok(document({"a"}), "ETag: \"v1\"\r\n");  // under mutex_
};

class HttpSources : public testing::Test {
 protected:
  std::unique_ptr<HttpSource> source(HttpSourceOptions options = {}) {
    if (options.url.empty()) options.url = server_.url("/tools?key=hidden");
    options.chance = [] { return 0.0; };
    auto made = HttpSource::create(std::move(options), read_any);
    EXPECT_TRUE(made);
    return *std::move(made);
  }
  static std::string look(HttpSource& source, SourceState* to = nullptr) {
    auto state = source.look({});
    if (!state) return "as before";
    if (to != nullptr) *to = *state;
    return shown(*state) + (state->away.empty() ? "" : " away: " + state->away) +
           (state->mistakes.empty() ? "" : " mistaken");
  }

  SharedText answer_;
  TinyHttpServer server_{
      [this](Socket& socket, const std::string&) { TinyHttpServer::send(socket, answer_.get()); }};
};

TEST_F(HttpSources, AsksWithTheTagOfWhatItHas) {
  const auto asked = source();
  EXPECT_EQ(look(*asked), "a=first");
  answer_ = "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(look(*asked), "as before");
  answer_ = TinyHttpServer::ok(document({"a"}, "second"), "etag: W/\"v2\"\r\n");
  EXPECT_EQ(look(*asked), "a=second");
  EXPECT_EQ(look(*asked), "as before");
  const auto requests = server_.requests();
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_EQ(requests[0].find("If-None-Match"), std::string::npos) << requests[0];
  EXPECT_NE(requests[0].find("GET /tools?key=hidden HTTP/1.1\r\n"), std::string::npos)
      << requests[0];
  EXPECT_NE(requests[2].find("If-None-Match: \"v1\"\r\n"), std::string::npos) << requests[2];
  EXPECT_NE(requests[3].find("If-None-Match: W/\"v2\"\r\n"), std::string::npos) << requests[3];
}

TEST_F(HttpSources, ReadsJson) {
  answer_ = TinyHttpServer::ok(
      R"({"tools": [{"name": "j", "namespace": "t", "kind": "python", "description": "json",
    "input_schema": {"type": "object"}, "implementation_config": {"module": "m", "function_name": "f"}}]})");
  EXPECT_EQ(look(*source()), "j=json");
}

TEST_F(HttpSources, KeepsTheLastGoodVersionWhileTheEndpointFailsAndAsksLessOften) {
  const auto asked = source();
  look(*asked);
  answer_ = "HTTP/1.1 500 Oh\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  EXPECT_EQ(look(*asked), "a=first away: it answered 500");
  EXPECT_EQ(asked->pause(), seconds(5));
  EXPECT_EQ(look(*asked), "as before");
  EXPECT_EQ(asked->pause(), seconds(10));
  answer_ =
      "HTTP/1.1 503 Busy\r\nConnection: close\r\nRetry-After: 77\r\nContent-Length: 0\r\n\r\n";
  EXPECT_EQ(look(*asked), "as before");
  EXPECT_EQ(asked->pause(), seconds(77));
  answer_ = "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(look(*asked), "a=first");
  EXPECT_EQ(asked->pause(), seconds(5));
}

TEST_F(HttpSources, KeepsTheLastGoodVersionWhenTheAnswerIsGarbageOrEmpty) {
  const auto asked = source();
  look(*asked);
  for (const std::string body : {"<html>{[", "tools:\n  - {name: a, colour: red}\n", ""}) {
    answer_ = TinyHttpServer::ok(body);
    SourceState state;
    EXPECT_EQ(look(*asked, &state), "a=first mistaken") << body;
    ASSERT_FALSE(state.found.empty());
    EXPECT_EQ(state.found[0].place, server_.url() + "?…");
    EXPECT_EQ(look(*asked), "as before");
  }
  answer_ = "garbage\r\n\r\n";
  EXPECT_NE(look(*asked).find("a=first away: "), std::string::npos);
}

TEST_F(HttpSources, AnEndpointThatWasNeverThereIsAway) {
  const auto nowhere = source({.url = "http://127.0.0.1:1/"});
  EXPECT_NE(look(*nowhere).find(" away: "), std::string::npos);
  EXPECT_EQ(look(*nowhere), "as before");
}

TEST_F(HttpSources, GivesUpOnAnAnswerThatIsTooLargeOrTooSlow) {
  const auto small = source({.max_bytes = 1000});
  answer_ = TinyHttpServer::ok(std::string(1001, '#'));
  EXPECT_EQ(look(*small), " away: the answer has more than 1000 bytes");
  // Without a length, and without an end.
  answer_ = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + std::string(100'000, '#');
  EXPECT_EQ(look(*small), "as before");
  answer_ = TinyHttpServer::ok(document({"a"}));
  EXPECT_EQ(look(*small), "a=first");

  std::atomic<bool> done = false;
  TinyHttpServer stuck([&](Socket&, const std::string&) { done.wait(false); });
  const auto impatient = source({.url = stuck.url(), .timeout = milliseconds(100)});
  EXPECT_EQ(look(*impatient), " away: no answer in time");
  done = true;
  done.notify_all();
}

TEST_F(HttpSources, StopsWaitingWhenItIsToldTo) {
  std::atomic<bool> done = false;
  std::stop_source stop;
  TinyHttpServer stuck([&](Socket&, const std::string&) {
    stop.request_stop();
    done.wait(false);
  });
  const auto asked = source({.url = stuck.url(), .timeout = seconds(300)});
  const auto state = asked->look(stop.get_token());
  ASSERT_TRUE(state);
  EXPECT_EQ(state->away, "stopped");
  done = true;
  done.notify_all();
}

TEST_F(HttpSources, SendsATokenToItsOwnHostOnlyAndRenewsIt) {
  answer_ = TinyHttpServer::ok(document({"a"}, "elsewhere"));
  TinyHttpServer first([&](Socket& socket, const std::string&) {
    TinyHttpServer::send(
        socket, "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: " +
                    server_.url("/moved") + "\r\n\r\n");
  });
  int renewed = 0;
  const auto asked = source({.url = first.url(), .token = [&]() -> Result<std::string> {
                               return "secret-" + std::to_string(++renewed);
                             }});
  EXPECT_EQ(look(*asked), "a=elsewhere");
  look(*asked);
  ASSERT_EQ(first.requests().size(), 2U);
  EXPECT_NE(first.requests()[0].find("Authorization: Bearer secret-1\r\n"), std::string::npos);
  EXPECT_NE(first.requests()[1].find("Authorization: Bearer secret-2\r\n"), std::string::npos);
  ASSERT_FALSE(server_.requests().empty());
  EXPECT_EQ(server_.requests()[0].find("secret"), std::string::npos) << server_.requests()[0];
}

TEST_F(HttpSources, FollowsNoRedirectToAFileAndNoneWithoutEnd) {
  answer_ =
      "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: file:///etc/hostname\r\n\r\n";
  const auto asked = source();
  EXPECT_NE(look(*asked).find(" away: "), std::string::npos);
  answer_ =
      "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: /tools\r\n\r\n";
  const auto circling = source();
  EXPECT_NE(look(*circling).find(" away: "), std::string::npos);
  EXPECT_EQ(server_.requests().size(), 1 + 6U);
}

TEST(HttpSource, RefusesUrlsWithPasswordsAndOtherSchemes) {
  for (const char* url :
       {"http://ann:pw@host/tools", "https://pw@host", "ftp://host/tools", "host/tools", ""}) {
    const auto made = HttpSource::create({.url = url}, read_any);
    ASSERT_FALSE(made) << url;
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidRequest);
    EXPECT_EQ(made.error().message.find("pw"), std::string::npos);
  }
  EXPECT_TRUE(HttpSource::create({.url = "https://host/tools?user=a@b"}, read_any));
}

}  // namespace
}  // namespace toolway::tools::loaders
