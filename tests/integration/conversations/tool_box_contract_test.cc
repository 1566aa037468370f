// What every way to tools does: a gateway of a fleet, the bare registry of a process.
#include "chat/engine/registry_tools.h"
#include "cli/talk/gateway_tools.h"
#include "tests/integration/calls/fleet.h"

namespace toolway::chat::engine {
namespace {

using tools::exports::ModelApi;
using tools::messages::CallResult;

enum class Through { kGateway, kRegistry };

class ToolBoxContract : public toolway::test::Fleet, public testing::WithParamInterface<Through> {
 protected:
  void SetUp() override {
    Fleet::SetUp();
    if (HasFatalFailure()) return;
    if (GetParam() == Through::kRegistry) {
      tools_ = make_registry_tools(registry_);
      return;
    }
    start_collector();
    start_worker();
    constexpr unsigned kInlineMs = 5000;
    const auto url = fmt::format("http://127.0.0.1:{}", first_.gateway->port());
    tools_ = cli::talk::make_gateway_tools({.url = url}, "s", kInlineMs, clock_);
  }
  /// The tool's name in the API's list, by what its name ends with.
  std::string api_name(ModelApi api, std::string_view end) {
    const auto list = tools_->definitions(api, {});
    EXPECT_TRUE(list) << list.error().message;
    for (const auto& tool : (*list)->definitions) {
      const auto& of = tool.contains("function") ? tool["function"] : tool;
      const auto name = of["name"].get<std::string>();
      if (name.ends_with(end)) return name;
    }
    return {};
  }

  std::unique_ptr<ToolBox> tools_;
};

INSTANTIATE_TEST_SUITE_P(All, ToolBoxContract,
                         testing::Values(Through::kGateway, Through::kRegistry));

TEST_P(ToolBoxContract, OffersItsToolsToEachApi) {
  for (const auto api : {ModelApi::kOpenAi, ModelApi::kOpenAiResponses, ModelApi::kAnthropic}) {
    const auto name = api_name(api, "counts");
    EXPECT_EQ(name, "sample__counts");
    EXPECT_EQ(tools_->shown_name(name), "sample.counts");
  }
}

TEST_P(ToolBoxContract, AnswersEachCallById) {
  const auto counts = api_name(ModelApi::kOpenAi, "counts");
  const auto throws = api_name(ModelApi::kOpenAi, "throws");
  const std::vector<tools::messages::Call> calls{{"right", counts, "{}"},
                                                 {"broken", counts, R"({"a": )"},
                                                 {"no_object", counts, "7"},
                                                 {"unknown", "sample__nothing", "{}"},
                                                 {"fails", throws, "{}"}};
  const auto results = tools_->run(calls, "one", {});
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), calls.size());
  for (const auto& call : calls) {
    const auto found = std::ranges::find(*results, call.id, &CallResult::call_id);
    ASSERT_NE(found, results->end()) << call.id;
    EXPECT_EQ(found->is_error, call.id != "right") << call.id << ": " << found->text;
    EXPECT_EQ(found->text.starts_with("tool_error: "), found->is_error) << found->text;
    EXPECT_FALSE(found->detached) << call.id;
  }
}

TEST_P(ToolBoxContract, RunsWhatItIsGivenOnce) {
  const auto counts = api_name(ModelApi::kOpenAi, "counts");
  const auto once = tools_->run({{"a", counts, "{}"}, {"b", counts, "{}"}}, "one", {});
  const auto more = tools_->run({{"c", counts, "{}"}}, "two", {});
  ASSERT_TRUE(once && more);
  EXPECT_NE(more->front().text.find('3'), std::string::npos) << more->front().text;
  const auto none = tools_->ended({});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

}  // namespace
}  // namespace toolway::chat::engine
