#include "cli/bench/connections/wire.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

namespace toolway::cli::bench::connections {
namespace {

TEST(Wire, TakesAnAnswerOnlyWhenItIsWhole) {
  const std::string answer = "HTTP/1.1 202 Accepted\r\ncontent-length: 5\r\nX: y\r\n\r\nhello";
  for (std::size_t size = 0; size < answer.size(); ++size)
    EXPECT_EQ(parse_answer(answer.substr(0, size)).size, 0U) << size;
  const auto text = answer + "HTTP/1.1";
  const auto parsed = parse_answer(text);
  EXPECT_EQ(parsed.status, 202);
  EXPECT_EQ(parsed.body, "hello");
  EXPECT_EQ(parsed.size, answer.size());
}

TEST(Wire, FindsFieldsInOrder) {
  const std::string json = R"({"calls":[{"call_id":"a"},{"call_id": "b"}]})";
  std::size_t at = 0;
  EXPECT_EQ(next_text_field(json, "\"call_id\"", at), "a");
  EXPECT_EQ(next_text_field(json, "\"call_id\"", at), "b");
  EXPECT_EQ(next_text_field(json, "\"call_id\"", at), "");
}

TEST(Wire, ReadsChunkedEventsCutAnywhere) {
  const std::string first = "id: 1-5\nevent: started\ndata: {\"call_id\":\"x\"}\n\n: keep\n\n";
  const std::string second = "id: 1-6\nevent: completed\ndata: {}\n\n";
  const auto chunk = [](const std::string& text) {
    char size[16];
    std::snprintf(size, sizeof size, "%zx\r\n", text.size());
    return size + text + "\r\n";
  };
  const auto all = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(first) +
                   chunk(second.substr(0, 9)) + chunk(second.substr(9)) + "0\r\n\r\n";
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    WireEvents events;
    std::vector<std::string> seen;
    const auto note = [&](const WireEvents::Event& event) {
      seen.push_back(std::string(event.type) + std::string(event.data));
    };
    ASSERT_TRUE(events.feed(all.substr(0, cut), note)) << cut;
    ASSERT_TRUE(events.feed(all.substr(cut), note)) << cut;
    EXPECT_EQ(seen, (std::vector<std::string>{"started{\"call_id\":\"x\"}", "completed{}"})) << cut;
    EXPECT_EQ(events.last_id(), "1-6");
    EXPECT_TRUE(events.ended());
  }
}

TEST(Wire, RefusesAnAnswerThatIsNotAStream) {
  WireEvents events;
  EXPECT_FALSE(
      events.feed("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", [](const auto&) {}));
}

}  // namespace
}  // namespace toolway::cli::bench::connections
