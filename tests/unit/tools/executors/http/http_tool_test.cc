#include <atomic>
#include <fstream>
#include <thread>

#include "base/answer_json.h"
#include "base/base64.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_certificate.h"
#include "tests/unit/tools/executors/http/http_tool_fixture.h"

namespace toolway::test {
namespace {

using namespace tools;

TEST_F(HttpToolTest, BuildsTheRequestOfTheSpec) {
  ScriptedServer server(always(ScriptedServer::ok(R"({"ok": true})")));
  context_.secrets["KEY"] = "t0ken";
  const auto spec = spec_of(
      R"({"method": "POST", "url": ")" + server.url("/v1/{user}/items?fixed=1&of={user}") + R"(",
    "query": {"q": "{q}", "tag": "{tags*}", "none": "{none?}", "n": 5}, "headers": {"X-Q": "<{q}>", "X-None": "{none?}"},
    "body": {"json": {"query": "{q}", "n": "{n}", "none": "{none?}"}}, "auth": {"bearer": "KEY"}, "idempotency_key": true})",
      R"({"user": {"type": "string"}, "q": {"type": "string"}, "tags": {"type": "array"}, "n": {"type": "integer"}, "none": {"type": "string"}})",
      {"none"});
  const auto result =
      run(spec, {{"user", "a/../b"}, {"q", "x & y"}, {"tags", {"t1", "t 2"}}, {"n", 7}});
  EXPECT_EQ(text_of(result), R"({"ok":true})");
  const auto seen = server.requests().at(0);
  EXPECT_TRUE(seen.starts_with(
      "POST /v1/a%2F..%2Fb/items?fixed=1&of=a%2F..%2Fb&q=x%20%26%20y&tag=t1&tag=t%202&n=5 HTTP/1.1\r\n"))
      << seen;
  for (const std::string line :
       {"X-Q: <x & y>", "Authorization: Bearer t0ken", "Content-Type: application/json",
        "Idempotency-Key: local", "Accept: application/json, */*;q=0.5",
        "User-Agent: toolway/0.1.0"}) {
    EXPECT_NE(seen.find("\r\n" + line + "\r\n"), std::string::npos) << line << "\n" << seen;
  }
  EXPECT_EQ(seen.find("X-None"), std::string::npos);
  EXPECT_TRUE(seen.ends_with(R"({"n":7,"query":"x & y"})")) << seen;
}

TEST_F(HttpToolTest, SaysWhichSpanItAsksFrom) {
  ScriptedServer server(always(ScriptedServer::ok("{}")));
  const auto seen = [&](const std::string& more = "") {
    const auto result = run(R"({"url": ")" + server.url("/") + "\"" + more + "}");
    return result ? server.requests().back() : text_of(result);
  };
  EXPECT_EQ(seen().find("\r\ntrace"), std::string::npos);
  context_.span = TraceContext::root(true);
  EXPECT_NE(seen().find("\r\ntraceparent: " + context_.span.traceparent() + "\r\n"),
            std::string::npos);
  EXPECT_EQ(seen().find("\r\ntracestate"), std::string::npos);
  context_.span.state = "vendor=1";
  EXPECT_NE(seen().find("\r\ntracestate: vendor=1\r\n"), std::string::npos);
  const auto own = seen(R"(, "headers": {"Traceparent": "mine"})");
  EXPECT_NE(own.find("\r\nTraceparent: mine\r\n"), std::string::npos) << own;
  EXPECT_EQ(own.find("\r\ntrace"), std::string::npos) << own;
}

