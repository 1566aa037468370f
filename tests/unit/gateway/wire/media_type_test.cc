#include "gateway/wire/media_type.h"

#include <gtest/gtest.h>

namespace toolway::gateway::wire {
namespace {

TEST(Accept, NamesATypeInAnyCaseUnlessItsWeightIsZero) {
  constexpr std::string_view kEvents = "text/event-stream";
  for (const auto* yes : {"text/event-stream", "TEXT/Event-Stream", "*/*, text/event-stream;q=0.1",
                          "application/json,text/event-stream ; q=1", "text/event-stream;a=0;q=1"})
    EXPECT_TRUE(names_type(yes, kEvents)) << yes;
  for (const auto* no : {"", "*/*", "text/*", "text/event-streams", "x-text/event-stream",
                         "text/event-stream;q=0, application/json", "text/event-stream; Q = 0.000"})
    EXPECT_FALSE(names_type(no, kEvents)) << no;
  EXPECT_EQ(event_format("text/event-stream;q=0, application/json"), EventFormat::kPage);
}

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
