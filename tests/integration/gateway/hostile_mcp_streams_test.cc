// The same of streams without a request, and of what ends a session or a request.
#include "tests/integration/gateway/hostile_mcp.h"

namespace toolway::test {
namespace {

TEST_F(HostileMcp, StreamsAndEndsOfSessions) {
  const auto events = named("accept", "text/event-stream");
  const auto after = [&](std::string_view id) { return events + named("last-event-id", id); };
  const auto modern_one = named("mcp-protocol-version", kRevision);
  for (const std::string method : {"GET", "DELETE"}) {
    const auto line = method + " /mcp";
    run({{"no session id", "400 -32600", "", events, line},
         {"one that is made up", "404 -32600", "", events + session("made-up"), line},
         {"an edited one", "404 -32600", "", events + session(edited(anns_, 8)), line},
         {"another user's", "404 -32600", "", events + session(bobs_), line},
         {"one's own with another user's key", "404 -32600", "", events + bob_ + own(), line},
         {"that of /mcp at another session", "404 -32600", "", events + own(), line + "/none"},
         {"no credential", "401 unauthenticated", "", named("authorization", "") + own(), line},
         {"the era without it", "405 method_not_allowed", "", events + own() + modern_one, line}});
  }
  run({{"a stream that the client does not take", "406 -32600", "",
        own() + named("accept", "application/json"), "GET /mcp"},
       {"an event id that is made up", "400 -32602", "", own() + after("made-up"), "GET /mcp"},
       {"a place alone", "400 -32602", "", own() + after("0"), "GET /mcp"},
       {"the session's id as one", "400 -32602", "", own() + after(anns_ + ":0"), "GET /mcp"},
       {"a cancellation of nothing", "202 nothing",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})", own()},
       {"one without an id", "202 nothing",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}})", own()},
       {"one of another user's session", "404 -32600",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
        session(bobs_)},
       {"a level that there is not", "200 -32602", message("logging/setLevel", R"("level":"loud")"),
        own()},
       {"the end", "204 nothing", "", own(), "DELETE /mcp"},
       {"twice", "404 -32600", "", own(), "DELETE /mcp"},
       {"a message after it", "404 -32600", message("ping"), own()},
       {"a level after it", "404 -32600", message("logging/setLevel", R"("level":"info")"), own()},
       {"a subscription without a filter", "400 -32602", message("subscriptions/listen", kMeta),
        modern("subscriptions/listen")},
       {"a filter that is a list", "400 -32602",
        message("subscriptions/listen", with_meta(R"("notifications":[])")),
        modern("subscriptions/listen")},
       {"a subscription of the other era", "200 -32601",
        message("subscriptions/listen", R"("notifications":{})"), session(handshake(ann_, "/mcp"))},
       {"one that takes no events", "400 -32602",
        message("subscriptions/listen", with_meta(R"("notifications":{})")),
        modern("subscriptions/listen") + named("accept", "application/json")}});
}

}  // namespace
}  // namespace toolway::test
