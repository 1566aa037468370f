#include "tools/exports/model_message.h"

#include <gtest/gtest.h>

namespace toolway::tools::exports {
namespace {

using Calls = tl::expected<std::vector<ModelCall>, schema::Violation>;

Calls parse(const std::string& text, ModelApi api = ModelApi::kOpenAi,
            const ModelMessageBounds& bounds = {}) {
  auto json = parse_json(text);
  EXPECT_TRUE(json) << text;
  return parse_model_message(json ? *json : Json(), api, bounds);
}

/// One line per call: id, tool, arguments or what is wrong.
std::string shown(const Calls& calls) {
  if (!calls) return "error: " + calls.error().place + ": " + calls.error().message;
  std::string out;
  for (const auto& call : *calls) {
    out += call.id + " " + call.tool + " ";
    out += call.wrong ? std::string(code_name(call.wrong->code)) + ": " + call.wrong->message
                      : call.arguments_text;
    out += "\n";
  }
  return out;
}

std::string chat(const std::string& calls) {
  return R"({"role":"assistant","content":null,"tool_calls":)" + calls + "}";
}

TEST(ChatMessage, GivesItsParallelCallsInOrder) {
  const std::string message = chat(
      R"([{"id":"c1","type":"function","function":{"name":"a","arguments":"{ \"n\" : 1.0e2 }"}},)"
      R"({"id":"c2","index":1,"function":{"name":"b","arguments":{"k":"v"}},"extra":true}])");
  const std::string expected = "c1 a { \"n\" : 1.0e2 }\nc2 b {\"k\":\"v\"}\n";
  EXPECT_EQ(shown(parse(message)), expected);
  EXPECT_EQ(shown(parse(R"({"message":)" + message + "}")), expected);
  EXPECT_EQ(
      shown(parse(
          R"({"id":"chatcmpl","choices":[{"index":0,"finish_reason":"tool_calls","message":)" +
          message + "}]}")),
      expected);
  EXPECT_EQ(shown(parse(R"({"message":{"choices":[{"message":)" + message + "}]}}")), expected);
}

TEST(ChatMessage, WithoutCallsGivesNone) {
  for (const char* text : {R"({"role":"assistant","content":"hi"})",
                           R"({"role":"assistant","content":"hi","tool_calls":null})",
                           R"({"content":"hi","tool_calls":[]})",
                           R"({"choices":[{"message":{"role":"assistant","content":"x"}}]})"}) {
    EXPECT_EQ(shown(parse(text)), "") << text;
  }
}

TEST(ChatMessage, TakesArgumentsAsModelsGiveThem) {
  const auto one = [](const std::string& arguments) {
    const auto text = shown(
        parse(chat(R"([{"id":"c","type":"function","function":{"name":"t")" + arguments + "}}]")));
    return text.substr(4);
  };
  for (const char* none : {"", R"(,"arguments":"")", R"(,"arguments":" \n")",
                           R"(,"arguments":null)", R"(,"arguments":{})"}) {
    EXPECT_EQ(one(none), "{}\n") << none;
  }
  EXPECT_TRUE(one(R"(,"arguments":"{\"a\":")")
                  .starts_with("invalid_arguments: the arguments are not JSON: "))
      << one(R"(,"arguments":"{\"a\":")");
  EXPECT_TRUE(one(R"(,"arguments":"{'a':1}")")
                  .starts_with("invalid_arguments: the arguments are not JSON"));
  EXPECT_EQ(one(R"(,"arguments":"[1]")"),
            "invalid_arguments: the arguments must be a JSON object, found array\n");
  EXPECT_EQ(one(R"(,"arguments":7)"),
            "invalid_arguments: the arguments must be a JSON object, found number\n");
  EXPECT_EQ(one(R"(,"arguments":"null")"),
            "invalid_arguments: the arguments must be a JSON object, found null\n");
}

TEST(ChatMessage, ACallThatCannotRunKeepsItsId) {
  EXPECT_EQ(shown(parse(chat(R"([{"id":"c","function":{"arguments":"{}"}}])"))),
            "c  invalid_request: the call names no tool\n");
  EXPECT_EQ(shown(parse(chat(R"([{"id":"c","function":{"name":5}}])"))),
            "c  invalid_request: the call names no tool\n");
  EXPECT_EQ(shown(parse(chat(R"([{"id":"c","type":"function"}])"))),
            "c  invalid_request: only calls of type function are run\n");
  EXPECT_EQ(
      shown(parse(chat(R"([{"id":"c","type":"custom","custom":{"name":"grep","input":"x"}}])"))),
      "c grep invalid_request: only calls of type function are run\n");
  ModelMessageBounds bounds;
  bounds.arguments_bytes = 10;
  EXPECT_EQ(
      shown(parse(chat(R"([{"id":"c","function":{"name":"t","arguments":{"a":"0123456789"}}},)"
                       R"({"id":"d","function":{"name":"t","arguments":"{\"a\":12345}"}}])"),
                  ModelApi::kOpenAi, bounds)),
      "c t payload_too_large: the arguments have 18 bytes; the limit is 10\n"
      "d t payload_too_large: the arguments have 11 bytes; the limit is 10\n");
}

