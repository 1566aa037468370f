// What Python tools show beside their JSON.
#include "tests/unit/tools/executors/python/python_fixture.h"

namespace toolway::tools::executors::python {
namespace {

/// A call of which the content blocks are kept.
class Shown final : public model::ToolContext {
 public:
  const std::string& session_id() const override { return local_.session; }
  const std::string& user_id() const override { return local_.user; }
  const std::string& call_id() const override { return local_.call; }
  unsigned attempt() const override { return 1; }
  const model::Limits& limits() const override { return local_.call_limits; }
  const std::string& idempotency_key() const override { return local_.call; }
  std::stop_token cancellation() const override { return local_.cancellation(); }
  std::optional<std::string> secret(std::string_view) const override { return {}; }
  void log(model::LogLevel, std::string message) override { logged += message + "\n"; }
  void add_content(model::ContentBlock block) override { blocks.push_back(std::move(block)); }

  std::vector<model::ContentBlock> blocks;
  std::string logged;

 private:
  model::LocalContext local_;
};

class PythonContent : public PythonTest {
 protected:
  model::Execution show(const std::string& function, const Json& arguments, Shown& shown) {
    model::ProgressTo ignored(nullptr);
    return tool(spec(function))->execute(arguments, shown, ignored);
  }
};

TEST_F(PythonContent, IsBlocksInTheirOrder) {
  Shown shown;
  EXPECT_EQ(said(show("shows", Json::object(), shown)), R"({"shown":4})");
  ASSERT_EQ(shown.blocks.size(), 4U);
  EXPECT_EQ(shown.blocks[0].type, "text");
  EXPECT_EQ(shown.blocks[0].text, "a picture:");
  EXPECT_EQ(shown.blocks[1].type, "image");
  EXPECT_EQ(shown.blocks[1].data, std::string("\0\1\2", 3));
  EXPECT_EQ(shown.blocks[1].mime_type, "image/png");
  EXPECT_EQ(shown.blocks[2].uri, "test://a");
  EXPECT_EQ(shown.blocks[2].text, "näme");
  EXPECT_EQ(shown.blocks[3].type, "resource_link");
  EXPECT_EQ(shown.blocks[3].name, "b");
}

TEST_F(PythonContent, SaysWhatABlockLacks) {
  const std::pair<const char*, const char*> cases[] = {
      {"type",
       "invalid_content: a block's type is one of text, image, audio, resource, "
       "resource_link"},
      {"needs", "invalid_content: a block of type image needs data"},
      {"text", "invalid_content: text of a block is a string"},
      {"data", "invalid_content: data of a block is bytes"},
      {"large", "content_too_large: a call's content has at most 1000 blocks and 524288 bytes"},
      {"many", "content_too_large: a call's content has at most 1000 blocks and 524288 bytes"}};
  for (const auto& [how, expected] : cases) {
    Shown shown;
    EXPECT_EQ(said(show("shows_wrongly", {{"how", how}}, shown)), expected) << how;
  }
}

TEST_F(PythonContent, IsBoundedWhateverTheProcessSends) {
  for (const char* how : {"list", "base64"}) {
    Shown shown;
    EXPECT_EQ(said(show("shows_past_the_host", {{"how", how}}, shown)), R"("done")");
    EXPECT_TRUE(shown.blocks.empty()) << how;
    EXPECT_EQ(shown.logged, "a content block cannot be sent\n") << how;
  }
  Shown shown;
  EXPECT_EQ(said(show("shows_past_the_host", {{"how", "many"}}, shown)), R"("done")");
  EXPECT_EQ(shown.blocks.size(), 1000U);
}

}  // namespace
}  // namespace toolway::tools::executors::python
