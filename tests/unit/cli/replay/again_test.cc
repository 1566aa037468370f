#include "cli/replay/again.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_server.h"

namespace toolway::cli::replay {
namespace {

using test::ScriptedServer;

/// A gateway that holds the calls of `a.held` for approval, and has ended all others.
bool hold_some(test::ScriptedConnection& to, const std::string& request) {
  if (request.find("POST /v1/sessions ") == 0) return to.send(ScriptedServer::ok("{}"));
  if (request.find("GET /v1/calls/") == 0)
    return to.send(ScriptedServer::ok(
        R"({"call_id":"other","state":"completed","outcome":"succeeded","result":1})"));
  if (request.find("a.held") != std::string::npos)
    return to.send(
        ScriptedServer::status(202, "", R"({"call_id":"held","status":"awaiting_approval"})"));
  return to.send(ScriptedServer::ok(R"({"call_id":"other","outcome":"succeeded"})"));
}

TEST(MadeAgain, ACallThatWaitsForApprovalHoldsUpNoOther) {
  ScriptedServer server(hold_some);
  const auto recorded = [](const char* tool) {
    return RecordedCall{
        tool, OrderedJson::object(), {.call_id = "r", .outcome = "succeeded", .result = 1}};
  };
  std::vector<std::string> told;
  const auto replayed = make_again(
      {.http = {.url = server.url("")}}, {.calls = {recorded("a.held"), recorded("a.other")}}, "s",
      std::chrono::seconds(5), {},
      [&](std::span<const Pair> made) { told.push_back(made.back().replayed.outcome); });
  EXPECT_EQ(told, (std::vector<std::string>{"awaiting_approval", "succeeded"}));
  ASSERT_EQ(replayed.pairs.size(), 2U);
  EXPECT_EQ(replayed.pairs[0].replayed.call_id, "held");
  EXPECT_EQ(replayed.pairs[0].differences,
            std::vector<std::string>{"outcome: awaiting_approval, recorded succeeded"});
  EXPECT_TRUE(replayed.pairs[1].differences.empty());
  for (const auto& request : server.requests())
    EXPECT_FALSE(request.find("a.held") != std::string::npos &&
                 request.find("Prefer: wait") != std::string::npos)
        << request;
}

}  // namespace
}  // namespace toolway::cli::replay
