#include "cli/terminal/short_ids.h"

#include <gtest/gtest.h>

namespace toolway::cli::terminal {
namespace {

using Ids = std::vector<std::string>;

TEST(ShortIds, AreTheEndsBecauseCallsOfOneMinuteBeginAlike) {
  EXPECT_EQ(
      short_ids({"01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac97-774b-bcce-b30209918057"}),
      (Ids{"099a8057", "09918057"}));
}

TEST(ShortIds, AreLongEnoughToTellThemApart) {
  EXPECT_EQ(
      short_ids({"01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac97-774b-bcce-b303099a8057"}),
      (Ids{"2099a8057", "3099a8057"}));
  EXPECT_EQ(
      short_ids({"01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-bcce-b302099a8057"}),
      (Ids{"099a8057", "099a8057"}))
      << "the same id twice";
}

TEST(ShortIds, OfWhatIsShortAreWhole) {
  EXPECT_EQ(short_ids({"abc", "01890a5d-ac96-774b-bcce-b302099a8057"}), (Ids{"abc", "099a8057"}));
  EXPECT_EQ(short_ids({}), Ids{});
}

TEST(ShortIds, MayMeanByEitherEnd) {
  const std::string id = "01890a5d-ac96-774b-bcce-b302099a8057";
  EXPECT_TRUE(may_mean("099a8057", id));
  EXPECT_TRUE(may_mean("099A8057", id));
  EXPECT_TRUE(may_mean("01890a5d-ac", id));
  EXPECT_TRUE(may_mean(id, id));
  EXPECT_FALSE(may_mean("99a8057", id)) << "shorter than eight";
  EXPECT_FALSE(may_mean("099a8058", id));
  EXPECT_FALSE(may_mean(id + "0", id));
  EXPECT_TRUE(may_mean("abc", "abc"));
}

}  // namespace
}  // namespace toolway::cli::terminal
