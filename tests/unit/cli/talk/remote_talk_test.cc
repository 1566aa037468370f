#include "cli/talk/remote_talk.h"

#include <gtest/gtest.h>

namespace toolway::cli::talk {
namespace {

TEST(RemoteTalk, ShowsTextAndStatusAndNothingElse) {
  EXPECT_EQ(shown_part({{"type", "text"}, {"text", "Hello"}}).text, "Hello");
  EXPECT_EQ(shown_part({{"type", "status"}, {"text", "Calling tool: a.b"}}).status,
            "Calling tool: a.b");
  for (const OrderedJson& other :
       {OrderedJson{{"type", "usage"}, {"input", 5}}, OrderedJson{{"text", "x"}}, OrderedJson(),
        OrderedJson("text"), OrderedJson::array()}) {
    EXPECT_EQ(shown_part(other).text, "") << other;
    EXPECT_EQ(shown_part(other).status, "") << other;
  }
}

}  // namespace
}  // namespace toolway::cli::talk
