#include <gtest/gtest.h>

#include <vector>

#include "tools/http/ndjson_reader.h"
#include "tools/http/sse_reader.h"

namespace toolway::tools::http {
namespace {

std::vector<std::string> events(const std::vector<std::string>& pieces) {
  std::vector<std::string> seen;
  SseReader reader([&](const SseEvent& event) {
    seen.push_back(event.id + "|" + event.type + "|" + event.data);
  });
  for (const auto& piece : pieces) {
    if (auto fed = reader.feed(piece); !fed) seen.push_back(fed.error().message);
  }
  return seen;
}

TEST(SseReader, ReadsEventsCutAnywhere) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string text;
    for (const char c :
         std::string(": hello\n\nid: 7\nevent: log\ndata: a\ndata: b\n\nid:8\ndata:c\n\nid: 9\nda"))
      text += c == '\n' ? end : std::string(1, c);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      std::vector<std::string> seen;
      SseReader reader(
          [&](const SseEvent& event) { seen.push_back(event.id + event.type + event.data); });
      ASSERT_TRUE(reader.feed(text.substr(0, cut)) && reader.feed(text.substr(cut)));
      EXPECT_EQ(seen, (std::vector<std::string>{"7loga\nb", "8c"})) << cut;
      EXPECT_EQ(reader.last_id(), "8") << "9 is not complete, so it is not seen";
    }
  }
}

TEST(SseReader, ReadsWhatTheStandardSays) {
  using Seen = std::vector<std::string>;
  EXPECT_EQ(events({"\xef\xbb\xbf"
                    "data: a\n\n"}),
            (Seen{"||a"}));
  EXPECT_EQ(events({"data\n\n", "data:\ndata:\n\n"}), (Seen{"||", "||\n"}));
  EXPECT_EQ(events({"data:  two\n\n"}), (Seen{"|| two"}));
  EXPECT_EQ(events({"event: x\n\n"}), (Seen{}));
  EXPECT_EQ(events({"other: x\ndata: a: b\n\n"}), (Seen{"||a: b"}));
  EXPECT_EQ(events({"data: a"}), (Seen{}));
  EXPECT_EQ(events({std::string("id: a\0b\ndata: x\n\n", 17)}), (Seen{"||x"}));
  SseReader reader([](const SseEvent&) {});
  ASSERT_TRUE(reader.feed("retry: 1500\nretry: soon\nretry: -1\n"));
  EXPECT_EQ(reader.retry(), std::chrono::milliseconds(1500));
}

TEST(SseReader, IsBounded) {
  SseReader reader([](const SseEvent&) {}, 100);
  Result<void> fed;
  for (int i = 0; i < 200 && fed; ++i) fed = reader.feed("x");
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().message, "a line has more than 100 bytes");
  SseReader many([](const SseEvent&) {}, 100);
  fed = {};
  for (int i = 0; i < 200 && fed; ++i) fed = many.feed("data: 0123456789\n");
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().message, "an event has more than 100 bytes");
}

TEST(NdjsonReader, ReadsValuesCutAnywhere) {
  const std::string text = "{\"a\": 1}\r\n\n[2]\n\"drei\n\"\n";
  const std::string fine = "{\"a\": 1}\r\n\n[2]\n3";
  for (std::size_t cut = 0; cut <= fine.size(); ++cut) {
    Json seen = Json::array();
    NdjsonReader reader([&](Json value) { seen.push_back(std::move(value)); });
    ASSERT_TRUE(reader.feed(fine.substr(0, cut)) && reader.feed(fine.substr(cut)) &&
                reader.finish());
    EXPECT_EQ(seen.dump(), R"([{"a":1},[2],3])");
  }
  NdjsonReader reader([](Json) {});
  const auto fed = reader.feed(text);
  ASSERT_FALSE(fed);
  EXPECT_TRUE(fed.error().message.starts_with("line 4 is not JSON: ")) << fed.error().message;
}

TEST(NdjsonReader, IsBounded) {
  NdjsonReader reader([](Json) {}, 10);
  EXPECT_TRUE(reader.feed("\"1234567\"\n"));
  const auto fed = reader.feed("\"123456789\"\n");
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().code, ErrorCode::kPayloadTooLarge);
}

}  // namespace
}  // namespace toolway::tools::http
