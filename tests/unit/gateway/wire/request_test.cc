#include <gtest/gtest.h>

#include <set>

#include "base/json.h"
#include "gateway/calls/call_request.h"
#include "gateway/wire/caller.h"
#include "gateway/wire/event_id.h"
#include "gateway/wire/event_json.h"
#include "gateway/wire/prefer.h"
#include "gateway/wire/request_body.h"
#include "gateway/wire/route.h"
#include "gateway/wire/target.h"

namespace toolway::gateway::wire {
namespace {

TEST(Route, FindsEachPathAndSaysWhatItTakes) {
  EXPECT_EQ(Route::kPostBatch, match_route("POST", "/v1/sessions/a/calls:batch")->route);
  EXPECT_EQ("a b", match_route("GET", "/v1/sessions/a%20b")->id);
  EXPECT_EQ("a/b", match_route("GET", "/v1/sessions/a%2Fb")->id);
  EXPECT_EQ(Route::kLivez, match_route("HEAD", "/livez")->route);
  EXPECT_EQ("POST, GET, HEAD", match_route("PUT", "/v1/sessions").error().allow);
  EXPECT_EQ(404u, status_of(match_route("GET", "/v1/sessions/a/b").error()));
  EXPECT_EQ(404u, status_of(match_route("none", "none").error()));
}

TEST(Route, SaysWhatItNeeds) {
  EXPECT_EQ("POST /v1/sessions/{s}/calls:batch", route_name(Route::kPostBatch));
  EXPECT_EQ("none", route_name(Route::kNone));
  EXPECT_TRUE(is_call(Route::kPostToolCalls) && needs_switches(Route::kPostToolCalls));
  EXPECT_TRUE(!is_call(Route::kTools) && needs_switches(Route::kTools));
  EXPECT_FALSE(needs_switches(Route::kCancelCall));
  EXPECT_TRUE(is_about_us(Route::kLivez) && !is_about_us(Route::kTools));
}

TEST(Route, SomeNeedNoBody) {
  std::set<std::string_view> without;
  for (std::size_t i = 0; i < kRoutes; ++i)
    if (body_is_optional(static_cast<Route>(i))) without.insert(route_name(static_cast<Route>(i)));
  EXPECT_EQ(without, (std::set<std::string_view>{
                         "POST /v1/calls/{c}/approve", "POST /v1/calls/{c}/cancel",
                         "POST /v1/calls/{c}/deny", "POST /v1/sessions/{s}/close",
                         "POST /v1/sessions/{s}/conversations", "POST /v1/sessions/{s}/restore",
                         "POST /v1/sessions/{s}/stop"}));
}

TEST(Route, OfAnOperatorNamesItsPermission) {
  EXPECT_EQ(Route::kRollBackSpec, match_route("POST", "/v1/specs/shop.say/rollback")->route);
  EXPECT_EQ("shop.say", match_route("DELETE", "/v1/switches/shop.say")->id);
  EXPECT_EQ(Route::kRemoveSpecs, match_route("POST", "/v1/specs:remove")->route);
  for (std::size_t i = 0; i < kRoutes; ++i) {
    const auto route = static_cast<Route>(i);
    const auto name = route_name(route);
    const bool reads = name.starts_with("GET ");
    const auto wanted = name.find(" /v1/specs") != std::string_view::npos
                            ? (reads ? "specs:read" : "specs:write")
                        : name.find(" /v1/switches") != std::string_view::npos
                            ? (reads ? "switches:read" : "switches:write")
                        : name == "GET /v1/audit" ? "audit:read"
                                                  : "";
    EXPECT_EQ(wanted, permission_of(route)) << name;
  }
}

TEST(Target, DecodesStrictly) {
  EXPECT_EQ("2", Target::parse("http://h/x?a=2&b=1")->query("a"));
  EXPECT_EQ(400u, status_of(Target::parse("/x?a=%ff").error()));
  EXPECT_FALSE(Target::parse("x"));
}

TEST(Target, NamesAParameterThatIsUnknownOrGivenTwice) {
  const auto mistake = [](std::string_view target) {
    const auto only = Target::parse(target)->only({"a", "b"});
    return only ? std::string() : only.error().errors.at(0).text();
  };
  EXPECT_EQ("", mistake("/x?a=1&b=1"));
  EXPECT_EQ("?c: no such parameter", mistake("/x?a=1&c=1"));
  EXPECT_EQ("?a: given twice", mistake("/x?a=1&b=1&%61=2"));
}

TEST(EventIdText, IsCanonical) {
  EXPECT_EQ("17-5", parse_event_id("17-5")->text());
  EXPECT_EQ(EventId{}, *parse_event_id("0"));
  for (const auto* bad : {"", "17", "17-", "-5", "017-5", "17-05", "17--5", "17-5 ", "a-b",
                          "17-99999999999999999999"}) {
    EXPECT_FALSE(parse_event_id(bad)) << bad;
  }
  // A merged start is shown before its completion, and resuming after it reads that again.
  EXPECT_EQ(2u, (EventId{17, 5}.read_up_to().sequence));
  EXPECT_EQ(3u, (EventId{17, 5}.position().sequence));
}

TEST(Prefer, ReadsWait) {
  EXPECT_EQ(std::chrono::seconds(5), preferred_wait("respond-async, wait=5"));
  EXPECT_EQ(kMaxPreferredWait, preferred_wait("wait=99999999999999999999"));
  for (const auto* none : {"", "wait", "wait=0", "wait=-1", "wait=x", "waits=3"}) {
    EXPECT_FALSE(preferred_wait(none)) << none;
  }
}

TEST(CallerOf, BelievesTheHeaderOfATrustedPeerOnly) {
  EXPECT_EQ("anonymous", resolve_caller(std::nullopt, UserHeader::kForwarded)->user_id);
  EXPECT_EQ("ann", resolve_caller("ann", UserHeader::kTrusted)->user_id);
  EXPECT_EQ(400u, status_of(resolve_caller("", UserHeader::kTrusted).error()));
  for (const auto header : {UserHeader::kUntrusted, UserHeader::kForwarded}) {
    const auto refused = resolve_caller("ann", header);
    ASSERT_FALSE(refused);
    EXPECT_EQ(400u, status_of(refused.error()));
    EXPECT_NE(refused.error().error.message.find("--trust-user-header"), std::string::npos);
  }
}

TEST(CallRequest, KeepsArgumentsByteForByte) {
  const std::string arguments = R"({ "a" : "\u0000", "n":1.0e2 })";
  const std::string text = R"({"tool":"t","arguments":)" + arguments + "}";
  const auto call = calls::parse_call(*parse_any_body(text), 1000);
  ASSERT_TRUE(call);
  EXPECT_EQ(arguments, call->arguments_text);
  EXPECT_EQ(413u, status_of(calls::parse_call(*parse_any_body(text), 5).error()));
}

TEST(RequestBody, OfARequestWithoutCallsIsSmall) {
  const auto padded = [](std::size_t size) { return "{" + std::string(size - 2, ' ') + "}"; };
  EXPECT_TRUE(parse_body(padded(65'536)));
  const auto refused = parse_body(padded(65'537));
  ASSERT_FALSE(refused);
  EXPECT_EQ(status_of(refused.error()), 413U);
  EXPECT_EQ(refused.error().error.message,
            "the body has 65537 bytes; the limit of a request without calls is 65536");
  // Nothing that is allowed is kept out by it: each byte may be written as six.
  Json largest{{"session_id", std::string(128, 's')}, {"namespaces", Json::array()}};
  for (int i = 0; i < 32; ++i) largest["namespaces"].push_back(std::string(64, 'n'));
  EXPECT_LT(6 * to_text(largest).size() + 16 * 1024, kMaxPlainBody);
  EXPECT_TRUE(parse_any_body(padded(1'000'000)));
}

TEST(ProblemBody, IsUtf8WhateverTheClientSent) {
  const auto call = parse_any_body("{\"tool\":\"\xff\"}");
  ASSERT_FALSE(call);
  EXPECT_TRUE(parse_json(problem_json(call.error(), "r")));
}

TEST(EventText, ShowsAMergedStartBeforeItsCompletion) {
  v1::CallEvent event;
  event.set_seq(2);
  event.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  event.mutable_completed()->set_merged_start(true);
  const auto shown = show_event(event, {17, 3});
  ASSERT_EQ(2u, shown.size());
  EXPECT_EQ("started", shown[0].type);
  EXPECT_EQ("17-5", shown[0].id.text());
  EXPECT_EQ("17-6", shown[1].id.text());
  EXPECT_EQ(1, parse_json(shown[0].json)->at("seq"));
}

}  // namespace
}  // namespace toolway::gateway::wire
