#include <gtest/gtest.h>

#include <set>
#include <string>

#include "chat/providers/dialect.h"
#include "chat/providers/model_server.h"
#include "chat/providers/reply_parts.h"
#include "tests/unit/chat/messages.h"
#include "tools/messages/api_writer.h"
#include "tools/messages/shown.h"

namespace toolway::chat::providers {
namespace {

using tools::messages::Finish;
using tools::messages::Message;
using Kind = ProviderError::Kind;
using tools::exports::ModelApi;

constexpr std::string_view kNames[] = {"openai", "openai-responses", "anthropic"};

/// What a reader makes of a stream in these pieces.
ReplyResult read(std::string_view name, const std::vector<std::string_view>& pieces,
                 std::string* text = nullptr) {
  const auto reader = make_dialect(name)->reader("p", [&](std::string_view piece) {
    if (text != nullptr) *text += piece;
  });
  tools::http::SseReader events([&](const auto& event) { reader->take(event); });
  for (const auto piece : pieces)
    if (const auto fed = events.feed(piece); !fed) return fail_with(Kind::kBadReply, "line");
  return reader->finish();
}

Message sample() {
  auto message = test::calls({{"a", "t__x", R"({"k":"v"})"}, {"b", "u", "{}"}});
  message.parts.insert(message.parts.begin(), tools::messages::Part{.text = "So — let me see."});
  message.usage = tools::messages::Usage{7, 9};
  return message;
}

std::string stream_of(std::string_view name, const Message& message) {
  auto writer =
      tools::messages::make_api_writer(make_dialect(name)->api(), {.streams_usage = true});
  const auto text = tools::messages::text_of(message);
  std::string stream = writer->begin();
  for (std::size_t at = 0; at < text.size(); at += 5) stream += writer->text(text.substr(at, 5));
  return stream + writer->end(message);
}

TEST(ReplyReader, ReadsTheSameWhereverItIsCut) {
  for (const auto name : kNames) {
    const auto stream = stream_of(name, sample());
    const auto whole = read(name, {stream});
    ASSERT_TRUE(whole) << name << whole.error().message;
    EXPECT_EQ(whole->usage->input, 7u);
    for (std::size_t at = 0; at < stream.size(); ++at) {
      const std::string_view text = stream;
      const auto again = read(name, {text.substr(0, at), text.substr(at)});
      ASSERT_TRUE(again) << name << at;
      ASSERT_EQ(tools::messages::text_of(*again), tools::messages::text_of(*whole));
      ASSERT_EQ(tools::messages::calls_of(*again)[0].arguments, R"({"k":"v"})");
    }
  }
}

TEST(ReplyReader, AStreamThatEndsAnywhereIsWholeOrAnError) {
  for (const auto name : kNames) {
    const auto stream = stream_of(name, sample());
    unsigned whole = 0;
    for (std::size_t end = 0; end <= stream.size(); ++end) {
      const auto reply = read(name, {std::string_view(stream).substr(0, end)});
      if (!reply) {
        ASSERT_EQ(reply.error().kind, Kind::kBadReply) << name << end;
        continue;
      }
      ++whole;
      ASSERT_EQ(tools::messages::calls_of(*reply).size(), 2u)
          << "no call may be lost or half there";
      ASSERT_EQ(tools::messages::calls_of(*reply)[0].arguments, R"({"k":"v"})");
    }
    EXPECT_GT(whole, 0u);
  }
}

TEST(ReplyReader, GarbledBytes) {
  for (const auto name : kNames) {
    EXPECT_EQ(read(name, {"data: {\"type\":\"\xff\xfe\"}\n\n"}).error().kind, Kind::kBadReply);
    EXPECT_EQ(read(name, {"data: \n\n"}).error().kind, Kind::kBadReply);
    EXPECT_EQ(read(name, {"data: []\n\n"}).error().kind, Kind::kBadReply);
    EXPECT_EQ(read(name, {"data: {\"type\":1,\"choices\":{},\"delta\":[],\"index\":\"x\"}\n\n"})
                  .error()
                  .kind,
              Kind::kBadReply);
    std::string utf16;
    for (const char c : std::string_view("data: {}\n\n")) utf16 += {c, '\0'};
    EXPECT_FALSE(read(name, {utf16}));
  }
}

TEST(ReplyReader, HugeAndManyCalls) {
  for (const auto name : kNames) {
    auto message = test::calls({{"a", "t", "{\"a\":\"" + std::string(10 << 20, 'x') + "\"}"}});
    auto reply = read(name, {stream_of(name, message)});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_GT(tools::messages::calls_of(*reply)[0].arguments.size(), 10u << 20);
    std::string deep;
    for (int i = 0; i < 1000; ++i) deep += "{\"a\":";
    reply = read(name, {stream_of(name, test::calls({{"a", "t", deep}}))});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(tools::messages::calls_of(*reply)[0].arguments, deep);
    std::vector<tools::messages::Call> many(500, {"same", "t", "{}"});
    reply = read(name, {stream_of(name, test::calls(many))});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(tools::messages::calls_of(*reply).size(), 500u);
    many.resize(kMaxReplyCalls + 1, {"same", "t", "{}"});
    EXPECT_EQ(read(name, {stream_of(name, test::calls(many))}).error().kind, Kind::kBadReply);
  }
}

TEST(ReplyReader, ChatServersThatDifferFromOpenAi) {
  const auto chunk = [](std::string_view delta, std::string_view reason = "null") {
    return "data: {\"choices\":[{\"delta\":" + std::string(delta) +
           ",\"finish_reason\":" + std::string(reason) + "}]}\n\n";
  };
  // No index, arguments as an object, the name in each piece, no [DONE].
  auto reply =
      read("openai",
           {chunk(R"({"tool_calls":[{"id":"a","function":{"name":"t","arguments":{"n":1}}}]})") +
            chunk(R"({"tool_calls":[{"id":"b","function":{"name":"u","arguments":"{"}}]})") +
            chunk(R"({"tool_calls":[{"function":{"name":"u","arguments":"}"}}]})") +
            chunk("{}", "\"stop\"")});
  ASSERT_TRUE(reply) << reply.error().message;
  const auto calls = tools::messages::calls_of(*reply);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].arguments, R"({"n":1})");
  EXPECT_EQ(calls[1].tool, "u");
  EXPECT_EQ(calls[1].arguments, "{}");
  EXPECT_EQ(reply->finish, Finish::kCalls);
  // Thinking goes back as it came, in pieces.
  reply = read("openai", {chunk(R"({"reasoning_content":"so "})") +
                          chunk(R"({"reasoning_content":"it is"})") + chunk(R"({"content":"x"})") +
                          "data: [DONE]\n\n"});
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->parts[0].native->value["reasoning_content"], "so it is");
  std::string shown;
  EXPECT_EQ(read("openai", {chunk(R"({"refusal":"no"})", "\"stop\"")}, &shown)->finish,
            Finish::kRefusal);
  EXPECT_EQ(shown, "no");
  EXPECT_EQ(read("openai", {chunk("{}", "\"content_filter\"")})->finish, Finish::kFiltered);
}