TEST_F(HttpToolTest, SendsEveryFormOfBodyAndAuth) {
  ScriptedServer server(always(ScriptedServer::ok("{}")));
  context_.secrets["KEY"] = "p&ss";
  const auto seen = [&](const std::string& more) {
    const auto result =
        run(spec_of(R"({"method": "PUT", "url": ")" + server.url("/") + "\", " + more + "}",
                    R"({"v": {"type": "string"}})"),
            {{"v", "a&b=c"}});
    return result ? server.requests().back() : text_of(result);
  };
  EXPECT_NE(seen(R"("body": {"form": {"x": "{v}", "k": "{secret:KEY}"}})")
                .find("application/x-www-form-urlencoded\r\n"),
            std::string::npos);
  EXPECT_TRUE(server.requests().back().ends_with("\r\n\r\nx=a%26b%3Dc&k=p%26ss"));
  EXPECT_TRUE(
      seen(R"("body": {"text": "<{v}>", "content_type": "text/x"})").ends_with("\r\n\r\n<a&b=c>"));
  EXPECT_NE(server.requests().back().find("Content-Type: text/x\r\n"), std::string::npos);
  EXPECT_TRUE(seen(R"("body": {"raw": "{v}"})").ends_with("\r\n\r\na&b=c"));
  EXPECT_NE(seen(R"("auth": {"basic": {"user": "me", "password": "KEY"}})")
                .find("Authorization: Basic " + base64("me:p&ss")),
            std::string::npos);
  EXPECT_NE(seen(R"("auth": {"api_key": {"header": "X-Api-Key", "secret": "KEY"}})")
                .find("X-Api-Key: p&ss\r\n"),
            std::string::npos);
  EXPECT_TRUE(seen(R"("auth": {"api_key": {"query": "key", "secret": "KEY"}})")
                  .starts_with("PUT /?key=p%26ss HTTP"));
  EXPECT_TRUE(seen(R"("auth": {"bearer": "OTHER"})")
                  .starts_with("secret_missing: this worker has no secret `OTHER`"));
}

TEST_F(HttpToolTest, ReadsEveryFormOfAnswer) {
  const auto answered = [&](const std::string& bytes, const std::string& response) {
    ScriptedServer server(always(bytes));
    return text_of(run(R"({"url": ")" + server.url() + R"(", "response": )" + response + "}"));
  };
  const auto json = ScriptedServer::ok(R"({"data": {"items": [1, 2]}, "x": "y"})");
  EXPECT_EQ(answered(json, "{}"), R"({"data":{"items":[1,2]},"x":"y"})");
  EXPECT_EQ(answered(json, R"({"pick": "/data/items"})"), "[1,2]");
  EXPECT_EQ(answered(json, R"({"pick": "/data/none"})"),
            "http_bad_response: the answer has nothing at /data/none");
  EXPECT_EQ(answered(json, R"({"result": {"first": "{/data/items/0}", "none": "{/none}"}})"),
            R"({"first":1})");
  EXPECT_EQ(answered(ScriptedServer::ok("plain \xc3\xa4"), R"({"as": "text"})"),
            "\"plain \xc3\xa4\"");
  EXPECT_EQ(
      answered(ScriptedServer::ok(std::string("\x00\xff\x01", 3), "Content-Type: image/png; x\r\n"),
               R"({"as": "binary"})"),
      R"({"content":"AP8B","encoding":"base64","media_type":"image/png","size":3})");
  EXPECT_EQ(answered(ScriptedServer::status(204), "{}"), "null");
  EXPECT_EQ(answered(ScriptedServer::ok("1\n{\"a\":2}\n\n3"), R"({"as": "ndjson"})"),
            R"([1,{"a":2},3])");
  EXPECT_EQ(answered(ScriptedServer::status(404, "", "[]"), R"({"success": [404]})"), "[]");
  const auto stream = ScriptedServer::ok(
      "data: {\"a\": 1}\n\n: x\n\ndata: {\"a\": 2}\n\ndata: [DONE]\n\ndata: never\n\n",
      "Content-Type: text/event-stream\r\n");
  EXPECT_EQ(answered(stream, R"({"as": "sse", "until": "[DONE]", "pick": "/a"})"), "[1,2]");
}

TEST_F(HttpToolTest, ReportsAStreamAsItComes) {
  Awaited<int> reported;
  ScriptedServer server([&](Connection& to, const std::string&) {
    to.send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (const std::string event : {"data: first.\n\n", "data: second\n\n"}) {
      to.send("e\r\n" + event + "\r\n");
      reported.next();  // before the next is sent
    }
    return to.send("0\r\n\r\n");
  });
  auto spec =
      spec_of(R"({"url": ")" + server.url() + R"(", "response": {"as": "sse", "data": "text"}})");
  spec.multi_step = true;
  on_report_ = reported.callback();
  EXPECT_EQ(text_of(run(spec)), R"({"items":2})");
  ASSERT_EQ(reports_.size(), 2U);
  EXPECT_EQ(reports_[0].progress, 1);
  EXPECT_EQ(reports_[1].data, "second");
  ScriptedServer lines(always(ScriptedServer::ok("{\"n\":1}\n{\"n\":2}\n")));
  reports_.clear();
  spec =
      spec_of(R"({"url": ")" + lines.url() + R"(", "response": {"as": "ndjson", "pick": "/n"}})");
  spec.multi_step = true;
  EXPECT_EQ(text_of(run(spec)), R"({"items":2})");
  ASSERT_EQ(reports_.size(), 2U);
  EXPECT_EQ(reports_[1].data, Json(2));
}

