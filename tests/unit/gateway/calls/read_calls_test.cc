#include "gateway/calls/read_calls.h"

#include <gtest/gtest.h>

#include <thread>

#include "bus/in_memory_bus.h"
#include "gateway/calls/check_arguments.h"
#include "gateway/calls/tool_calls.h"
#include "tests/unit/gateway/bus_loop.h"
#include "tools/model/kinds.h"

namespace toolway::gateway::calls {
namespace {

using tools::exports::ModelApi;
using ModelCalls = std::vector<tools::exports::ModelCall>;

class ReadCallsTest : public testing::Test {
 protected:
  static constexpr std::size_t kArguments = 1024 * 1024;

  wire::HttpResult<CallsAsked<CallBody>> read_call(const std::string& body, bool keyed) {
    return read<CallBody>(body, keyed, [this](wire::ParsedBody parsed) {
      thread_ = std::this_thread::get_id();
      return parse_call(std::move(parsed), kArguments);
    });
  }
  wire::HttpResult<CallsAsked<ModelCalls>> read_message(const std::string& body, ModelApi api) {
    return read<ModelCalls>(body, true, [api](wire::ParsedBody parsed) {
      return parse_tool_calls(std::move(parsed), api, kArguments);
    });
  }
  auto check(tools::model::RegisteredToolPtr tool, const CallBody& body) {
    return loop_.run(check_arguments(threads_, std::move(tool), body));
  }
  bool read_on_the_loop() const { return thread_ == std::this_thread::get_id(); }

 private:
  template <typename Calls, typename Parse>
  wire::HttpResult<CallsAsked<Calls>> read(const std::string& body, bool keyed, Parse parse) {
    wire::Request request{.body = body};
    if (keyed) request.idempotency_key = "k";
    const wire::RoutedRequest asked{request, target_, caller_, "s"};
    return loop_.run(read_calls<Calls>(threads_, asked, parse));
  }

  const std::unique_ptr<bus::InMemoryBus> bus_ = bus::make_in_memory_bus();
  BusLoop loop_{*bus_};
  const SystemClock clock_;
  loop::WorkPool threads_{loop_.io_post(), clock_, 1};
  const wire::Target target_ = *wire::Target::parse("/v1/sessions/s/calls");
  const wire::Caller caller_{.user_id = "ann"};
  std::thread::id thread_;
};

TEST_F(ReadCallsTest, TheDigestIsMadeWhereTheBodyIsParsed) {
  for (const std::size_t size : {std::size_t{10}, 2 * loop::WorkPool::kSmall}) {
    const std::string body =
        R"({"tool":"t","arguments":{"text":")" + std::string(size, 'x') + "\"}}";
    const auto keyed = read_call(body, true);
    ASSERT_TRUE(keyed);
    EXPECT_EQ(keyed->payload_sha256, payload_digest("s", Json::parse(body)));
    EXPECT_EQ(read_on_the_loop(), body.size() <= loop::WorkPool::kSmall);
    EXPECT_EQ(read_call(body, false)->payload_sha256, "");
  }
}

TEST_F(ReadCallsTest, AKeyDoesNotChangeWhatABodyMayBe) {
  EXPECT_EQ(read_call("[]", true).error().error.code, ErrorCode::kInvalidRequest);
  EXPECT_EQ(read_call("", true).error().error.code, ErrorCode::kMalformedJson);
  const std::string items = R"([{"type":"function_call","call_id":"c","name":"t"}])";
  const auto listed = read_message(items, ModelApi::kOpenAiResponses);
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->calls.size(), 1U);
  EXPECT_EQ(listed->payload_sha256, payload_digest("s", Json::parse(items)));
  EXPECT_FALSE(read_message(items, ModelApi::kOpenAi));
  EXPECT_FALSE(read_message(items, ModelApi::kAnthropic));
}

/// `[{},{},…]` takes thirty times as much as its text, and a request may wait for long.
TEST_F(ReadCallsTest, HeavyValuesAreNotKept) {
  std::string list = "[{}";
  while (list.size() < 9'000) list += ",{}";
  const std::string heavy = R"({"list":)" + list + "]}";
  const std::string light = R"({"text":")" + std::string(9'000, 'x') + "\"}";
  for (const auto& [arguments, kept] : {std::pair(heavy, false), std::pair(light, true)}) {
    const auto call = read_call(R"({"tool":"t","arguments":)" + arguments + "}", false);
    ASSERT_TRUE(call);
    EXPECT_EQ(!call->calls.arguments.is_null(), kept);
    EXPECT_EQ(call->calls.arguments_text, arguments);
    const auto message = read_message(
        R"({"type":"function_call","call_id":"c","name":"t","arguments":)" + arguments + "}",
        ModelApi::kOpenAiResponses);
    ASSERT_TRUE(message);
    EXPECT_EQ(!message->calls.at(0).arguments.is_null(), kept);
    EXPECT_EQ(message->calls.at(0).arguments_text, arguments);
  }
}

TEST_F(ReadCallsTest, ArgumentsThatAreTextOnlyAreChecked) {
  tools::model::Spec spec{.name = "t"};
  spec.input_schema = {{"type", "object"},
                       {"properties", {{"list", {{"type", "array"}, {"maxItems", 1000}}}}}};
  const auto tool = *tools::model::register_tool(tools::model::declared_tool(std::move(spec)));
  for (const std::size_t items : {999U, 1001U}) {
    std::string list = "{}";
    for (std::size_t i = 1; i < items; ++i) list += ",{}";
    const auto call = read_call(R"({"tool":"t","arguments":{"list":[)" + list + "]}}", false);
    ASSERT_TRUE(call);
    EXPECT_TRUE(call->calls.arguments.is_null());
    const auto checked = check(tool, call->calls);
    ASSERT_TRUE(checked);
    EXPECT_EQ(checked->violations.size(), items > 1000 ? 1U : 0U);
  }
}

TEST_F(ReadCallsTest, WrongArgumentsQuoteNoSecret) {
  tools::model::Spec spec{.name = "t"};
  spec.input_schema = OrderedJson::parse(
      R"({"type": "object", "properties": {"key": {"writeOnly": true, "pattern": "^x$"}}})");
  const auto tool = *tools::model::register_tool(tools::model::declared_tool(std::move(spec)));
  const auto call = read_call(R"({"tool":"t","arguments":{"key":"hush"}})", false);
  ASSERT_TRUE(call);
  const auto checked = check(tool, call->calls);
  ASSERT_TRUE(checked);
  ASSERT_EQ(checked->violations.size(), 1U);
  EXPECT_EQ(checked->violations[0].message.find("hush"), std::string::npos);
}

TEST_F(ReadCallsTest, SecretPlacesOfArgumentsAreFoundWhereTheyAreChecked) {
  tools::model::Spec spec{.name = "t"};
  spec.input_schema = OrderedJson::parse(
      R"({"type": "object", "properties": {"key": {"writeOnly": true}, "text": {"type": "string"}}})");
  const auto tool = *tools::model::register_tool(tools::model::declared_tool(std::move(spec)));
  for (const std::size_t size : {std::size_t{10}, 2 * loop::WorkPool::kSmall}) {
    const auto call = read_call(
        R"({"tool":"t","arguments":{"key":"hush","text":")" + std::string(size, 'x') + "\"}}",
        false);
    ASSERT_TRUE(call);
    const auto checked = check(tool, call->calls);
    ASSERT_TRUE(checked);
    EXPECT_EQ(checked->secret_places, std::vector<std::string>{"/key"}) << size;
  }
}

}  // namespace
}  // namespace toolway::gateway::calls
