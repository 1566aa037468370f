#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

constexpr const char* kToken = "e2e-t0ken-of-brave";

/// packs/web_search against its own server, through a whole stack: as its README has it tried
/// without a key.
class WebSearchPack : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new test::TempDir;
    const std::string pack = TOOLWAY_SOURCE_DIR "/packs/web_search";
    const auto said = (dir_->path() / "server.log").string();
    server_ =
        std::move(*local::ChildProcess::start({.argv = {"python3", pack + "/server.py", "--token",
                                                        kToken, "--per-second", "1000"},
                                               .log_file = said}))
            .release();
    wait_for([&] { return text_of(said).ends_with('\n'); });
    url_ = text_of(said);
    url_.pop_back();
    // The pack's own file, except where the server is.
    auto specs = text_of(pack + "/web_search.yaml");
    const std::string brave = "https://api.search.brave.com";
    for (auto at = specs.find(brave); at != std::string::npos; at = specs.find(brave))
      specs.replace(at, brave.size(), url_);
    std::ofstream(dir_->path() / "web_search.yaml") << specs;
    dev_ = new Dev(*dir_,
                   {"--specs", (dir_->path() / "web_search.yaml").string(), "--set",
                    "http.allow_addresses=127.0.0.1"},
                   {{"TOOLWAY_SECRET_BRAVE_API_KEY", kToken}});
  }
  static void TearDownTestSuite() {
    delete dev_;
    delete server_;
    delete dir_;
  }
  OrderedJson call(const std::string& tool, const OrderedJson& arguments) const {
    const auto ran = run_toolway(*dir_,
                                 {"call", "web_search." + tool, to_text(arguments), "--session",
                                  "pack", "--wait", "-o", "json"},
                                 {{"TOOLWAY_URL", dev_->url()}, {"TOOLWAY_USER", "ann"}});
    EXPECT_TRUE(ran.json().is_object()) << ran.output;
    EXPECT_EQ(ran.output.find(kToken), std::string::npos) << ran.output;
    return ran.json();
  }
  static inline test::TempDir* dir_ = nullptr;
  static inline local::ChildProcess* server_ = nullptr;
  static inline std::string url_;
  static inline Dev* dev_ = nullptr;
};

TEST_F(WebSearchPack, TheFileIsRight) {
  const auto ran = run_toolway(
      *dir_, {"specs", "check", TOOLWAY_SOURCE_DIR "/packs/web_search/web_search.yaml"});
  EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST_F(WebSearchPack, SearchesTheWebAndTrimsWhatComes) {
  const auto called = call(
      "web_search",
      {{"query", "jetstream & \"durable\""}, {"count", 2}, {"freshness", "pw"}, {"country", "DE"}});
  ASSERT_EQ(called["outcome"], "succeeded") << called;
  const auto& result = called["result"];
  EXPECT_EQ(result["query"], "jetstream & \"durable\"");
  EXPECT_EQ(result["more"], false);
  ASSERT_EQ(result["results"].size(), 2U);
  EXPECT_EQ(result["results"][0]["url"], "https://docs.example/nats/jetstream");
  EXPECT_EQ(result["results"][0].size(), 5U)
      << "title, url, description, age, language: " << result;
  EXPECT_FALSE(result.contains("corrected"));
  auto client = client::HttpClient::create({.url = url_});
  const auto asked = (*client)->request("GET", "/asked")->json()["asked"].back()["query"];
  EXPECT_EQ(asked["q"][0], "jetstream & \"durable\"");
  EXPECT_EQ(asked["offset"][0], "0");
  EXPECT_EQ(asked["safesearch"][0], "moderate");
  EXPECT_EQ(asked["country"][0], "DE");
  EXPECT_FALSE(asked.contains("search_lang"));
}

TEST_F(WebSearchPack, SearchesNews) {
  const auto called = call("news_search", {{"query", "rain"}});
  ASSERT_EQ(called["outcome"], "succeeded") << called;
  EXPECT_EQ(called["result"]["results"][0]["source"], "weather.example");
}

TEST_F(WebSearchPack, SaysWhatBraveRefuses) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "w ";
  const auto refused = call("web_search", {{"query", words}});
  EXPECT_EQ(refused["outcome"], "failed");
  EXPECT_EQ(refused["error"]["code"], "search_refused") << refused;
  EXPECT_EQ(refused["error"]["details"]["body"]["error"]["code"], "VALIDATION");
}

}  // namespace
}  // namespace toolway::cli