TEST(ReplyReader, MessagesWithThinkingAndToolsOfTheirOwn) {
  std::string text;
  const auto reply = read(
      "anthropic",
      {R"(data: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":3,"cache_read_input_tokens":4}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s=="}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"st","name":"web_search","input":{}}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"q\": 1}"}}

data: {"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Found."}}

data: {"type":"content_block_delta","index":2,"delta":{"type":"citations_delta","citation":{"url":"u"}}}

data: {"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":5}}

data: {"type":"message_stop"}

)"},
      &text);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(text, "Found.");
  EXPECT_EQ(reply->finish, Finish::kPaused);
  EXPECT_EQ(reply->usage->input, 7u);
  EXPECT_EQ(reply->usage->output, 5u);
  ASSERT_EQ(reply->parts.size(), 3u);
  EXPECT_EQ(reply->parts[0].native->value["signature"], "s==");
  EXPECT_EQ(reply->parts[1].native->value["input"]["q"], 1);
  EXPECT_EQ(reply->parts[2].native->value["citations"][0]["url"], "u");
  EXPECT_TRUE(tools::messages::is_thinking(reply->parts[0]));
  EXPECT_FALSE(tools::messages::is_thinking(reply->parts[1]));
}

TEST(ReplyReader, AContextWindowThatIsFull) {
  const auto reply = read(
      "anthropic",
      {R"(data: {"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"}}

data: {"type":"message_stop"}

)"});
  EXPECT_EQ(reply.error().kind, Kind::kTooLong);
  std::string text;
  const auto shown = read(
      "anthropic",
      {R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Half a"}}

data: {"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"}}

data: {"type":"message_stop"}

)"},
      &text);
  ASSERT_TRUE(shown) << "once text was shown, nothing is asked for again";
  EXPECT_EQ(shown->finish, Finish::kLength);
  EXPECT_EQ(tools::messages::text_of(*shown), "Half a");
  EXPECT_EQ(text, "Half a");
}

TEST(ReplyReader, ResponsesThatFailedOrAreIncomplete) {
  EXPECT_EQ(
      read("openai-responses",
           {"data: {\"type\":\"response.failed\",\"response\":{\"object\":\"response\",\"error\":"
            "{\"code\":\"server_error\",\"message\":\"x\"}}}\n\n"})
          .error()
          .kind,
      Kind::kUnavailable);
  for (const std::string_view status : {"failed", "cancelled"}) {
    const auto ended = [&](std::string_view members) {
      return read("openai-responses", {"data: {\"type\":\"response." + std::string(status) +
                                       "\",\"response\":{\"object\":\"response\",\"output\":[]" +
                                       std::string(members) + "}}\n\n"});
    };
    EXPECT_EQ(ended(R"(,"error":null)").error().kind, Kind::kUnavailable) << status;
    const auto reader = make_dialect("openai-responses")->reader("p", [](std::string_view) {});
    reader->take_whole({{"object", "response"}, {"status", status}, {"output", Json::array()}});
    const auto whole = reader->finish();
    ASSERT_FALSE(whole) << status;
    EXPECT_NE(whole.error().message.find(status), std::string::npos) << whole.error().message;
  }
  const auto reader = make_dialect("openai-responses")->reader("p", [](std::string_view) {});
  reader->take_whole({{"object", "response"}, {"status", "incomplete"}, {"output", Json::array()}});
  EXPECT_EQ(reader->finish()->finish, Finish::kLength);
  // Some servers leave the output out of the last event.
  const auto reply = read(
      "openai-responses",
      {"data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"reasoning\",\"encrypted_content\":\"e\"}}\n\n"
       "data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"x\"}]}}\n\n"
       "data: {\"type\":\"response.incomplete\",\"response\":{\"object\":\"response\",\"output\":[],"
       "\"incomplete_details\":{\"reason\":\"content_filter\"}}}\n\n"});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->finish, Finish::kFiltered);
  EXPECT_EQ(reply->parts[0].native->value["encrypted_content"], "e");
}

