#include "tools/executors/http/http_kind.h"

#include <cstdlib>

#include "base/base64.h"
#include "tests/unit/tools/executors/http/http_tool_fixture.h"
#include "tools/executors/kind_types.h"

namespace toolway::test {
namespace {

using namespace tools;

/// `--set http.NAME=VALUE`, as a worker hands it on.
class HttpKindSettings : public HttpToolTest {
 protected:
  using Settings = std::multimap<std::string, std::string, std::less<>>;
  std::string make(Settings settings, tools::model::Secrets::Values secrets = {}) {
    tools::model::KindOptions options{
        .slots = 4,
        .settings = std::move(settings),
        .secrets = std::make_shared<const tools::model::Secrets>("", std::move(secrets))};
    auto made = executors::kind_types().find("http")->make(options);
    if (!made) return made.error().message;
    kind_ = *made;
    return "";
  }
  /// A tool that allows nothing by itself.
  tools::model::Execution ask(const std::string& url, const std::string& more = "") {
    return run(R"({"url": ")" + url + R"(", "allow_addresses": [])" + more + "}");
  }
};

TEST_F(HttpKindSettings, AllowAddressesForAllTools) {
  ScriptedServer server(always(ScriptedServer::ok("{}")));
  EXPECT_EQ(make({}), "");
  EXPECT_EQ(code_of(ask(server.url())), "http_address_refused");
  EXPECT_EQ(make({{"allow_addresses", "10.0.0.0/8,127.0.0.1"}, {"allow_addresses", "db.internal"}}),
            "");
  EXPECT_EQ(text_of(ask(server.url())), "{}");
  EXPECT_NE(kind_->state().text.find("3 more addresses allowed"), std::string::npos)
      << kind_->state().text;
}

TEST_F(HttpKindSettings, NameAProxyWhosePasswordIsASecret) {
  ScriptedServer proxy(always(ScriptedServer::ok("\"by the proxy\"")));
  ScriptedServer server(always(ScriptedServer::ok("\"direct\"")));
  const auto url = proxy.url("").substr(7);
  EXPECT_EQ(make({{"proxy", "http://me:{secret:PW}@" + url},
                  {"no_proxy", ".internal,127.0.0.1"},
                  {"allow_addresses", "127.0.0.1"}},
                 {{"PW", "p@ss:w/rd"}}),
            "");
  EXPECT_EQ(text_of(ask("http://api.example.com/")), "\"by the proxy\"");
  EXPECT_NE(proxy.requests().at(0).find("Proxy-Authorization: Basic " + base64("me:p@ss:w/rd")),
            std::string::npos)
      << proxy.requests().at(0);
  EXPECT_EQ(text_of(ask(server.url())), "\"direct\"");
  EXPECT_EQ(code_of(ask("http://api.invalid/", R"(, "proxy": "none")")), "http_dns_failed");
  EXPECT_EQ(kind_->state().text.find("p@ss"), std::string::npos);
}

TEST_F(HttpKindSettings, SayWhatIsWrong) {
  EXPECT_EQ(make({{"proxy", "socks5://a:1"}}),
            "http.proxy: a proxy must be http://, https:// or socks5h://, with host and port");
  EXPECT_EQ(make({{"proxy", "http://{secret:NONE}@a:1"}}),
            "http.proxy: this worker has no secret `NONE`: give it a file NONE in its directory of "
            "secrets, or set TOOLWAY_SECRET_NONE");
  EXPECT_EQ(
      make({{"allow_addresses", "10.0.0.0/40"}}),
      "http.allow_addresses: `10.0.0.0/40` is not an address, a block such as 10.0.0.0/8 or a host name");
  EXPECT_EQ(make({{"max_connections", "many"}}),
            "http.max_connections must be a whole number, not 'many'");
  EXPECT_EQ(make({{"max_connections", "7"}, {"max_idle_connections", "2"}}), "");
}

}  // namespace
}  // namespace toolway::test
