#include "chat/providers/base_url.h"

#include <gtest/gtest.h>

namespace toolway::chat::providers {
namespace {

TEST(BaseUrl, ThePathComesBeforeTheQuery) {
  EXPECT_EQ(url_below("http://h/v1", "/chat"), "http://h/v1/chat");
  EXPECT_EQ(url_below("http://h//", "/chat"), "http://h/chat");
  EXPECT_EQ(url_below("http://h/v1/?api-version=1/&k=a?b", "/chat"),
            "http://h/v1/chat?api-version=1/&k=a?b");
  EXPECT_EQ(url_below("http://h?k=v#part", "/chat"), "http://h/chat?k=v");
  EXPECT_EQ(url_below("http://h/v1/#part", ""), "http://h/v1");
}

TEST(BaseUrl, ShowsNoValueOfItsQuery) {
  EXPECT_EQ(shown_url("http://h/v1/"), "http://h/v1");
  EXPECT_EQ(shown_url("http://h/v1?key=secret&version=2&empty="),
            "http://h/v1?key=…&version=…&empty=");
  EXPECT_EQ(shown_url("http://h?secret"), "http://h?…");
}

TEST(BaseUrl, ItsValuesAsTheyAreWrittenAndMeant) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(query_values("http://h/v1"), Values{});
  EXPECT_EQ(query_values("http://h?key=a%2Fb&plain&x=1"), (Values{"a%2Fb", "a/b", "plain", "1"}));
}

}  // namespace
}  // namespace toolway::chat::providers