TEST(ChatMessage, WithoutAnIdNothingIsRun) {
  const std::string long_id(256, 'x');
  for (const std::string& id :
       std::vector<std::string>{"", R"("id":"",)", R"("id":null,)", R"("id":7,)", R"("id":"a\nb",)",
                                R"("id":")" + long_id + "\","}) {
    const auto text = shown(parse(
        chat(R"([{"id":"ok","function":{"name":"t"}},{)" + id + R"("function":{"name":"t"}}])")));
    EXPECT_TRUE(text.starts_with("error: /tool_calls/1/id: ")) << id << " " << text;
  }
  EXPECT_EQ(shown(parse(chat("[7]"))), "error: /tool_calls/0: expected an object");
}

TEST(ChatMessage, AnIdThatComesTwiceIsAnsweredOnce) {
  const std::string call = R"({"id":"c","function":{"name":"t","arguments":"{\"a\":1}"}})";
  const std::string spaced = R"({"id":"c","function":{"name":"t","arguments":"{ \"a\": 1 }"}})";
  EXPECT_EQ(shown(parse(chat("[" + call + "," + spaced + "," + call + "]"))), "c t {\"a\":1}\n");
  for (const char* other : {R"({"id":"c","function":{"name":"u","arguments":"{\"a\":1}"}})",
                            R"({"id":"c","function":{"name":"t","arguments":"{\"a\":2}"}})",
                            R"({"id":"c","function":{"name":"t","arguments":"{\"a"}})"}) {
    const auto text =
        shown(parse(chat("[" + call + R"(,{"id":"d","function":{"name":"t"}},)" + other + "]")));
    EXPECT_TRUE(text.starts_with("c t invalid_request: several different calls have this id"))
        << text;
    EXPECT_TRUE(text.ends_with("\nd t {}\n")) << text;
  }
}

TEST(ChatMessage, RunsAHundredCallsAndAnswersTheRest) {
  std::string calls = "[";
  for (int i = 0; i < 1000; ++i) {
    calls += (i > 0 ? "," : "") + std::string(R"({"id":"c)") + std::to_string(i) +
             R"(","function":{"name":"t"}})";
  }
  const auto parsed = parse(chat(calls + "]"));
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->size(), 1000U);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ((*parsed)[i].wrong.has_value(), i >= 100) << i;
  EXPECT_EQ((*parsed)[999].wrong->message,
            "at most 100 calls of one message are run; make this call again");
}

TEST(ModelMessage, WithMoreCallsThanAreAnsweredIsRefusedWhole) {
  const auto message = [](ModelApi api, int count) {
    const bool chat_api = api == ModelApi::kOpenAi;
    const std::string call = chat_api ? R"({"id":"c)"
                             : api == ModelApi::kAnthropic
                                 ? R"({"type":"tool_use","name":"t","id":"c)"
                                 : R"({"type":"custom_tool_call","call_id":"c)";
    std::string list = "[";
    for (int i = 0; i < count; ++i) {
      list += (i > 0 ? "," : "") + call + std::to_string(i) + "\"}";
      if (!chat_api) list += R"(,{"type":"text","text":"x"})";
    }
    list += "]";
    if (api == ModelApi::kOpenAiResponses) return list;
    return (chat_api ? R"({"tool_calls":)" : R"({"content":)") + list + "}";
  };
  const std::pair<ModelApi, std::string> apis[] = {{ModelApi::kOpenAi, "/tool_calls"},
                                                   {ModelApi::kAnthropic, "/content"},
                                                   {ModelApi::kOpenAiResponses, ""}};
  for (const auto& [api, place] : apis) {
    const auto most = parse(message(api, 1000), api);
    ASSERT_TRUE(most) << place;
    EXPECT_EQ(most->size(), 1000U) << place;
    EXPECT_EQ(shown(parse(message(api, 1001), api)),
              "error: " + place +
                  ": the message has 1001 calls; at most 1000 are answered, and 100 of them run");
  }
}