TEST_F(HttpToolTest, SaysWhatAStatusMeans) {
  ScriptedServer server(
      always(ScriptedServer::status(429, "Retry-After: 7\r\n", R"({"error": "slow down"})")));
  auto result = run(R"({"url": ")" + server.url() + "\"}");
  EXPECT_EQ(text_of(result), "http_status: " + server.url("") + " answered with status 429");
  EXPECT_TRUE(result.error().retryable);
  EXPECT_EQ(result.error().retry_after, std::chrono::seconds(7));
  EXPECT_EQ(result.error().details.dump(), R"({"body":{"error":"slow down"},"status":429})");
  result = run(
      R"({"url": ")" + server.url() +
      R"(", "response": {"errors": {"4xx": {"code": "other"}, "429": {"code": "quota", "message": "no more today", "retryable": false}}}})");
  EXPECT_EQ(text_of(result), "quota: no more today");
  EXPECT_FALSE(result.error().retryable);
  ScriptedServer missing(always(ScriptedServer::status(404, "", "no such thing")));
  result = run(R"({"url": ")" + missing.url() + "\"}");
  EXPECT_EQ(code_of(result), "http_status");
  EXPECT_FALSE(result.error().retryable);
  EXPECT_EQ(result.error().details["body"], "no such thing");
}

TEST_F(HttpToolTest, TriesAgainWhereThatHelps) {
  std::atomic<int> asked = 0;
  ScriptedServer flaky([&](Connection& to, const std::string&) {
    const int n = ++asked;
    if (n == 1) return to.send(ScriptedServer::status(503));
    if (n == 2) return to.send(ScriptedServer::status(429, "Retry-After: 0\r\n"));
    return to.send(ScriptedServer::ok("3"));
  });
  const std::string retries = R"("retries": {"attempts": 3, "initial_delay_ms": 1})";
  EXPECT_EQ(text_of(run(R"({"url": ")" + flaky.url() + "\", " + retries + "}")), "3");
  EXPECT_EQ(context_.logged().size(), 2U);
  asked = 0;
  EXPECT_EQ(code_of(run(R"({"method": "POST", "url": ")" + flaky.url() + "\", " + retries + "}")),
            "http_status");
  EXPECT_EQ(asked, 1);
  asked = 0;
  EXPECT_EQ(
      text_of(run(R"({"method": "POST", "url": ")" + flaky.url() +
                  R"(", "retries": {"attempts": 3, "initial_delay_ms": 1, "methods": "any"}})")),
      "3");
  asked = 0;
  auto spec = spec_of(R"({"method": "POST", "url": ")" + flaky.url() + "\", " + retries + "}");
  spec.idempotent = true;
  EXPECT_EQ(text_of(run(spec)), "3");
  asked = 0;
  EXPECT_EQ(code_of(run(R"({"url": ")" + flaky.url() +
                        R"(", "retries": {"attempts": 2, "initial_delay_ms": 1}})")),
            "http_status");
  EXPECT_EQ(asked, 2);
}

