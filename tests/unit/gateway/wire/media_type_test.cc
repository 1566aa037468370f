#include "gateway/wire/media_type.h"

#include <gtest/gtest.h>

namespace toolway::gateway::wire {
namespace {

TEST(ContentType, IsJsonInUtf8) {
  for (const auto* good : {"application/json", "Application/JSON",
                           "application/json; charset=utf-8", "application/json;charset=\"UTF-8\"",
                           "application/json; charset=utf8", "application/json;"}) {
    EXPECT_TRUE(is_json_type(good)) << good;
  }
  for (const auto* bad :
       {"", "text/plain", "application/jsonp", "application/json; charset=utf-16",
        "application/json; charset", "text/plain; application/json", "application/problem+json",
        "application/json, text/plain", "application/json; x=1; charset=latin1"}) {
    EXPECT_FALSE(is_json_type(bad)) << bad;
  }
}

}  // namespace
}  // namespace toolway::gateway::wire