TEST(ChatMessage, RefusesWhatIsNotSuchAMessage) {
  EXPECT_EQ(shown(parse("[]")), "error: : expected an object");
  EXPECT_EQ(shown(parse("7")), "error: : expected an object");
  EXPECT_EQ(shown(parse(R"({"role":"user","content":"hi"})")),
            "error: /role: expected assistant: a model's own message");
  EXPECT_EQ(shown(parse(R"({"tool_calls":{}})")), "error: /tool_calls: expected a list");
  EXPECT_TRUE(shown(parse("{}")).starts_with("error: : neither"));
  EXPECT_TRUE(shown(parse(R"({"choices":[]})")).starts_with("error: : neither"));
  EXPECT_TRUE(shown(parse(R"({"role":"assistant","function_call":{"name":"t","arguments":"{}"}})"))
                  .starts_with("error: /function_call"));
  std::string nested = R"({"content":"x"})";
  for (int i = 0; i < 10; ++i) nested = R"({"message":)" + nested + "}";
  EXPECT_FALSE(parse(nested));
}

TEST(AnthropicMessage, GivesItsToolUseBlocks) {
  const std::string message =
      R"({"id":"msg","type":"message","role":"assistant","stop_reason":"tool_use","content":[{"type":"text","text":"Let me see."},)"
      R"({"type":"tool_use","id":"t1","name":"a","input":{"x":1},"caller":{"type":"direct"}},{"type":"server_tool_use","id":"s","name":"web_search","input":{}},)"
      R"({"type":"tool_use","id":"t2","name":"b"},{"type":"tool_use","id":"t3","name":"b","input":"{\"y\":"}]})";
  const auto text = shown(parse(message, ModelApi::kAnthropic));
  EXPECT_TRUE(text.starts_with(
      "t1 a {\"x\":1}\nt2 b {}\nt3 b invalid_arguments: the arguments are not JSON"))
      << text;
  EXPECT_EQ(shown(parse(R"({"message":)" + message + "}", ModelApi::kAnthropic)), text);
  EXPECT_EQ(shown(parse(R"({"role":"assistant","content":"hi"})", ModelApi::kAnthropic)), "");
  EXPECT_EQ(shown(parse(R"({"role":"assistant","content":[]})", ModelApi::kAnthropic)), "");
  EXPECT_EQ(shown(parse(R"({"role":"assistant","content":7})", ModelApi::kAnthropic)),
            "error: /content: expected a list of blocks");
  EXPECT_TRUE(shown(parse("{}", ModelApi::kAnthropic)).starts_with("error: /content"));
  EXPECT_TRUE(shown(parse(R"({"content":[{"type":"text"},{"type":"tool_use","name":"a"}]})",
                          ModelApi::kAnthropic))
                  .starts_with("error: /content/1/id: "));
}

TEST(ResponsesMessage, GivesItsFunctionCalls) {
  const std::string items =
      R"([{"type":"reasoning","id":"rs"},{"type":"function_call","id":"fc","call_id":"c1","name":"a","arguments":"{\"x\":1}","status":"completed"},)"
      R"({"type":"message","content":[]},{"type":"custom_tool_call","call_id":"c2","name":"b","input":"free"}])";
  const std::string expected =
      "c1 a {\"x\":1}\nc2 b invalid_request: only calls of type function are run\n";
  for (const std::string& text :
       {items, R"({"output":)" + items + "}", R"({"message":)" + items + "}",
        R"({"message":{"output":)" + items + "}}"}) {
    EXPECT_EQ(shown(parse(text, ModelApi::kOpenAiResponses)), expected);
  }
  EXPECT_EQ(shown(parse(R"({"type":"function_call","call_id":"c1","name":"a"})",
                        ModelApi::kOpenAiResponses)),
            "c1 a {}\n");
  EXPECT_EQ(shown(parse(R"({"output":[]})", ModelApi::kOpenAiResponses)), "");
  EXPECT_TRUE(
      shown(parse(R"([{"type":"function_call","id":"fc","name":"a"}])", ModelApi::kOpenAiResponses))
          .starts_with("error: /0/call_id"));
  EXPECT_TRUE(shown(parse("{}", ModelApi::kOpenAiResponses)).starts_with("error: /output"));
}

}  // namespace
}  // namespace toolway::tools::exports