TEST_F(HttpToolTest, EveryFailureHasItsCode) {
  const auto failed = [&](ScriptedServer::Answer answer,
                          const std::string& more = "\"limits\": {}") {
    ScriptedServer server(std::move(answer));
    return code_of(run(R"({"url": ")" + server.url() + "\", " + more + "}"));
  };
  EXPECT_EQ(failed(always("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n\"\xff\xfe...\"x\n")),
            "http_bad_response");
  EXPECT_EQ(failed(always(ScriptedServer::ok("{nonsense"))), "http_bad_response");
  EXPECT_EQ(failed(always(ScriptedServer::ok("\xff")), R"("response": {"as": "text"})"),
            "http_bad_response");
  EXPECT_EQ(failed(always(ScriptedServer::ok("{}")), R"("response": {"as": "sse"})"),
            "http_bad_response");
  EXPECT_EQ(failed(always(ScriptedServer::ok("1\nx\n")), R"("response": {"as": "ndjson"})"),
            "http_bad_response");
  EXPECT_EQ(failed(always(ScriptedServer::ok(std::string(1000, '1'))),
                   R"("limits": {"max_body_bytes": 999})"),
            "http_too_large");
  std::string values = "[1";
  for (std::size_t i = 0; i < kMaxAnswerValues; ++i) values += ",1";
  EXPECT_EQ(failed(always(ScriptedServer::ok(values + "]"))), "http_too_large");
  EXPECT_EQ(failed(always(ScriptedServer::ok(values + "]\n")), R"("response": {"as": "ndjson"})"),
            "http_too_large");
  EXPECT_EQ(failed([](Connection& to, const std::string&) {
              return to.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc") && false;
            }),
            "http_bad_response");
  EXPECT_EQ(failed([](Connection& to, const std::string&) { return to.wait_for_close(), false; },
                   R"("limits": {"first_byte_ms": 30})"),
            "http_timeout");
  EXPECT_EQ(failed(
                [](Connection& to, const std::string&) {
                  return to.send("HTTP/1.1 200 OK\r\n\r\nabc"), to.wait_for_close(), false;
                },
                R"("limits": {"idle_ms": 30})"),
            "http_timeout");
  EXPECT_EQ(failed([](Connection&, const std::string&) { return false; }), "http_connection_lost");
  EXPECT_EQ(
      failed(always(ScriptedServer::status(302, "Location: http://169.254.169.254/latest/\r\n"))),
      "http_address_refused");
  EXPECT_EQ(failed(always(ScriptedServer::status(302, "Location: /\r\n"))),
            "http_redirect_refused");
  EXPECT_EQ(
      failed(always(ScriptedServer::status(302, "Location: /\r\n")), R"("redirects": {"most": 0})"),
      "http_status");
  EXPECT_EQ(failed(always(ScriptedServer::ok("{}")), R"("allow_addresses": [])"),
            "http_address_refused");
  EXPECT_EQ(failed(always(ScriptedServer::ok("{}")), R"("allow_addresses": ["127.0.0.0/32"])"),
            "http_address_refused");
  std::uint16_t port = 0;
  {
    port = ScriptedServer(always("")).port();
  }
  EXPECT_EQ(code_of(run(R"({"url": "http://127.0.0.1:)" + std::to_string(port) + "/\"}")),
            "http_connect_failed");
  EXPECT_EQ(code_of(run(R"({"url": "http://nobody.invalid/"})")), "http_dns_failed");
  const auto certificate = make_certificate("IP:127.0.0.1");
  ScriptedServer tls(always(ScriptedServer::ok("{}")), {.tls = certificate.context});
  EXPECT_EQ(code_of(run(R"({"url": ")" + tls.url() + "\"}")), "http_tls_failed");
  TempDir directory;
  std::ofstream(directory.path() / "ca.pem") << certificate.pem;
  use({.ca_file = (directory.path() / "ca.pem").string()});
  EXPECT_EQ(text_of(run(R"({"url": ")" + tls.url() + "\"}")), "{}");
}

TEST_F(HttpToolTest, ValuesStayInTheirPlaces) {
  ScriptedServer server(always(ScriptedServer::ok("{}")));
  const std::string schema = R"({"v": {"type": "string"}})";
  const auto header =
      spec_of(R"({"url": ")" + server.url() + R"(", "headers": {"X-V": "{v}"}})", schema);
  EXPECT_EQ(code_of(run(header, {{"v", "a\r\nX-Evil: 1"}})), "invalid_arguments");
  const auto any =
      spec_of(R"({"url": "{v}", "allowed_hosts": ["127.0.0.1", "*.example.com"]})", schema);
  EXPECT_EQ(text_of(run(any, {{"v", server.url("/x?y=1")}})), "{}");
  EXPECT_TRUE(server.requests().back().starts_with("GET /x?y=1 "));
  for (const std::string url :
       {"http://evil.example/", "http://example.com/", "file:///etc/passwd",
        "http://127.0.0.1@evil.example/", "x", "http://127.0.0.2/",
        "http://evil.example/#.example.com", "http://evil.example?.example.com"}) {
    EXPECT_EQ(code_of(run(any, {{"v", url}})), "invalid_arguments") << url;
  }
  const auto host =
      spec_of(R"({"url": "https://{v}.example.com/", "allowed_hosts": ["*.example.com"]})", schema);
  for (const std::string value : {"evil.example/", "a@b", "a:80/", "evil.example#", "a b"})
    EXPECT_EQ(code_of(run(host, {{"v", value}})), "invalid_arguments") << value;
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(HttpToolTest, NoSecretIsShown) {
  const std::string secret = "s3cr3t/+ \"x\" 9";
  context_.secrets["KEY"] = secret;
  const std::string config =
      R"("headers": {"X-Key": "{secret:KEY}"}, "query": {"k": "{secret:KEY}"}, "auth": {"basic": {"user": "me", "password": "KEY"}}, "retries": {"attempts": 2, "initial_delay_ms": 1})";
  const auto echo = [](int status, const std::string& more) {
    return [=](Connection& to, const std::string& asked) {
      return to.send(ScriptedServer::status(status, more, asked));
    };
  };
  const auto expect_hidden = [&](const tools::model::Execution& result) {
    const auto all = everything(result);
    EXPECT_EQ(all.find("s3cr3t"), std::string::npos) << all;
    EXPECT_EQ(all.find(base64("me:" + secret).substr(0, 12)), std::string::npos) << all;
    EXPECT_NE(all.find("[secret]"), std::string::npos) << all;
  };
  for (const int status : {200, 400, 503}) {
    ScriptedServer server(echo(status, ""));
    expect_hidden(
        run(R"({"url": ")" + server.url() + R"(", "response": {"as": "text"}, )" + config + "}"));
  }
  // As JSON, as events, as lines, and cut to the part of an error that is shown.
  ScriptedServer json([](Connection& to, const std::string& asked) {
    return to.send(ScriptedServer::ok(Json({{"a", {asked}}, {asked, 1}}).dump()));
  });
  expect_hidden(run(R"({"url": ")" + json.url() + "\", " + config + "}"));
  ScriptedServer events([](Connection& to, const std::string& asked) {
    return to.send(ScriptedServer::ok("data: " + Json({{"a", asked}}).dump() + "\n\n",
                                      "Content-Type: text/event-stream\r\n"));
  });
  auto spec =
      spec_of(R"({"url": ")" + events.url() + R"(", "response": {"as": "sse"}, )" + config + "}");
  spec.multi_step = true;
  expect_hidden(run(spec));
  ScriptedServer cut([](Connection& to, const std::string& asked) {
    return to.send(ScriptedServer::status(400, "", std::string(3990, 'x') + asked + asked));
  });
  const auto result = run(R"({"url": ")" + cut.url() + "\", " + config + "}");
  EXPECT_EQ(everything(result).find("s3cr3t"), std::string::npos);
  // A redirect that names it.
  ScriptedServer redirecting([](Connection& to, const std::string& asked) {
    return to.send(ScriptedServer::status(
        302,
        "Location: http://" + asked.substr(6, asked.find(' ', 6) - 6) + ".example:70000/\r\n"));
  });
  const auto refused = run(R"({"url": ")" + redirecting.url() + "\", " + config + "}");
  EXPECT_EQ(code_of(refused), "http_redirect_refused");
  EXPECT_EQ(everything(refused).find("s3cr3t"), std::string::npos) << everything(refused);
}

TEST_F(HttpToolTest, EndsAtOnceWhenItIsCancelled) {
  Awaited<int> asked;
  ScriptedServer server([tell = asked.callback()](Connection& to, const std::string&) {
    tell(0);
    return to.send(ScriptedServer::status(503, "Retry-After: 9\r\n"));
  });
  tools::model::Execution result;
  std::jthread caller(
      [&] { result = run(R"({"url": ")" + server.url() + R"(", "retries": {"attempts": 9}})"); });
  ASSERT_TRUE(asked.next());
  context_.stop.request_stop();
  caller.join();
  EXPECT_EQ(code_of(result), "cancelled");
}

}  // namespace
}  // namespace toolway::test
