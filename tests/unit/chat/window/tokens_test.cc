#include "chat/window/tokens.h"

#include <gtest/gtest.h>

#include <random>

#include "base/utf8.h"
#include "chat/window/pieces.h"
#include "tests/unit/chat/messages.h"

namespace toolway::chat::window {
namespace {

using tools::exports::ModelApi;
using tools::messages::Message;

double likely(std::string_view text) { return sum(tokens_of(text).likely); }

/// Any bytes, or bytes that are UTF-8.
std::string any_text(std::mt19937& random, std::string_view of) {
  std::string text;
  for (auto size = random() % 200; text.size() < size;) {
    const auto at = random() % of.size();
    text += of.substr(at, 1 + random() % 8);
  }
  return text;
}

TEST(Tokens, PiecesCoverAnyBytes) {
  std::mt19937 random(3);
  std::string bytes(256, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
  bytes += "aB3 \n\n  {}\": é漢ก😀";
  for (int round = 0; round < 2000; ++round) {
    const auto text = any_text(random, bytes);
    std::size_t end = 0;
    for (Pieces pieces(text); pieces.next(); end = pieces.end()) {
      ASSERT_GT(pieces.end(), end);
      const auto& piece = pieces.piece();
      EXPECT_LE(piece.least, piece.most);
      EXPECT_LE(piece.most, static_cast<double>(pieces.end() - end)) << "no byte has two tokens";
    }
    EXPECT_EQ(end, text.size());
  }
}

// Counted with o200k_base; tests/tokens counts much more.
TEST(Tokens, AreLikelyAsModelsCount) {
  EXPECT_NEAR(likely("What files are in the current directory?"), 8, 1);
  EXPECT_NEAR(likely("getTokenizerOptions(model_name)"), 7, 2);
  EXPECT_NEAR(likely("5d41402abc4b2a76b9719d911017c592"), 20, 4);
  EXPECT_NEAR(likely("1234567890"), 4, 1);
  EXPECT_NEAR(likely("请检查结果是否正确"), 6, 2);
}

TEST(Tokens, AreOfTheKindThatTheTextIs) {
  const auto of = [](std::string_view text, Kind kind) {
    return tokens_of(text).likely[static_cast<std::size_t>(kind)];
  };
  EXPECT_GT(of("word", Kind::kWord), 0);
  EXPECT_GT(of("a8Xk3pQ9", Kind::kMachine), 0);
  EXPECT_EQ(of("a8Xk3pQ9", Kind::kWord), 0);
  EXPECT_GT(of("привет", Kind::kCyrillic), 0);
  EXPECT_GT(of("ไทย", Kind::kThai), 0);
  EXPECT_GT(of("😀", Kind::kOther), 0);
}

TEST(Tokens, APrefixIsTheLongestThatFits) {
  std::mt19937 random(4);
  for (int round = 0; round < 1000; ++round) {
    const auto text = any_text(random, "some words 12 漢字 กขค {\"a\": 1}\n\n");
    if (!valid_utf8(text)) continue;
    const double most = random() % 60;
    const auto kept = prefix_within(text, most);
    EXPECT_TRUE(text.starts_with(kept));
    EXPECT_TRUE(valid_utf8(kept));
    EXPECT_LE(tokens_of(kept).most, most) << text;
    if (kept.size() == text.size()) continue;
    Pieces next(std::string_view(text).substr(kept.size()));
    ASSERT_TRUE(next.next());
    EXPECT_GT(tokens_of(kept).most + next.piece().most, most - 2) << text;
  }
}

TEST(Tokens, APrefixCutsWhatIsLongerThanAnyWord) {
  for (const char* unit : {"x", "0", "aB3", "-"}) {
    std::string text = "word ";
    while (text.size() < 5000) text += unit;
    const auto kept = prefix_within(text, 500);
    EXPECT_LE(tokens_of(kept).most, 500) << unit;
    EXPECT_GE(kept.size(), 490U) << unit;
  }
  EXPECT_EQ(prefix_within(std::string(60, 'x'), 20), "") << "a word is not cut";
}

TEST(Tokens, OfAMessageCountAllThatIsSent) {
  const auto call = test::calls({{"call_1", "filesystem__read", R"({"path": "a/b"})"}});
  EXPECT_GT(tokens_of(call).most,
            tokens_of("call_1 filesystem__read").most + tokens_of(R"({"path": "a/b"})").most);
  const auto result = test::results({{"call_1", "some text"}});
  EXPECT_GT(tokens_of(result).most, tokens_of("call_1 some text").most);
  Message thought{.role = tools::messages::Role::kAssistant};
  thought.parts.push_back(test::opaque("p", {{"type", "thinking"}, {"thinking", "some text"}}));
  EXPECT_GT(tokens_of(thought).most, tokens_of("thinking some text").most);
  // What a provider's own form has besides its text.
  auto own = test::says("some text");
  const auto without = tokens_of(own);
  own.parts = {
      {.text = "some text",
       .native = tools::messages::Native{"p", {{"text", "some text"}, {"id", "msg_68a1f0c2"}}}}};
  EXPECT_GT(tokens_of(own).most, without.most);
}

TEST(Tokens, OfToolsCountTheirSchemas) {
  const OrderedJson tools =
      OrderedJson::array({{{"name", "t"}, {"description", "does something"}}});
  EXPECT_EQ(tokens_of_tools(OrderedJson::array(), ModelApi::kAnthropic).most, 0);
  EXPECT_GT(tokens_of_tools(tools, ModelApi::kOpenAi).most, tokens_of(to_text(tools)).most);
  EXPECT_GT(sum(tokens_of_tools(tools, ModelApi::kAnthropic).likely),
            sum(tokens_of_tools(tools, ModelApi::kOpenAi).likely) + 300);
}

}  // namespace
}  // namespace toolway::chat::window
