#include "cli/client/find_call.h"

#include <gtest/gtest.h>

#include "cli/terminal/exit_code.h"
#include "tests/support/scripted_server.h"

namespace toolway::cli::client {
namespace {

using test::ScriptedServer;

constexpr const char* kOne = "01890a5d-ac96-774b-bcce-b302099a8057";
constexpr const char* kTwo = "01890a5d-ac97-774b-bcce-b303099a8057";

/// A gateway whose user has two calls that end alike. It has the list of all calls, or not yet.
class FindCall : public testing::Test {
 protected:
  FoundCall find(const std::string& given) {
    testing::internal::CaptureStderr();
    auto found = find_call({.http = {.url = server_.url("")}}, given);
    said_ = testing::internal::GetCapturedStderr();
    return found;
  }
  bool answer(test::ScriptedConnection& to, const std::string& request) const {
    const auto calls = std::string(R"({"calls":[{"call_id":")") + kOne +
                       R"(","namespace":"a","tool":"x"},{"call_id":")" + kTwo +
                       R"(","namespace":"a","tool":"y"}]})";
    if (request.starts_with("GET /v1/calls?"))
      return to.send(all_calls_ ? ScriptedServer::ok(calls)
                                : ScriptedServer::status(404, "", R"({"code":"not_found"})"));
    if (request.starts_with("GET /v1/sessions?"))
      return to.send(ScriptedServer::ok(R"({"sessions":[{"session_id":"s"}]})"));
    return to.send(ScriptedServer::ok(calls));
  }
  std::atomic<bool> all_calls_ = true;
  std::string said_;
  ScriptedServer server_{[this](test::ScriptedConnection& to, const std::string& request) {
    return answer(to, request);
  }};
};

TEST_F(FindCall, TakesAWholeIdWithoutAsking) {
  EXPECT_EQ(find(kOne).id, kOne);
  EXPECT_EQ(server_.requests().size(), 0U);
}

TEST_F(FindCall, FindsByTheEndOrTheBeginning) {
  EXPECT_EQ(find("2099a8057").id, kOne);
  EXPECT_EQ(find("01890a5d-ac97").id, kTwo);
  all_calls_ = false;
  EXPECT_EQ(find("3099a8057").id, kTwo) << "by way of the sessions";
}

TEST_F(FindCall, ListsTheCandidatesOfAnAmbiguousId) {
  const auto found = find("099a8057");
  EXPECT_EQ(found.id, "");
  EXPECT_EQ(found.status, terminal::kExitRefused);
  EXPECT_EQ(said_.find("error: '099a8057' may mean 2 calls\n"), 0U) << said_;
  EXPECT_NE(said_.find(kOne), std::string::npos) << said_;
  EXPECT_NE(said_.find(kTwo), std::string::npos) << said_;
}

TEST_F(FindCall, RefusesWhatIsUnknownOrTooShort) {
  EXPECT_EQ(find("ffffffff").status, terminal::kExitRefused);
  EXPECT_EQ(said_.find("error: no recent call has an id that ends or begins with 'ffffffff'\n"), 0U)
      << said_;
  EXPECT_EQ(find("8057").status, terminal::kExitRefused);
  EXPECT_NE(said_.find("too short"), std::string::npos) << said_;
}

}  // namespace
}  // namespace toolway::cli::client
