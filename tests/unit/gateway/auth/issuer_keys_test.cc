#include "gateway/auth/issuer_keys.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/json.h"
#include "gateway/auth/key_fetch.h"
#include "tests/support/awaiting.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/extensions/auth/token_signer.h"

namespace toolway::gateway::auth {
namespace {

using extensions::auth::TokenSigner;

std::string set_of(const TokenSigner& signer) {
  return to_text(Json{{"keys", Json::array({signer.jwk()})}});
}

template <typename Fact>
bool soon(Fact fact) {
  for (int i = 0; i < 1000 && !fact(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return fact();
}

AuthConfig config_of(KeySource source) {
  AuthConfig config;
  config.issuers.push_back(
      {.rules = {.issuer = "https://login.example"}, .keys = std::move(source)});
  return config;
}

FetchKeys never() {
  return [](const KeySource&, std::stop_token) -> Result<std::string> {
    return fail(ErrorCode::kBusUnavailable, "nothing is fetched here");
  };
}

class KeysOfIssuers : public testing::Test {
 protected:
  std::string kid(const IssuerKeys& keys) {
    const auto now = keys.issuers();
    return now->front().keys ? now->front().keys->keys.front()->kid() : "";
  }
  void write(const std::string& text) {
    std::ofstream(file_ + ".new") << text;
    std::rename((file_ + ".new").c_str(), file_.c_str());
  }
  const SystemClock clock_;
  const test::TempDir dir_;
  const std::string file_ = (dir_.path() / "jwks.json").string();
};

TEST_F(KeysOfIssuers, AFileIsReadAtOnceAndAgainWhenItChanges) {
  write(set_of(TokenSigner::ec("P-256", "one")));
  auto keys = *IssuerKeys::start(config_of({.file = file_}), never(), clock_);
  EXPECT_EQ(kid(*keys), "one");
  const auto changes = keys->changes();
  write(set_of(TokenSigner::ec("P-256", "two")));
  EXPECT_TRUE(soon([&] { return kid(*keys) == "two"; }));
  EXPECT_GT(keys->changes(), changes);
  write("not JSON");
  std::this_thread::sleep_for(2 * IssuerKeys::kFileLook);
  EXPECT_EQ(kid(*keys), "two") << "what cannot be read changes nothing";
}

TEST_F(KeysOfIssuers, AFileThatCannotBeUsedEndsTheStart) {
  const auto missing = IssuerKeys::start(config_of({.file = file_}), never(), clock_);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find(file_), std::string::npos);
  write("{\"keys\": []}");
  const auto empty = IssuerKeys::start(config_of({.file = file_}), never(), clock_);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, ErrorCode::kInvalidRequest);
}

TEST_F(KeysOfIssuers, UnknownKeysAreFetchedForOnceInAWhile) {
  std::atomic<int> fetched{0};
  const auto text = set_of(TokenSigner::ec("P-256", "one"));
  auto keys = *IssuerKeys::start(
      config_of({.url = "https://login.example/jwks"}),
      [&](const KeySource&, std::stop_token) -> Result<std::string> {
        ++fetched;
        return text;
      },
      clock_);
  ASSERT_TRUE(soon([&] { return keys->unknown() == 0; }));
  EXPECT_EQ(fetched, 1);
  test::Awaited<bool> first;
  keys->renew(0, [done = first.callback()] { done(true); });
  EXPECT_TRUE(first.next());
  EXPECT_EQ(fetched, 2);
  for (int i = 0; i < 3; ++i) {
    test::Awaited<bool> again;
    keys->renew(0, [done = again.callback()] { done(true); });
    EXPECT_TRUE(again.next());
  }
  EXPECT_EQ(fetched, 2) << "30 s have not passed";
}

TEST_F(KeysOfIssuers, AnEndTellsThoseWhoWait) {
  test::Awaited<bool> told;
  {
    auto keys = *IssuerKeys::start(
        config_of({.url = "https://login.example/jwks"}),
        [](const KeySource&, const std::stop_token& stop) -> Result<std::string> {
          while (!stop.stop_requested()) std::this_thread::yield();
          return fail(ErrorCode::kShuttingDown, "ends");
        },
        clock_);
    keys->renew(0, [done = told.callback()] { done(true); });
  }
  EXPECT_TRUE(told.next());
}

TEST(KeyFetch, TakesAJwkSetAndFollowsNoRedirect) {
  const auto text = set_of(TokenSigner::ec("P-256", "one"));
  test::ScriptedServer server([&](auto& connection, const std::string& request) {
    connection.send(request.starts_with("GET /keys") ? test::ScriptedServer::ok(text)
                    : request.starts_with("GET /large")
                        ? test::ScriptedServer::ok(std::string(1'200'000, 'x'))
                        : test::ScriptedServer::status(302, "location: /keys\r\n"));
    return true;
  });
  const auto fetch = *fetch_over_http();
  const auto get = [&](const std::string& path) { return fetch({.url = server.url(path)}, {}); };
  const auto whole = get("/keys");
  ASSERT_TRUE(whole) << whole.error().message << ": the host of the URL itself is allowed";
  EXPECT_EQ(*whole, text);
  const auto moved = get("/elsewhere");
  ASSERT_FALSE(moved);
  EXPECT_NE(moved.error().message.find("redirects are not followed"), std::string::npos);
  EXPECT_FALSE(get("/large"));
}

}  // namespace
}  // namespace toolway::gateway::auth
