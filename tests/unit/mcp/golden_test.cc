// The bytes that a client sends, by revision. After a change that is meant:
// TOOLWAY_WRITE_GOLDEN=1 build/tests/unit_mcp_tests, and read the diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "mcp/client_messages.h"
#include "tests/paths.h"

namespace toolway::mcp {
namespace {

/// The file holds the message as it travels, and a line break.
void expect_golden(Revision revision, const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(TOOLWAY_SOURCE_DIR "/tests/golden/mcp") /
                                     revision_name(revision) / (name + ".json");
  if (std::getenv("TOOLWAY_WRITE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  std::ifstream in(path);
  std::stringstream golden;
  golden << in.rdbuf();
  EXPECT_EQ(text + "\n", golden.str()) << path;
  EXPECT_EQ(text.find('\n'), std::string::npos) << "a line break would end the message over stdio";
}

class GoldenMessages : public testing::TestWithParam<Revision> {
 protected:
  const ClientMessages client{GetParam(), {"toolway", "1.2.3"}};
  const ToolCall call{.name = "get_weather", .arguments = {{"city", "Zürich\n"}, {"days", 2}}};
};

TEST_P(GoldenMessages, Opening) {
  if (rules_of(GetParam()).opening == Opening::kHandshake) {
    expect_golden(GetParam(), "initialize", encode(client.initialize(1)));
    expect_golden(GetParam(), "initialized", encode(client.initialized()));
    expect_golden(GetParam(), "ping", encode(client.ping(2)));
  } else {
    expect_golden(GetParam(), "discover", encode(client.discover(1)));
    expect_golden(GetParam(), "listen", encode(client.listen(2)));
  }
}

TEST_P(GoldenMessages, ListTools) {
  expect_golden(GetParam(), "list_tools", encode(client.list_tools(3)));
  expect_golden(GetParam(), "list_tools_next", encode(client.list_tools(4, "page=2")));
}

TEST_P(GoldenMessages, CallTool) {
  expect_golden(GetParam(), "call_tool", encode(client.call_tool(5, call)));
  expect_golden(GetParam(), "cancelled", encode(client.cancelled(5, "the call was cancelled")));
}

TEST_P(GoldenMessages, AnswersToServers) {
  expect_golden(GetParam(), "pong", encode(answer_to({.id = "s-1", .method = "ping"})));
  expect_golden(GetParam(), "refusal",
                encode(answer_to({.id = std::int64_t{7}, .method = "sampling/createMessage"})));
  expect_golden(GetParam(), "stray",
                encode(answer_to_stray({.id = std::int64_t{8}, .method = "elicitation/create"})));
}

TEST_P(GoldenMessages, DeclaringWhatMayBeAsked) {
  const ClientCapabilities all{.form = true, .url = true, .sampling = true, .roots = true};
  if (rules_of(GetParam()).opening == Opening::kHandshake) {
    const ClientMessages asked(GetParam(), {"toolway", "1.2.3"}, all);
    expect_golden(GetParam(), "initialize_asked", encode(asked.initialize(1)));
    expect_golden(GetParam(), "call_tool", encode(asked.call_tool(5, call)));
  } else {
    auto may_ask = call;
    may_ask.askable = all;
    may_ask.request_state = "opaque==";
    may_ask.input_responses = {{"k", {{"action", "decline"}}}};
    expect_golden(GetParam(), "call_tool_answered", encode(client.call_tool(5, may_ask)));
    expect_golden(GetParam(), "list_tools", encode(client.list_tools(3)));
  }
}

INSTANTIATE_TEST_SUITE_P(AllRevisions, GoldenMessages, testing::ValuesIn(kRevisions),
                         [](const auto& one) {
                           std::string name(revision_name(one.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(GoldenRetry, CarriesTheServersState) {
  const ClientMessages client(Revision::k2026_07_28, {"toolway", "1.2.3"});
  expect_golden(
      Revision::k2026_07_28, "call_tool_again",
      encode(client.call_tool(
          6, {.name = "get_weather", .arguments = Json::object(), .request_state = "opaque=="})));
}

}  // namespace
}  // namespace toolway::mcp
