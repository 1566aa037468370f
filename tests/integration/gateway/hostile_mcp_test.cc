// What clients of /mcp can send that they should not, over real sockets: each with the status and
// the code that its revision demands, and none runs anything. docs/mcp-server.md has the rules.
#include "tests/integration/gateway/hostile_mcp.h"

namespace toolway::test {
namespace {

TEST_F(HostileMcp, WhoAsksAndFromWhere) {
  const auto ping = message("ping");
  run({{"a page of another site", "403 origin_not_allowed", ping,
        named("origin", "http://evil.example")},
       {"an origin of nothing", "403 origin_not_allowed", ping, named("origin", "null")},
       {"an origin that is none", "403 origin_not_allowed", ping, named("origin", "evil")},
       {"two origins", "400 invalid_request", ping,
        named("origin", "http://localhost") + named("origin", "http://evil.example")},
       {"another site's form", "403 origin_not_allowed", ping,
        named("sec-fetch-site", "cross-site")},
       {"a second Host", "400 invalid_request", ping, named("host", "evil.example")},
       {"no credential", "401 unauthenticated", ping, named("authorization", "")},
       {"a key that was never made", "401 unauthenticated", ping,
        bearer("tw_0123456789abcdef_0123456789abcdef0123456789abcdef0123456789abcdef")},
       {"another scheme", "401 unauthenticated", ping, named("authorization", "Basic YTpi")},
       {"another name next to the key", "400 invalid_request", ping,
        named("x-toolway-user", "bob")},
       {"a body of another type", "415 unsupported_media_type", ping,
        named("content-type", "text/plain")},
       {"a form", "415 unsupported_media_type", "a=b",
        named("content-type", "application/x-www-form-urlencoded")},
       {"PUT", "405 method_not_allowed", "", "", "PUT /mcp"},
       {"a path below", "404 not_found", ping, "", "POST /mcp/a/b"},
       {"bad percent-encoding", "400 invalid_request", ping, "", "POST /mcp/%zz"}});
}

TEST_F(HostileMcp, AReboundHostIsNotServed) {
  RawClient client(gateway_->port());
  client.send("POST /mcp HTTP/1.1\r\nhost: evil.example\r\ncontent-type: application/json\r\n" +
              ann_ + "content-length: 2\r\n\r\n{}");
  EXPECT_EQ(said(client.response()), "421 host_not_allowed");
}

TEST_F(HostileMcp, AnIdOf10MbIsNotRead) {
  RawClient client(gateway_->port());
  client.send("POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n" + ann_ +
              "content-length: 10000060\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":\"xxxxxx");
  EXPECT_EQ(said(client.response()), "413 payload_too_large");
  expect_no_call();
}

TEST_F(HostileMcp, WhatIsNotAMessage) {
  const auto levels = [](std::size_t count) { return std::string(count, '['); };
  std::string many = "0";
  for (int i = 0; i < 20'000; ++i) many += ",0";
  run({{"nothing", "400 -32700", ""},
       {"no JSON", "400 -32700", "hello"},
       {"half of it", "400 -32700", R"({"jsonrpc":"2.0","id":1,"method":"pi)"},
       {"two messages", "400 -32700", message("ping") + message("ping")},
       {"not UTF-8", "400 -32700", message("p\xff")},
       {"70 levels", "400 -32700", levels(70)},
       {"100,000 levels", "413 -32600", levels(100'000)},
       {"70 levels in params", "400 -32700", message("ping", "\"a\":" + levels(70))},
       {"a member twice", "400 -32700", R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})"},
       {"a batch", "400 -32600", "[" + message("ping") + "]"},
       {"an empty batch", "400 -32600", "[]"},
       {"null", "400 -32600", "null"},
       {"a number", "400 -32600", "1"},
       {"a text", "400 -32600", "\"ping\""},
       {"another version", "400 -32600", R"({"jsonrpc":"1.0","id":1,"method":"ping"})"},
       {"no version", "400 -32600", R"({"id":1,"method":"ping"})"},
       {"no method", "400 -32600", R"({"jsonrpc":"2.0","id":1})"},
       {"a method that is a number", "400 -32600", R"({"jsonrpc":"2.0","id":1,"method":1})"},
       {"params that are a list", "400 -32600",
        R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})"},
       {"an id that is null", "400 -32600", message("ping", "", "null")},
       {"an id with a fraction", "400 -32600", message("ping", "", "1.5")},
       {"an id that is an object", "400 -32600", message("ping", "", "{}")},
       {"a result and an error", "400 -32600",
        R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}})"},
       {"20,000 values besides arguments", "413 -32600", message("ping", "\"a\":[" + many + "]")}});
}

TEST_F(HostileMcp, SessionsOfTheHandshakeEra) {
  const auto list = message("tools/list");
  const auto begins = message("initialize", R"("protocolVersion":"2025-11-25")");
  run({{"no session id", "400 -32600", list},
       {"one that is made up", "404 -32600", list, session("made-up")},
       {"a truncated one", "404 -32600", list, session(anns_.substr(0, anns_.size() - 4))},
       {"one with an edited end", "404 -32600", list, session(edited(anns_, anns_.size() - 6))},
       {"one with an edited beginning", "404 -32600", list, session(edited(anns_, 8))},
       {"a longer one", "404 -32600", list, session(anns_ + "AAAA")},
       {"another user's", "404 -32600", list, session(bobs_)},
       {"one's own with another user's key", "404 -32600", list, bob_ + own()},
       {"that of /mcp at another session", "404 -32600", list, own(), "POST /mcp/none"},
       {"that of another session at /mcp", "404 -32600", list, session(nones_)},
       {"two of them", "400 invalid_request", list, own() + own()},
       {"an unknown revision", "400 -32600", list,
        own() + named("mcp-protocol-version", "1999-01-01")},
       {"the revision of the other era", "400 -32600", list,
        own() + named("mcp-protocol-version", kRevision)},
       {"an unknown method", "200 -32601", message("tools/burn"), own()},
       {"a method of the other era", "200 -32601", message("server/discover"), own()},
       {"a notification with an id", "200 -32601", message("notifications/initialized"), own()},
       {"an answer to what was never asked", "202 nothing",
        R"({"jsonrpc":"2.0","id":"x","result":{"action":"accept"}})", own()},
       {"an unknown method without a session", "400 -32600", message("tools/burn")},
       {"a closed session", "409 session_closed", list, session(overs_), "POST /mcp/over"},
       {"a handshake with a closed session", "409 session_closed", begins, "", "POST /mcp/over"},
       {"a handshake with a session that there is not", "404 -32600", begins, "", "POST /mcp/nons"},
       {"another user's session", "404 -32600", begins, bob_, "POST /mcp/none"},
       {"a name that no session has", "400 invalid_identifier", begins, "", "POST /mcp/a%20b"}});
}

TEST_F(HostileMcp, WhatIsAskedOfTools) {
  const auto call = [](std::string_view params) { return message("tools/call", params); };
  const auto throws = [&call](std::string_view arguments) {
    return call(fmt::format(R"("name":"sample__throws","arguments":{})", arguments));
  };
  run({{"a cursor that is made up", "200 -32602", message("tools/list", R"("cursor":"x")"), own()},
       {"no name", "200 -32602", call(""), own()},
       {"a name that is a number", "200 -32602", call(R"("name":1)"), own()},
       {"an empty name", "200 -32602", call(R"("name":"")"), own()},
       {"an unknown tool", "200 -32602", call(R"("name":"nothing")"), own()},
       {"another namespace's tool", "200 -32602", call(R"("name":"sample__throws")"),
        session(nones_), "POST /mcp/none"},
       {"arguments that are a list", "200 isError invalid_request", throws("[]"), own()},
       {"arguments that are a text", "200 isError invalid_request", throws("\"{}\""), own()},
       {"arguments of the wrong type", "200 isError invalid_arguments", throws(R"({"message":1})"),
        own()},
       {"arguments that there are not", "200 isError invalid_arguments",
        throws(R"({"no\u0000":1})"), own()},
       {"arguments with a member twice", "400 -32700", throws(R"({"message":"a","message":"b"})"),
        own()},
       {"arguments 100,000 levels deep", "400 -32700",
        throws("{\"message\":" + std::string(100'000, '[') + "}"), own()},
       {"an Idempotency-Key that is too long", "400 invalid_identifier", throws("{}"),
        own() + named("idempotency-key", std::string(300, 'x'))},
       {"an unknown prompt", "200 -32602", message("prompts/get", R"("name":"x")"), own()},
       {"an unknown resource", "200 -32602", message("resources/read", R"("uri":"x://y")"), own()},
       {"a completion of nothing", "200 -32602", message("completion/complete", ""), own()}});
}

TEST_F(HostileMcp, TasksOfTheHandshakeEra) {
  const auto of = [](std::string_view method, std::string_view id) {
    return message(fmt::format("tasks/{}", method), fmt::format(R"("taskId":{})", id));
  };
  constexpr std::string_view kGuessed = R"("0193a5d2-7c1e-7000-8000-000000000001")";
  std::vector<Case> cases;
  for (const auto* method : {"get", "result", "cancel"}) {
    const auto named = [method](std::string_view id) {
      return fmt::format("{} of {}", method, id);
    };
    for (const auto id : {kGuessed, std::string_view(R"("")"), std::string_view(R"("x")"),
                          std::string_view("7"), std::string_view(R"("' OR 1=1 --")")})
      cases.push_back({named(id), "200 -32602", of(method, id), own()});
  }
  for (const auto* task : {"5", "[]", "null", R"({"ttl":-1})", R"({"ttl":"1"})"})
    cases.push_back(
        {fmt::format("a wish for a task that is {}", task), "200 -32602",
         message("tools/call", fmt::format(R"("name":"sample__throws","task":{})", task)), own()});
  cases.push_back(
      {"a cursor that is made up", "200 -32602", message("tasks/list", R"("cursor":"x")"), own()});
  cases.push_back({"a cursor that is a session id", "200 -32602",
                   message("tasks/list", fmt::format(R"("cursor":"{}")", anns_)), own()});
  cases.push_back({"a method of the other era", "200 -32601", of("update", kGuessed), own()});
  run(cases);
}

TEST_F(HostileMcp, TasksOfTheNewEra) {
  constexpr std::string_view kDeclared =
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
      R"("io.modelcontextprotocol/clientCapabilities":{"extensions":)"
      R"({"io.modelcontextprotocol/tasks":{}}}})";
  constexpr std::string_view kGuessed = "0193a5d2-7c1e-7000-8000-000000000001";
  const auto of = [&](std::string_view method, std::string_view params) {
    return message(fmt::format("tasks/{}", method), fmt::format("{},{}", params, kDeclared));
  };
  const auto id = fmt::format(R"("taskId":"{}")", kGuessed);
  const auto headers = [&](std::string_view method) {
    return modern(fmt::format("tasks/{}", method), kGuessed);
  };
  const auto answers = [&](std::string_view responses) {
    return of("update", fmt::format(R"({},"inputResponses":{})", id, responses));
  };
  run({{"a guessed one", "400 -32602", of("get", id), headers("get")},
       {"a guessed one, cancelled", "400 -32602", of("cancel", id), headers("cancel")},
       {"a guessed one, answered", "400 -32602", answers("{}"), headers("update")},
       {"answers that are a list", "400 -32602", answers("[]"), headers("update")},
       {"no header of the id", "400 -32020", of("get", id), modern("tasks/get")},
       {"another id in the header", "400 -32020", of("get", id), modern("tasks/get", "x")},
       {"it was not declared", "400 -32021", message("tasks/get", with_meta(id)), headers("get")},
       {"methods of the other era", "404 -32601", of("result", id), headers("result")},
       {"methods of the other era, too", "404 -32601", of("list", id), modern("tasks/list")},
       {"ids to hear of that are none", "400 -32602",
        message("subscriptions/listen",
                fmt::format(R"("notifications":{{"taskIds":[1]}},{})", kDeclared)),
        modern("subscriptions/listen")}});
}

TEST_F(HostileMcp, Subscriptions) {
  constexpr std::string_view kGuessed =
      "toolway://calls/0193a5d2-7c1e-7000-8000-000000000001/result";
  const auto subscribe = [](std::string_view params) {
    return message("resources/subscribe", params);
  };
  const auto to = [](std::string_view uri) { return fmt::format(R"("uri":"{}")", uri); };
  const auto listen = [](std::string_view uris) {
    return message(
        "subscriptions/listen",
        with_meta(fmt::format(R"("notifications":{{"resourceSubscriptions":{}}})", uris)));
  };
  const auto headers = modern("subscriptions/listen");
  std::string many = "\"x://0\"";
  for (int i = 1; i <= 100; ++i) many += fmt::format(",\"x://{}\"", i);
  const std::string long_uri = "x://" + std::string(2048, 'a');
  const std::string huge_uri = "x://" + std::string(900'000, 'a');
  run({{"no URI", "200 -32602", subscribe(""), own()},
       {"a URI that is a number", "200 -32602", subscribe(R"("uri":1)"), own()},
       {"an empty URI", "200 -32602", subscribe(to("")), own()},
       {"an unknown resource", "200 -32602", subscribe(to("x://y")), own()},
       {"the result of a guessed call", "200 -32602", subscribe(to(kGuessed)), own()},
       {"a URI of 2 KiB", "200 -32602", subscribe(to(long_uri)), own()},
       {"a URI of 1 MB", "200 -32602", subscribe(to(huge_uri)), own()},
       {"a path", "200 -32602", subscribe(to("../../etc/passwd")), own()},
       {"to unsubscribe from nothing", "200 -32602", message("resources/unsubscribe"), own()},
       {"to unsubscribe with another's session", "404 -32600",
        message("resources/unsubscribe", to("x://y")), session(bobs_)},
       {"URIs that are a text", "400 -32602", listen("\"x://y\""), headers},
       {"URIs that are numbers", "400 -32602", listen("[1]"), headers},
       {"an unknown resource in the new era", "400 -32602", listen("[\"x://y\"]"), headers},
       {"a guessed call in the new era", "400 -32602", listen(fmt::format("[\"{}\"]", kGuessed)),
        headers},
       {"101 URIs", "400 -32602", listen("[" + many + "]"), headers},
       {"a URI of 2 KiB in the new era", "400 -32602", listen("[\"" + long_uri + "\"]"), headers},
       {"a URI of 1 MB in the new era", "400 -32602", listen("[\"" + huge_uri + "\"]"), headers},
       {"lists to hear of that are numbers", "400 -32602",
        message("subscriptions/listen", with_meta(R"("notifications":{"promptsListChanged":1})")),
        headers}});
}

TEST_F(HostileMcp, RequestsOfTheNewEra) {
  const auto list = message("tools/list", kMeta);
  const auto call = message("tools/call", with_meta(R"("name":"nothing")"));
  const auto retry = [](std::string_view params) {
    return message("tools/call", with_meta(fmt::format(R"("name":"sample__throws",{})", params)));
  };
  const auto throws = modern("tools/call", "sample__throws");
  const auto of_revision = [](std::string_view revision) {
    return fmt::format(R"("_meta":{{"io.modelcontextprotocol/protocolVersion":{},)"
                       R"("io.modelcontextprotocol/clientCapabilities":{{}}}})",
                       revision);
  };
  run({{"no _meta", "400 -32602", message("tools/list"), modern("tools/list")},
       {"a _meta that is a number", "400 -32602", message("tools/list", R"("_meta":1)"),
        modern("tools/list")},
       {"a revision that is a number", "400 -32602", message("tools/list", of_revision("1")),
        modern("tools/list")},
       {"no capabilities", "400 -32602",
        message("tools/list",
                R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})"),
        modern("tools/list")},
       {"no header of the revision", "400 -32020", list, modern("tools/list", "", "")},
       {"another revision in the header", "400 -32020", list,
        modern("tools/list", "", "2025-11-25")},
       {"no header of the method", "400 -32020", list, modern("")},
       {"another method in the header", "400 -32020", list, modern("tools/call")},
       {"two headers of the method", "400 invalid_request", list,
        modern("tools/list") + named("mcp-method", "tools/list")},
       {"no header of the name", "400 -32020", call, modern("tools/call")},
       {"another name in the header", "400 -32020", call, modern("tools/call", "other")},
       {"a name in bad base64", "400 -32020", call, modern("tools/call", "=?base64?!!?=")},
       {"another name in base64", "400 -32020", call, modern("tools/call", "=?base64?b3RoZXI=?=")},
       {"the name in base64, which there is not", "400 -32602", call,
        modern("tools/call", "=?base64?bm90aGluZw==?=")},
       {"an unknown revision", "400 -32022", message("tools/list", of_revision("\"1999-01-01\"")),
        modern("tools/list", "", "1999-01-01")},
       {"a revision of the other era", "400 -32022",
        message("tools/list", of_revision("\"2025-11-25\"")),
        modern("tools/list", "", "2025-11-25")},
       {"an unknown method", "404 -32601", message("tools/burn", kMeta), modern("tools/burn")},
       {"initialize", "404 -32601", message("initialize", kMeta), modern("initialize")},
       {"ping", "404 -32601", message("ping", kMeta), modern("ping")},
       {"logging/setLevel", "404 -32601", message("logging/setLevel", kMeta),
        modern("logging/setLevel")},
       {"a subscription to a resource", "404 -32601", message("resources/subscribe", kMeta),
        modern("resources/subscribe")},
       {"a cursor that is made up", "400 -32602",
        message("tools/list", with_meta(R"("cursor":"x")")), modern("tools/list")},
       {"no name", "400 -32602", message("tools/call", kMeta), modern("tools/call")},
       {"an unknown tool", "400 -32602", call, modern("tools/call", "nothing")},
       {"another namespace's tool", "400 -32602",
        message("tools/call", with_meta(R"("name":"sample__throws")")),
        modern("tools/call", "sample__throws"), "POST /mcp/none"},
       {"an unknown prompt", "400 -32602", message("prompts/get", with_meta(R"("name":"x")")),
        modern("prompts/get", "x")},
       {"an unknown resource", "400 -32602",
        message("resources/read", with_meta(R"("uri":"x://y")")),
        modern("resources/read", "x://y")},
       {"answers that are a list", "400 -32602", retry(R"("inputResponses":[])"), throws},
       {"an answer that is a number", "400 -32602", retry(R"("inputResponses":{"a":1})"), throws},
       {"a requestState that is made up", "400 -32602", retry(R"("requestState":"x")"), throws},
       {"a requestState that is a number", "400 -32602", retry(R"("requestState":1)"), throws},
       {"a requestState that is a session id", "400 -32602",
        retry(fmt::format(R"("requestState":"{}")", anns_)), throws},
       {"a name with a line end", "400 -32020",
        message("tools/call", with_meta(R"("name":"a\r\nb")")), modern("tools/call", "a")},
       {"a session of the other era counts for nothing", "404 -32601", message("tools/burn", kMeta),
        modern("tools/burn") + session(bobs_)}});
}

TEST_F(HostileMcp, AnUnknownRevisionIsToldWhichThereAre) {
  const auto answer = ask(
      "POST /mcp",
      message("tools/list", R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01",)"
                            R"("io.modelcontextprotocol/clientCapabilities":{}})"),
      ann_ + modern("tools/list", "", "2099-01-01"));
  const auto error = body(answer)["error"];
  EXPECT_EQ(error["code"], -32022);
  EXPECT_EQ(error["data"]["requested"], "2099-01-01");
  EXPECT_EQ(error["data"]["supported"].front(), kRevision);
}

TEST_F(HostileMcp, AKeyIsForOneCall) {
  const auto call = [](std::string_view text) {
    return message(
        "tools/call",
        fmt::format(R"("name":"sample__throws","arguments":{{"message":"{}"}},{})", text, kMeta));
  };
  const auto headers = ann_ + modern("tools/call", "sample__throws") +
                       named("idempotency-key", "k") + named("prefer", "wait=0");
  // Nothing runs it here: the client leaves, and the call is accepted all the same.
  const auto begin = [&](std::string_view text) {
    RawClient client(gateway_->port());
    client.send(test::http_request("POST /mcp", call(text), headers));
    client.readable(500);
  };
  begin("a");
  begin("a");
  EXPECT_EQ(said(ask("POST /mcp", call("b"), headers)), "422 idempotency_key_reused");
  memory_->quiesce();
  test::Awaited<Result<bus::StoredMessage>> second;
  const auto first = test::first_call(*memory_);
  EXPECT_EQ(first.face(), "mcp/2026-07-28");
  memory_->next_message(proto::kCallsStream, "call.>", 2, bus::ReadFrom::kLeader,
                        second.callback());
  const auto found = second.next();
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found) << "the same key, the same call";
}

}  // namespace
}  // namespace toolway::test
