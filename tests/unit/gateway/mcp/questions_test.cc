#include "gateway/mcp/questions.h"

#include <gtest/gtest.h>

namespace toolway::gateway::mcp {
namespace {

const SealKeys kKeys = *SealKeys::parse(SealKeys::new_line("first"));
const WallTime kNow = from_unix_us(1'700'000'000'000'000);

wire::Caller caller(std::string user) {
  wire::Caller made;
  made.tenant_id = "t";
  made.user_id = std::move(user);
  return made;
}

TEST(Questions, ACapabilityIsWhatWasDeclared) {
  EXPECT_TRUE(askable_of({{"elicitation", Json::object()}}).form());
  EXPECT_FALSE(askable_of({{"elicitation", Json::object()}}).url());
  const auto url =
      askable_of({{"elicitation", {{"url", Json::object()}}}, {"roots", Json::object()}});
  EXPECT_TRUE(url.url());
  EXPECT_FALSE(url.form());
  EXPECT_TRUE(url.roots());
  EXPECT_FALSE(url.sampling());
  for (const Json& none : {Json(), Json::object(), Json::array(), Json{{"elicitation", 5}}})
    EXPECT_FALSE(askable_of(none).form()) << none;
  EXPECT_EQ(askable_json(askable_from(askable_json(url))), askable_json(url));
}

TEST(Questions, AStateIsForItsCallerAndOneBitOffIsNone) {
  const RequestState state{
      .call_id = "c", .session_key = "s", .digest = "d", .after = {.incarnation = 3, .number = 8}};
  const auto sealed = seal_state(kKeys, caller("ann"), state, kNow);
  const auto opened = open_state(kKeys, caller("ann"), sealed, kNow);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->call_id, "c");
  EXPECT_EQ(opened->after, state.after);
  EXPECT_FALSE(open_state(kKeys, caller("bea"), sealed, kNow));
  EXPECT_FALSE(open_state(kKeys, caller("ann"), sealed, kNow + std::chrono::hours(24 * 8)));
  EXPECT_FALSE(open_state(kKeys, caller("ann"), sealed + "x", kNow));
  for (std::size_t i = 0; i < sealed.size(); i += 7) {
    auto bent = sealed;
    bent[i] = bent[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(bent != sealed && open_state(kKeys, caller("ann"), bent, kNow)) << i;
  }
  // One purpose does not open what was sealed for another.
  EXPECT_FALSE(open_question(kKeys, caller("ann"), sealed, kNow));
  const auto asked = seal_question(kKeys, caller("ann"), {"c", "k", "roots/list"}, kNow);
  ASSERT_TRUE(open_question(kKeys, caller("ann"), asked, kNow));
  EXPECT_FALSE(open_question(kKeys, caller("bea"), asked, kNow));
  EXPECT_FALSE(open_state(kKeys, caller("ann"), asked, kNow));
}

TEST(Questions, AreShownByTheirKeys) {
  const Json questions = {{{"key", "a"}, {"method", "roots/list"}, {"params", Json::object()}},
                          {{"key", "b"}, {"method", "roots/list"}, {"params", Json::object()}}};
  EXPECT_EQ(input_requests(questions).size(), 2U);
  const auto one = input_requests(questions, {"b"});
  EXPECT_EQ(one, Json({{"b", {{"method", "roots/list"}, {"params", Json::object()}}}}));
  const auto result = input_required(one, "state");
  EXPECT_EQ(result["resultType"], "input_required");
  EXPECT_EQ(result["requestState"], "state");
  EXPECT_EQ(declined("elicitation/create", "no"), Json({{"action", "cancel"}}));
  EXPECT_EQ(declined("roots/list", "no"), Json({{"error", {{"message", "no"}}}}));
}

}  // namespace
}  // namespace toolway::gateway::mcp
