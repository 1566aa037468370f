#include "chat/providers/surrogates.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chat/providers/dialect.h"

namespace toolway::chat::providers {
namespace {

/// A stream whose text and arguments are these pieces, as JSON escapes them.
std::string stream_in_pieces(const std::string& name, const std::vector<std::string>& pieces) {
  std::string stream;
  const auto event = [&stream](const std::string& data) { stream += "data: " + data + "\n\n"; };
  if (name == "anthropic") {
    event(R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})");
    event(R"({"type":"content_block_start","index":1,"content_block":)"
          R"({"type":"tool_use","id":"a","name":"t","input":{}}})");
  }
  std::string all;
  for (const auto& piece : pieces) {
    all += piece;
    if (name == "anthropic") {
      event(R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
            piece + "\"}}");
      event(R"({"type":"content_block_delta","index":1,"delta":)"
            R"({"type":"input_json_delta","partial_json":")" +
            piece + "\"}}");
    } else if (name == "openai") {
      event(R"({"choices":[{"delta":{"content":")" + piece +
            R"(","tool_calls":[{"index":0,"id":"a","function":{"name":"t","arguments":")" + piece +
            "\"}}]}}]}");
    } else {
      event(R"({"type":"response.output_text.delta","delta":")" + piece + "\"}");
    }
  }
  if (name == "anthropic") event(R"({"type":"message_stop"})");
  if (name == "openai") event("[DONE]");
  if (name == "openai-responses")
    event(R"({"type":"response.completed","response":{"object":"response","output":[)"
          R"({"type":"message","content":[{"type":"output_text","text":")" +
          all + R"("}]},{"type":"function_call","call_id":"a","name":"t","arguments":")" + all +
          "\"}]}}");
  return stream;
}

// Some servers cut a text between the two escapes of an emoji.
TEST(Surrogates, HalvesOfACharacterInTwoEventsAreACharacter) {
  struct Case {
    std::vector<std::string> pieces;
    std::string_view text;
  };
  for (const auto& [pieces, text] :
       {Case{{R"(a\ud83d)", R"(\ude00b)"}, "a😀b"},
        Case{{R"(\uD83D)", "", R"(\uDE00\ud83d)", R"(\ude00)"}, "😀😀"},
        Case{{R"(a\ud83d)", "b"},
             "a\xEF\xBF\xBD"
             "b"},
        Case{{R"(\ude00\ud83d)"}, "\xEF\xBF\xBD\xEF\xBF\xBD"},
        Case{{R"(\\ud83d)", R"(\\ude00)"}, R"(\ud83d\ude00)"},
        Case{{"\xF4\x8F\xA0\xBD", R"(\ud83d\ude00\udbfe\udc3d)"},
             "\xF4\x8F\xA0\xBD😀\xF4\x8F\xA0\xBD"}})
    for (const auto* name : {"openai", "openai-responses", "anthropic"}) {
      std::string shown;
      const auto reader =
          make_dialect(name)->reader("p", [&](std::string_view piece) { shown += piece; });
      tools::http::SseReader events([&](const auto& event) { reader->take(event); });
      ASSERT_TRUE(events.feed(stream_in_pieces(name, pieces)));
      const auto reply = reader->finish();
      ASSERT_TRUE(reply) << name << ": " << reply.error().message;
      EXPECT_EQ(shown, text) << name;
      EXPECT_EQ(tools::messages::text_of(*reply), text) << name;
      EXPECT_EQ(tools::messages::calls_of(*reply).at(0).arguments, text) << name;
    }
}

TEST(Surrogates, WhatIsToldIsWholeCharacters) {
  std::vector<std::string> told;
  WholeCharacters characters([&](std::string_view piece) { told.emplace_back(piece); });
  for (const auto* piece : {R"("a\ud83d")", R"("")", R"("\ude00")", R"("\ud83d")"})
    characters.add(parse_with_halves(piece, 1)->get<std::string>());
  EXPECT_EQ(told, (std::vector<std::string>{"a", "😀"}));
  characters.end();
  characters.end();
  EXPECT_EQ(told.size(), 3u);
  EXPECT_EQ(told.back(), "\xEF\xBF\xBD");
}

TEST(Surrogates, OfWholeAnswersAndErrorsBecomeReplacements) {
  auto value = *parse_with_halves(R"({"a":["x\ud83d",{"b":"\ude00"}]})", 4);
  mend_halves(value);
  EXPECT_EQ(to_text(value), "{\"a\":[\"x\xEF\xBF\xBD\",{\"b\":\"\xEF\xBF\xBD\"}]}");
  EXPECT_FALSE(parse_with_halves("\"\xED\xA0\xBD\"", 1)) << "is not UTF-8";
  EXPECT_FALSE(parse_with_halves(R"("\ud83)", 1));
  EXPECT_FALSE(parse_with_halves(R"("\ud83d)", 1));
}

}  // namespace
}  // namespace toolway::chat::providers
