#include <atomic>
#include <cstdlib>
#include <fstream>

#include "tests/support/temp_dir.h"
#include "tests/support/test_certificate.h"
#include "tests/unit/tools/http/http_fixture.h"

namespace toolway::test {
namespace {

using namespace tools;

/// What servers and names may do to a worker.
class HttpHarm : public HttpEngineTest {
 protected:
  tools::http::HttpRequest following(const std::string& url, unsigned most = 5) {
    auto asked = request(url);
    asked.redirects.most = most;
    return asked;
  }
  void expect_alive() {
    ScriptedServer fine(always(ScriptedServer::ok("fine")));
    EXPECT_EQ(get(fine.url()).why, Why::kComplete);
    EXPECT_EQ(answer_.body, "fine");
  }
  void TearDown() override { expect_alive(); }
};

TEST_F(HttpHarm, LocalAddressesAreRefusedBeforeAnythingIsSent) {
  ScriptedServer four(always(ScriptedServer::ok("x")));
  ScriptedServer six(always(ScriptedServer::ok("x")), {.ipv6 = true});
  const auto port = ":" + std::to_string(four.port()) + "/";
  for (const auto& url :
       {four.url(), six.url(), "http://localhost" + port, "http://LOCALHOST." + port,
        "http://2130706433" + port, "http://0x7f.1" + port, "http://[::ffff:127.0.0.1]" + port,
        "http://0" + port}) {
    auto asked = request(url);
    asked.addresses = std::make_shared<const tools::http::AddressPolicy>();
    const auto end = run(asked);
    EXPECT_EQ(end.why, Why::kAddressRefused) << url << ": " << end.message;
    EXPECT_EQ(end.reached, Reached::kNothing);
  }
  EXPECT_EQ(four.connections() + six.connections(), 0U);
  EXPECT_EQ(get(four.url()).why, Why::kComplete);
  EXPECT_EQ(get(six.url()).why, Why::kComplete);
}

TEST_F(HttpHarm, ARedirectIsCheckedLikeAnyOther) {
  ScriptedServer inner(always(ScriptedServer::ok("inner")));
  for (const auto& to : std::vector<std::string>{
           "http://169.254.169.254/latest/meta-data/", "http://2852039166/",
           "//[::ffff:a9fe:a9fe]/", "http://10.0.0.1/",
           "http://127.0.0.2:" + std::to_string(inner.port()) + "/",
           "http://localhost.:" + std::to_string(inner.port()) + "/x", "http://[fd00:ec2::254]/"}) {
    ScriptedServer outer(always(ScriptedServer::status(302, "Location: " + to + "\r\n")));
    // Only the one address; by the name localhost it may not be reached.
    auto asked = following(outer.url());
    asked.addresses = allow({"127.0.0.1"});
    if (to.find("localhost") != std::string::npos) {
      restart({.resolve = [](const std::string&) {
        return tools::http::IpAddress::parse("127.0.0.3");
      }});
    }
    const auto end = run(asked);
    EXPECT_EQ(end.why, Why::kAddressRefused) << to << ": " << end.message;
  }
  EXPECT_EQ(inner.connections(), 0U);
}

TEST_F(HttpHarm, ANameThatChangesItsAddressIsCaught) {
  ScriptedServer server(once(ScriptedServer::ok("inner", "Connection: close\r\n")));
  std::atomic<int> asked_for = 0;
  // As a name server of an attacker's would: first what is allowed, then loopback's neighbour.
  restart({.resolve = [&](const std::string&) {
    return tools::http::IpAddress::parse(asked_for++ == 0 ? "127.0.0.1" : "127.0.0.2");
  }});
  const auto url = "http://rebinding.example:" + std::to_string(server.port()) + "/";
  auto asked = request(url);
  asked.addresses = allow({"127.0.0.1"});
  EXPECT_EQ(run(asked).why, Why::kComplete);
  const auto end = run(asked);
  EXPECT_EQ(end.why, Why::kAddressRefused);
  EXPECT_EQ(end.message,
            "rebinding.example is blocked: 127.0.0.2 is not a public internet address (loopback)");
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(HttpHarm, OfSeveralAddressesThoseThatMayBeReachedCount) {
  ScriptedServer server(always(ScriptedServer::ok("x")));
  auto asked = request("http://localhost:" + std::to_string(server.port()) + "/");
  asked.addresses = allow({"127.0.0.1"});  // and not ::1, which localhost is as well
  EXPECT_EQ(run(asked).why, Why::kComplete);
  std::uint16_t closed = 0;
  {
    closed = ScriptedServer(always("")).port();
  }
  asked.url = "http://localhost:" + std::to_string(closed) + "/";
  EXPECT_EQ(run(asked).why, Why::kNotConnected);
}

TEST_F(HttpHarm, AKeptConnectionIsCheckedAgain) {
  ScriptedServer server(always(ScriptedServer::ok("x")));
  restart(
      {.resolve = [](const std::string&) { return tools::http::IpAddress::parse("127.0.0.1"); }});
  auto asked = request("http://shared.example:" + std::to_string(server.port()) + "/");
  EXPECT_EQ(run(asked).why, Why::kComplete);
  asked.addresses = std::make_shared<const tools::http::AddressPolicy>();
  EXPECT_EQ(run(asked).why, Why::kAddressRefused);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(HttpHarm, RedirectsEnd) {
  ScriptedServer loop(always(ScriptedServer::status(302, "Location: /again\r\n")));
  const auto end = run(following(loop.url(), 3));
  EXPECT_EQ(end.why, Why::kRedirectRefused);
  EXPECT_EQ(end.message, loop.url("") + " redirects again after 3 redirects, the limit");
  EXPECT_EQ(loop.requests().size(), 4U);
  EXPECT_EQ(loop.connections(), 1U);
  EXPECT_EQ(get(loop.url()).why, Why::kComplete);  // not asked to follow
  EXPECT_EQ(answer_.head.status, 302);
  ScriptedServer file(always(ScriptedServer::status(302, "Location: file:///etc/passwd\r\n")));
  EXPECT_EQ(run(following(file.url())).why, Why::kRedirectRefused);
  ScriptedServer nowhere(always(ScriptedServer::status(302)));
  EXPECT_EQ(run(following(nowhere.url())).why, Why::kComplete);
}

TEST_F(HttpHarm, SecretsStayWithTheirOrigin) {
  ScriptedServer other(always(ScriptedServer::ok("other")));
  ScriptedServer first(
      always(ScriptedServer::status(302, "Location: " + other.url("/there") + "\r\n")));
  auto asked = following(first.url());
  asked.headers = {{"Authorization", "Bearer t0ken"},
                   {"X-Key", "t0ken", tools::http::HttpHeader::Holds::kSecret},
                   {"X-Plain", "p"}};
  EXPECT_EQ(run(asked).why, Why::kComplete);
  EXPECT_EQ(answer_.head.url, other.url("/there"));
  EXPECT_NE(first.requests().at(0).find("t0ken"), std::string::npos);
  EXPECT_EQ(other.requests().at(0).find("t0ken"), std::string::npos) << other.requests().at(0);
  EXPECT_NE(other.requests().at(0).find("X-Plain: p"), std::string::npos);
}

TEST_F(HttpHarm, ABodyWithoutEndIsCut) {
  ScriptedServer endless([](ScriptedConnection& to, const std::string&) {
    to.send("HTTP/1.1 200 OK\r\n\r\n");
    const std::string piece(65536, 'x');
    while (to.send(piece)) {
    }
    return false;
  });
  auto asked = request(endless.url());
  asked.limits.max_body_bytes = 1'000'000;
  const auto end = run(asked);
  EXPECT_EQ(end.why, Why::kTooLarge);
  EXPECT_EQ(end.message, "the answer has more than 1000000 bytes");
  EXPECT_LE(answer_.body.size(), 1'000'000U);
}

TEST_F(HttpHarm, ACompressionBombIsCutByWhatItUnpacksTo) {
  // 103 MB of zeros in 650 KB: a deflate stream (RFC 1951) of matches of length 258 at distance 1.
  std::string deflate;
  unsigned bits = 0;
  unsigned count = 0;
  const auto put = [&](unsigned value, unsigned length) {
    bits |= value << count;
    for (count += length; count >= 8; count -= 8, bits >>= 8)
      deflate += static_cast<char>(bits & 0xff);
  };
  const auto reversed = [](unsigned value, unsigned length) {
    unsigned out = 0;
    for (unsigned i = 0; i < length; ++i) out |= (value >> i & 1) << (length - 1 - i);
    return out;
  };
  put(1, 1), put(1, 2);       // last block, fixed codes
  put(reversed(0x30, 8), 8);  // the byte 0
  constexpr int kMatches = 400'000;
  for (int i = 0; i < kMatches; ++i)
    put(reversed(0xc5, 8), 8), put(0, 5);  // length 258 (symbol 285), distance 1
  put(0, 7), put(0, 8);                    // end of block
  const std::string gzip = std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", 10) + deflate;
  ScriptedServer bomb(once(ScriptedServer::ok(gzip, "Content-Encoding: gzip\r\n")));
  auto asked = request(bomb.url());
  asked.limits.max_body_bytes = 1'000'000;
  const auto end = run(asked);
  EXPECT_EQ(end.why, Why::kTooLarge) << end.message;
  EXPECT_LT(gzip.size(), 1'000'000U);
  EXPECT_LE(answer_.body.size(), 1'000'000U);
}

TEST_F(HttpHarm, HeadersHaveAnEnd) {
  const auto expect_too_large = [&](const std::string& bytes) {
    ScriptedServer server([&](ScriptedConnection& to, const std::string&) {
      to.send("HTTP/1.1 200 OK\r\n");
      while (to.send(bytes)) {
      }
      return false;
    });
    const auto end = get(server.url());
    EXPECT_EQ(end.why, Why::kTooLarge) << end.message;
    EXPECT_NE(end.reached, Reached::kHead);
  };
  expect_too_large("X-Header: " + std::string(1000, 'x') + "\r\n");  // many
  expect_too_large(std::string(8192, 'x'));                          // one without end
  ScriptedServer flood([](ScriptedConnection& to, const std::string&) {
    while (to.send("HTTP/1.1 100 Continue\r\n\r\n")) {
    }
    return false;
  });
  const auto end = get(flood.url());
  EXPECT_EQ(end.why, Why::kTooLarge);
  EXPECT_EQ(end.message, "the answer's headers have more than 65536 bytes");
  ScriptedServer few(
      always("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" +
             ScriptedServer::ok("after")));
  EXPECT_EQ(get(few.url()).why, Why::kComplete);
  EXPECT_EQ(answer_.head.status, 200);
  EXPECT_EQ(tools::http::find_header(answer_.head.headers, "link"), nullptr);
}

TEST_F(HttpHarm, BrokenAnswersAreNotAnswers) {
  const std::pair<const char*, const char*> broken[] = {
      {"truncated chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nabc"},
      {"no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"},
      {"no chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n"},
      {"less than the length", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"},
      {"length no number", "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\nabc"},
      {"negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc"},
      {"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabc"},
      {"no gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"},
      {"unknown encoding",
       "HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\nContent-Length: 3\r\n\r\nabc"},
      {"HTTP/0.9", "just text\n"},
      {"another protocol", "SSH-2.0-OpenSSH_9.2\r\n"},
      {"header cut", "HTTP/1.1 200 OK\r\nX-Half"},
      {"nothing", ""}};
  for (const auto& [name, bytes] : broken) {
    ScriptedServer server(once(bytes));
    auto asked = request(server.url());
    asked.limits.idle = asked.limits.first_byte = std::chrono::seconds(5);
    const auto end = run(asked);
    EXPECT_EQ(end.why,
              std::string_view(name) == "nothing" ? Why::kConnectionLost : Why::kBadResponse)
        << name << ": " << end.message;
  }
  // More than the length says: what it says is the answer, and the connection is not used again.
  ScriptedServer more(always(
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"));
  EXPECT_EQ(get(more.url()).why, Why::kComplete);
  EXPECT_EQ(answer_.body, "abc");
  EXPECT_EQ(get(more.url()).why, Why::kComplete);
  EXPECT_EQ(answer_.body, "abc");
}

TEST_F(HttpHarm, TlsIsVerified) {
  TempDir directory;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(directory.path() / name) << text;
    return (directory.path() / name).string();
  };
  const auto right = make_certificate("IP:127.0.0.1");
  const auto wrong = make_certificate("DNS:other.example");
  ScriptedServer server(always(ScriptedServer::ok("safe")), {.tls = right.context});
  ScriptedServer other(always(ScriptedServer::ok("safe")), {.tls = wrong.context});
  auto asked = request(server.url());
  auto end = run(asked);
  EXPECT_EQ(end.why, Why::kTlsFailed) << end.message;  // no authority vouches for it
  EXPECT_EQ(end.reached, Reached::kNothing);
  asked.ca_file = write("right.pem", right.pem);
  EXPECT_EQ(run(asked).why, Why::kComplete);
  EXPECT_EQ(answer_.body, "safe");
  asked = request(other.url());
  asked.ca_file = write("wrong.pem", wrong.pem);
  EXPECT_EQ(run(asked).why, Why::kTlsFailed);  // trusted, and for another host
  asked = request(server.url());
  asked.ca_file = write("none.pem", "no certificate");
  EXPECT_EQ(run(asked).why, Why::kTlsFailed);
  EXPECT_EQ(server.requests().size() + other.requests().size(), 1U);
}

TEST_F(HttpHarm, TheEnvironmentNamesNoProxy) {
  ScriptedServer proxy(always(ScriptedServer::ok("by the proxy")));
  ScriptedServer server(always(ScriptedServer::ok("direct")));
  for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
    setenv(name, proxy.url("").c_str(), 1);
  restart({});
  EXPECT_EQ(get(server.url()).why, Why::kComplete);
  for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) unsetenv(name);
  EXPECT_EQ(answer_.body, "direct");
  EXPECT_EQ(proxy.connections(), 0U);
}

TEST_F(HttpHarm, GoesThroughTheProxyThatItIsGiven) {
  ScriptedServer proxy(always(ScriptedServer::ok("by the proxy")));
  ScriptedServer server(always(ScriptedServer::ok("direct")));
  auto asked = request("http://example.com/x");
  asked.addresses = std::make_shared<const tools::http::AddressPolicy>();
  asked.proxy.url = proxy.url("");
  EXPECT_EQ(run(asked).why, Why::kComplete);
  EXPECT_EQ(answer_.body, "by the proxy");
  EXPECT_TRUE(proxy.requests().at(0).starts_with("GET http://example.com/x HTTP/1.1\r\n"));
  // An address in the URL is checked here, since the proxy would not.
  asked.url = "http://169.254.169.254/";
  EXPECT_EQ(run(asked).why, Why::kAddressRefused);
  asked = request(server.url());
  asked.proxy = {.url = proxy.url(""), .except = {"127.0.0.0/8"}};
  EXPECT_EQ(run(asked).why, Why::kComplete);
  EXPECT_EQ(answer_.body, "direct");
  ScriptedServer refusing(always(ScriptedServer::status(403)));
  asked = request("https://example.com/");
  asked.proxy.url = refusing.url("");
  const auto end = run(asked);
  EXPECT_EQ(end.why, Why::kNotConnected) << end.message;
  EXPECT_TRUE(refusing.requests().at(0).starts_with("CONNECT example.com:443 "));
  for (const std::string bad :
       {"socks5://127.0.0.1:1", "127.0.0.1:3128", "file:///x", "http://", "http://a/path"}) {
    asked.proxy.url = bad;
    EXPECT_EQ(run(asked).why, Why::kInvalidRequest) << bad;
  }
}

}  // namespace
}  // namespace toolway::test