TEST(ReplyParts, OneLineOfWords) {
  EXPECT_EQ(in_one_line("a\nb\x1b[31m"), "a b [31m");
  EXPECT_LT(in_one_line(std::string(10'000, 'x')).size(), 320u);
  EXPECT_EQ(cut_off().kind, Kind::kBadReply);
}

/// The status and body that a request gets.
std::pair<int, std::string> served(std::string_view api, std::string_view request) {
  std::pair<int, std::string> answer;
  class NoModel final : public Provider {
   public:
    const std::string& id() const override { return id_; }
    ModelApi api() const override { return ModelApi::kOpenAi; }
    ReplyResult ask(const ModelRequest&, const OnText&, std::stop_token) override {
      return test::says("Hi.");
    }
    const std::string id_ = "none";
  } model;
  const AnswerSink sink{.head = [&](int status, std::string_view) { answer.first = status; },
                        .body = [&](std::string_view bytes) { answer.second += bytes; }};
  serve_model(*tools::exports::parse_model_api(api), request, model, sink, {});
  return answer;
}

TEST(ServedModel, IsAsStrictAsTheApis) {
  EXPECT_EQ(served("openai", "{").first, 400);
  EXPECT_EQ(served("openai", "{}").first, 400);
  EXPECT_EQ(
      served("anthropic", R"({"model":"m","messages":[]})").second,
      R"({"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: it is missing"}})");
  const auto orphan = served(
      "openai", R"({"model":"m","messages":[{"role":"tool","tool_call_id":"x","content":""}]})");
  EXPECT_EQ(orphan.first, 400);
  EXPECT_NE(orphan.second.find("belongs to no call"), std::string::npos);
  const auto right =
      served("openai", R"({"model":"m","messages":[{"role":"user","content":"x"}]})");
  EXPECT_EQ(right.first, 200);
  EXPECT_NE(right.second.find("\"content\":\"Hi.\""), std::string::npos) << right.second;
  EXPECT_EQ(api_of_path("/v1/else"), std::nullopt);
}

TEST(ServedModel, AStreamHasItsUsageWhereThatIsAskedFor) {
  const auto stream = [](std::string_view more) {
    return served("openai", R"({"model":"m","messages":[{"role":"user","content":"x"}])" +
                                std::string(more) + R"(,"stream":true})")
        .second;
  };
  for (const auto* more : {"", R"(,"stream_options":null)", R"(,"stream_options":{})",
                           R"(,"stream_options":{"include_usage":false})"})
    EXPECT_EQ(stream(more).find("\"choices\":[]"), std::string::npos) << more;
  const auto asked = stream(R"(,"stream_options":{"include_usage":true})");
  EXPECT_NE(asked.find(R"("choices":[],"usage":{"prompt_tokens":)"), std::string::npos) << asked;
}

/// The ids of a reply and of what is in it.
std::set<std::string> ids_of(const OrderedJson& reply) {
  std::set<std::string> ids{reply["id"]};
  for (const auto& item : reply.value("output", OrderedJson::array())) ids.insert(item["id"]);
  return ids;
}

TEST(ServedModel, NoTwoRepliesOfAConversationHaveTheSameId) {
  const std::pair<std::string_view, std::string> apis[] = {
      {"openai", R"({"model":"m","messages":[@]})"},
      {"openai-responses", R"({"model":"m","input":[@]})"},
      {"anthropic", R"({"model":"m","max_tokens":9,"messages":[@]})"}};
  const std::string question = R"({"role":"user","content":"x"})";
  for (const auto& [api, form] : apis) {
    std::set<std::string> ids;
    std::string messages = question;
    for (int turn = 0; turn < 3; ++turn) {
      auto request = form;
      const auto [status, body] = served(api, request.replace(request.find('@'), 1, messages));
      ASSERT_EQ(status, 200) << body;
      for (const auto& id : ids_of(*parse_ordered_json(body)))
        EXPECT_TRUE(ids.insert(id).second) << api << " " << id;
      messages += R"(,{"role":"assistant","content":"Hi."},)" + question;
    }
  }
}

}  // namespace
}  // namespace toolway::chat::providers
