// Images and documents of results, on their way through the engine.
#include <gtest/gtest.h>

#include "chat/engine/registry_tools.h"
#include "tests/unit/chat/engine/engine_parts.h"
#include "tests/unit/chat/messages.h"
#include "tests/unit/tools/exports/export_specs.h"

namespace toolway::chat::engine {
namespace {

using test::image_block;
using test::pdf;
using test::pdf_block;
using test::png;
using test::returned;
using test::text_block;
using tools::messages::Blocks;

/// A model that sees images.
class SeeingProvider final : public providers::Provider {
 public:
  const std::string& id() const override { return id_; }
  tools::exports::ModelApi api() const override { return tools::exports::ModelApi::kAnthropic; }
  providers::ReplyResult ask(const providers::ModelRequest& request, const providers::OnText&,
                             std::stop_token) override {
    blocks.push_back(request.blocks);
    tokens.push_back(request.tokens);
    messages.push_back(request.messages.size());
    if (too_long && request.blocks == Blocks::kShown)
      return providers::fail_with(providers::ProviderError::Kind::kTooLong, "too long");
    if (request.messages.back()->role == tools::messages::Role::kResults)
      return test::says("Seen.");
    return test::calls({{"a", "t", "{}"}});
  }
  std::vector<Blocks> blocks;
  std::vector<std::uint64_t> tokens;
  std::vector<std::size_t> messages;
  bool too_long = false;

 private:
  const std::string id_ = "anthropic";
};

/// Tools that return the same each time.
class ReturningTools final : public ToolBox {
 public:
  explicit ReturningTools(std::vector<test::ContentBlock> content) : content_(std::move(content)) {}
  Result<window::ToolListPtr> definitions(tools::exports::ModelApi api,
                                          std::stop_token /*stop*/) override {
    return window::tool_list(OrderedJson::array(), api);
  }
  std::string shown_name(const std::string& name) override { return name; }
  Result<std::vector<tools::messages::CallResult>> run(
      const std::vector<tools::messages::Call>& calls, const std::string&,
      std::stop_token) override {
    std::vector<tools::messages::CallResult> made;
    for (const auto& call : calls) made.push_back(returned(call.id, content_));
    return made;
  }
  Result<std::vector<EndedCall>> ended(const std::vector<std::string>&) override {
    return std::vector<EndedCall>();
  }
  bool remembers() const override { return false; }

 private:
  const std::vector<test::ContentBlock> content_;
};

struct Seeing {
  std::shared_ptr<Memory> memory = make_memory();
  std::shared_ptr<SeeingProvider> provider = std::make_shared<SeeingProvider>();
  toolway::test::StoppedClock clock;
  std::unique_ptr<ToolAwareChatEngine> engine;
  explicit Seeing(std::vector<test::ContentBlock> content, EngineConfig config = {}) {
    engine = *ToolAwareChatEngine::create(memory, provider,
                                          std::make_shared<ReturningTools>(std::move(content)),
                                          std::move(config), clock);
  }
  const tools::messages::CallResult& result() const {
    return memory->history().messages()[2].results[0];
  }
};

TEST(EngineBlocks, AreStoredAndSent) {
  Seeing seeing({text_block("Here:"), image_block(png(900, 900)), pdf_block(pdf(1))});
  const auto reply = seeing.engine->send("look");
  ASSERT_TRUE(reply.ok()) << reply.text;
  EXPECT_EQ(seeing.result().blocks.size(), 2u);
  EXPECT_EQ(seeing.provider->blocks, (std::vector{Blocks::kShown, Blocks::kShown}));
  EXPECT_GT(seeing.provider->tokens[1], 1080u + 2300u) << "they are counted";
}

TEST(EngineBlocks, OfALongResultStay) {
  Seeing seeing({text_block(std::string(500, 'x')), image_block(png(9, 9))},
                {.max_result_bytes = 100});
  ASSERT_TRUE(seeing.engine->send("look").ok());
  EXPECT_EQ(seeing.result().text,
            std::string(100, 'x') +
                "\n\n[This is only the beginning: the whole result has 528 bytes.]"
                "\n[image image/png, 29 bytes]");
  EXPECT_EQ(seeing.result().blocks.size(), 1u);
}

TEST(EngineBlocks, TextsThatAreTooLongForTheWindowAreCut) {
  std::string text;
  while (text.size() < 90'000) text += "word ";
  Seeing seeing({text_block(text)}, {.context_window = 8'000});
  const auto reply = seeing.engine->send("look");
  ASSERT_TRUE(reply.ok()) << reply.text;
  EXPECT_GT(seeing.result().text.size(), 5'000u);
  EXPECT_LT(seeing.provider->tokens[1], 7'000u);
}

TEST(EngineBlocks, OfAMessageAreBounded) {
  const auto large = image_block(png(9, 9, tools::messages::kMaxMessageBlockBytes / 2 - 10));
  Seeing seeing({large, large, image_block(png(9, 9))});
  ASSERT_TRUE(seeing.engine->send("look").ok());
  EXPECT_EQ(seeing.result().blocks.size(), 2u);
  EXPECT_TRUE(seeing.result().text.ends_with("too large to show]")) << seeing.result().text;
}

TEST(EngineBlocks, ThatDoNotFitIntoTheWindowAreText) {
  // About 23,000 tokens, and a window that has half of that.
  Seeing seeing({pdf_block(pdf(10))}, {.context_window = 12'000});
  const auto reply = seeing.engine->send("look");
  ASSERT_TRUE(reply.ok()) << reply.text;
  EXPECT_EQ(seeing.provider->blocks, (std::vector{Blocks::kShown, Blocks::kAsText}));
  EXPECT_LT(seeing.provider->tokens[1], 1000u);
}

TEST(EngineBlocks, OlderRoundsGoForNewImages) {
  // An image has 1,600 tokens at most likely, and 4,784 at most: of three rounds two fit.
  Seeing seeing({image_block(png(4000, 4000))}, {.context_window = 11'200});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(seeing.engine->send("look").ok());
  EXPECT_EQ(seeing.provider->blocks, std::vector(6, Blocks::kShown));
  EXPECT_LT(seeing.provider->messages.back(), 11u) << "not all rounds";
}

TEST(EngineBlocks, AreTextWhenTheProviderSaysItIsTooLong) {
  Seeing seeing({image_block(png(9, 9))});
  seeing.provider->too_long = true;
  const auto reply = seeing.engine->send("look");
  ASSERT_TRUE(reply.ok()) << reply.text;
  EXPECT_EQ(seeing.provider->blocks.back(), Blocks::kAsText);
}

TEST(EngineBlocks, OfToolsOfThisProcess) {
  auto registry = std::make_shared<tools::model::Registry>();
  ASSERT_TRUE(
      registry->add(toolway::test::any_tool({.name = "picture", .ns = "x"},
                                            [](const Json&, tools::model::ToolContext& context,
                                               tools::model::Progress&) -> tools::model::Execution {
                                              context.add_content(text_block("Here:"));
                                              context.add_content(image_block(png(2, 3)));
                                              return Json{{"pictures", 1}};
                                            })));
  const auto tools = make_registry_tools(registry);
  const auto results = tools->run({{"a", "picture", "{}"}}, "", {});
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 1u);
  EXPECT_EQ(results->front().text, "Here:\n[image image/png, 29 bytes]");
  ASSERT_EQ(results->front().blocks.size(), 1u);
}

}  // namespace
}  // namespace toolway::chat::engine
