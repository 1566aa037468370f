#include "chat/providers/http_provider.h"

#include <gtest/gtest.h>

#include <atomic>

#include "chat/providers/configuration.h"
#include "tests/unit/chat/providers/served.h"

namespace toolway::chat::providers {
namespace {

using Kind = ProviderError::Kind;
using test::ask;
using test::ModelApi;
using test::ScriptedConnection;
using test::ScriptedServer;
using test::user_says;
using namespace std::chrono_literals;

constexpr ModelApi kApis[] = {ModelApi::kOpenAi, ModelApi::kOpenAiResponses, ModelApi::kAnthropic};

std::string error_body(std::string_view message, std::string_view param = "") {
  OrderedJson error = {{"type", "invalid_request_error"}, {"message", message}};
  if (!param.empty()) error["param"] = param;
  return to_text(OrderedJson{{"error", error}});
}

/// Answers the first requests with `answers`, and the others as the script has it.
ScriptedServer::Answer first(std::vector<std::string> answers) {
  auto next = std::make_shared<std::atomic<std::size_t>>(0);
  auto then = test::serving(
      make_scripted_provider(test::script_of("turns: [{replies: [{text: Hello.}]}]")));
  return [=](ScriptedConnection& connection, const std::string& request) {
    const auto i = (*next)++;
    return i < answers.size() ? connection.send(answers[i]) : then(connection, request);
  };
}

/// The answer to each request.
test::Answered answer_to(ModelApi api, const std::string& bytes,
                         tools::http::HttpLimits limits = {}, std::size_t* requests = nullptr) {
  ScriptedServer server([&](ScriptedConnection& connection, const std::string&) {
    // A connection that it does not say it closes is kept: the next try is not a lost one.
    return connection.send(bytes) && bytes.find("Connection: close") == std::string::npos;
  });
  auto provider = test::provider_at(server, api, limits);
  auto answered = ask(*provider, user_says("hi, my secret is plum"));
  if (requests != nullptr) *requests = server.requests().size();
  return answered;
}

TEST(HttpProvider, SaysWhatEachStatusMeans) {
  const struct {
    int status;
    Kind kind;
    std::size_t requests;
  } cases[] = {
      {401, Kind::kUnauthenticated, 1}, {403, Kind::kDenied, 1},     {404, Kind::kUnknownModel, 1},
      {413, Kind::kTooLong, 1},         {400, Kind::kRefused, 1},    {302, Kind::kRefused, 1},
      {429, Kind::kRateLimited, 3},     {529, Kind::kOverloaded, 3}, {500, Kind::kUnavailable, 3}};
  for (const auto& one : cases) {
    std::size_t requests = 0;
    const auto answer = ScriptedServer::status(one.status, "retry-after-ms: 1\r\n",
                                               error_body("about sk-secret-key you sent"));
    const auto [asked, text, retried] = answer_to(ModelApi::kAnthropic, answer, {}, &requests);
    ASSERT_FALSE(asked) << one.status;
    EXPECT_EQ(asked.error().kind, one.kind) << one.status << asked.error().message;
    EXPECT_EQ(requests, one.requests) << one.status;
    EXPECT_EQ(asked.error().message.find("secret"), std::string::npos) << asked.error().message;
    EXPECT_EQ(text, "");
  }
}

TEST(HttpProvider, DoesNotWaitAnHour) {
  std::size_t requests = 0;
  const auto [asked, text, retried] = answer_to(
      ModelApi::kOpenAi, ScriptedServer::status(429, "retry-after: 3600\r\n"), {}, &requests);
  EXPECT_EQ(requests, 1u);
  EXPECT_EQ(asked.error().retry_after, 3600s);
  EXPECT_NE(asked.error().message.find("it asks to wait 3600 s"), std::string::npos)
      << asked.error().message;
}

TEST(HttpProvider, APathComesBeforeTheQueryOfItsUrlWhichNoErrorShows) {
  ScriptedServer server([](ScriptedConnection& connection, const std::string&) {
    return connection.send(
        ScriptedServer::status(400, "", error_body("no deployment for key=query-secret here")));
  });
  auto options = test::options_for(server, ModelApi::kOpenAi);
  options.base_url += "/?key=query-secret";
  static const SystemClock clock;
  const auto provider =
      *make_http_provider(make_openai_dialect(), options, *tools::http::HttpEngine::start(), clock);
  const auto answered = ask(*provider, user_says("hi"));
  ASSERT_FALSE(answered.asked);
  EXPECT_EQ(test::path_of(server.requests().front()), "/v1/chat/completions?key=query-secret");
  EXPECT_EQ(answered.asked.error().message.find("query-secret"), std::string::npos)
      << answered.asked.error().message;
}

TEST(HttpProvider, TriesAgainWhatPasses) {
  for (const auto api : kApis) {
    ScriptedServer server(first({ScriptedServer::status(529, "retry-after-ms: 1\r\n"),
                                 ScriptedServer::status(409, "retry-after: 0\r\n")}));
    auto provider = test::provider_at(server, api);
    const auto answered = ask(*provider, user_says("hi"));
    ASSERT_TRUE(answered.asked) << answered.asked.error().message;
    EXPECT_EQ(answered.text, "Hello.");
    EXPECT_EQ(server.requests().size(), 3u);
    EXPECT_EQ(answered.retried, (std::vector<Kind>{Kind::kOverloaded, Kind::kRefused}));
  }
}

TEST(HttpProvider, LeavesOutOnceWhatTheModelRefuses) {
  for (const auto api : kApis) {
    ScriptedServer server(first({ScriptedServer::status(
        400, "",
        error_body("Unsupported value: 'temperature' does not support 0.5 with this "
                   "model. Only the default (1) value is supported."))}));
    const auto memory = std::make_shared<ProviderMemory>();
    // A turn each.
    ASSERT_TRUE(ask(*test::provider_at(server, api, {}, memory), user_says("hi")).asked);
    ASSERT_TRUE(ask(*test::provider_at(server, api, {}, memory), user_says("hi")).asked);
    EXPECT_TRUE(memory->refused.of("m").contains("temperature"));
    EXPECT_TRUE(memory->refused.of("another").empty());
    const auto requests = server.requests();
    ASSERT_EQ(requests.size(), 3u);
    EXPECT_NE(requests[0].find("\"temperature\":0.5"), std::string::npos);
    EXPECT_EQ(requests[1].find("temperature"), std::string::npos);
    EXPECT_EQ(requests[2].find("temperature"), std::string::npos) << "it is remembered";
  }
}

TEST(HttpProvider, WaitsForItsShareOfAMinuteAndSaysSo) {
  ScriptedServer server(first({}));
  const auto memory = std::make_shared<ProviderMemory>();
  const PaceLimits pace{.requests = 600};
  for (int i = 0; i < 600; ++i) memory->pace.take(pace, 0, SystemClock().monotonic());
  const auto provider = test::provider_at(server, ModelApi::kAnthropic, {}, memory, pace);
  const auto answered = ask(*provider, user_says("hi"));
  ASSERT_TRUE(answered.asked) << answered.asked.error().message;
  EXPECT_EQ(answered.retried, std::vector<Kind>{Kind::kRateLimited});
  std::stop_source stop;
  stop.request_stop();
  for (int i = 0; i < 600; ++i) memory->pace.take(pace, 0, SystemClock().monotonic());
  const auto stopped = ask(*provider, user_says("hi"), {}, stop.get_token());
  ASSERT_FALSE(stopped.asked);
  EXPECT_EQ(stopped.asked.error().kind, Kind::kStopped);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpProvider, TakesTheEstimateOfARequestForItsShare) {
  // Without an estimate, 1,500 are enough for "hi" and a reply of 1,024.
  for (const std::uint64_t estimate : {0U, 900U}) {
    ScriptedServer server(first({}));
    const auto memory = std::make_shared<ProviderMemory>();
    const PaceLimits pace{.tokens = 60'000};
    memory->pace.take(pace, 58'500, SystemClock().monotonic());
    const auto provider = test::provider_at(server, ModelApi::kAnthropic, {}, memory, pace);
    const auto answered = ask(*provider, user_says("hi"), {}, {}, estimate);
    ASSERT_TRUE(answered.asked) << answered.asked.error().message;
    EXPECT_EQ(answered.retried.size(), estimate == 0 ? 0U : 1U);
  }
}

TEST(HttpProvider, KnowsBothNamesOfTheLimitOfTokens) {
  ScriptedServer server(
      first({ScriptedServer::status(
                 400, "",
                 error_body("Unsupported parameter: 'max_completion_tokens'. Use 'max_tokens'.",
                            "max_completion_tokens")),
             ScriptedServer::status(400, "",
                                    error_body("Unrecognized request argument: stream_options"))}));
  auto provider = test::provider_at(server, ModelApi::kOpenAi);
  ASSERT_TRUE(ask(*provider, user_says("hi")).asked);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_NE(requests[2].find("\"max_tokens\":1024"), std::string::npos);
  EXPECT_EQ(requests[2].find("stream_options"), std::string::npos);
}

TEST(HttpProvider, ARefusalOfSomethingElseIsNotTriedAgain) {
  std::size_t requests = 0;
  const auto [asked, text, retried] =
      answer_to(ModelApi::kAnthropic,
                ScriptedServer::status(400, "", error_body("max_tokens: 9 > 4 is not allowed")), {},
                &requests);
  EXPECT_EQ(requests, 1u);
  EXPECT_EQ(asked.error().kind, Kind::kRefused);
}

TEST(HttpProvider, KnowsWhenAConversationIsTooLong) {
  for (const auto* words :
       {"prompt is too long: 9 tokens > 4", "This model's maximum context length is 4"})
    EXPECT_EQ(answer_to(ModelApi::kOpenAi, ScriptedServer::status(400, "", error_body(words)))
                  .asked.error()
                  .kind,
              Kind::kTooLong);
}

TEST(HttpProvider, AWebPageIsNotAReply) {
  for (const auto api : kApis) {
    const auto page =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>";
    const auto [asked, text, retried] = answer_to(api, page);
    EXPECT_EQ(asked.error().kind, Kind::kBadReply);
    EXPECT_NE(asked.error().message.find("a web page"), std::string::npos) << asked.error().message;
  }
  const auto of_type = [](const std::string& header) {
    const auto answer = "HTTP/1.1 200 OK\r\n" + header + "Content-Length: 2\r\n\r\nhi";
    return answer_to(ModelApi::kOpenAi, answer).asked.error().message;
  };
  EXPECT_NE(of_type("").find("bytes without a content type"), std::string::npos) << of_type("");
  const auto plain = of_type("Content-Type: text/plain\r\n");
  EXPECT_NE(plain.find("content of type text/plain"), std::string::npos) << plain;
  const auto [asked, text, retried] = answer_to(
      ModelApi::kOpenAi, ScriptedServer::status(404, "Content-Type: text/html\r\n", "<html>"));
  EXPECT_NE(asked.error().message.find("TOOLWAY_AI_BASE_URL"), std::string::npos);
}

TEST(HttpProvider, AStreamThatStopsOrNeverEnds) {
  const tools::http::HttpLimits limits{.idle = 100ms, .total = 400ms};
  for (const auto api : kApis) {
    const auto serve = [&](bool floods) {
      ScriptedServer server([floods](ScriptedConnection& connection, const std::string&) {
        connection.send(test::stream_head() + ": hello\n\n");
        while (floods && connection.send("event: ping\ndata: {\"type\":\"ping\"}\n\n"))
          std::this_thread::sleep_for(1ms);
        connection.wait_for_close();
        return false;
      });
      auto provider = test::provider_at(server, api, limits);
      return ask(*provider, user_says("hi")).asked.error();
    };
    EXPECT_EQ(serve(false).kind, Kind::kTimedOut) << serve(false).message;
    EXPECT_EQ(serve(true).kind, Kind::kTimedOut) << serve(true).message;
  }
}

TEST(HttpProvider, AnAnswerThatDoesNotBegin) {
  ScriptedServer server([](ScriptedConnection& connection, const std::string&) {
    connection.wait_for_close();
    return false;
  });
  auto provider = test::provider_at(server, ModelApi::kOpenAi, {.first_byte = 100ms});
  EXPECT_EQ(ask(*provider, user_says("hi")).asked.error().kind, Kind::kTimedOut);
}

TEST(HttpProvider, AnErrorInTheStream) {
  const auto event = [](std::string_view data) {
    return test::stream_head() + "event: error\ndata: " + std::string(data) + "\n\n";
  };
  EXPECT_EQ(
      answer_to(ModelApi::kAnthropic,
                event(R"({"type":"error","error":{"type":"invalid_request_error","message":"x"}})"))
          .asked.error()
          .kind,
      Kind::kRefused);
  EXPECT_EQ(
      answer_to(ModelApi::kOpenAiResponses,
                event(R"({"type":"error","code":"rate_limit_exceeded","message":"slow down"})"))
          .asked.error()
          .kind,
      Kind::kRateLimited);
  EXPECT_EQ(answer_to(ModelApi::kOpenAi, event(R"({"error":{"message":"prompt is too long"}})"))
                .asked.error()
                .kind,
            Kind::kTooLong);
}

TEST(HttpProvider, AnOverloadThatComesAsAnEventIsTriedAgain) {
  ScriptedServer server(first(
      {test::stream_head() +
       "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n"}));
  auto provider = test::provider_at(server, ModelApi::kAnthropic, {.idle = 300ms});
  const auto [asked, text, retried] = ask(*provider, user_says("hi"));
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(text, "Hello.");
}

TEST(HttpProvider, ServersThatDoNotStream) {
  const auto whole = [](std::string_view body) {
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
  };
  const std::pair<ModelApi, std::string_view> answers[] = {
      {ModelApi::kOpenAi,
       R"({"model":"m","choices":[{"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}]})"},
      {ModelApi::kOpenAiResponses,
       R"({"object":"response","output":[{"type":"message","content":[{"type":"output_text","text":"Hi."}]}]})"},
      {ModelApi::kAnthropic,
       R"({"content":[{"type":"text","text":"Hi."}],"stop_reason":"end_turn"})"}};
  for (const auto& [api, body] : answers) {
    const auto [asked, text, retried] = answer_to(api, whole(body));
    ASSERT_TRUE(asked) << asked.error().message;
    EXPECT_EQ(text, "Hi.");
    EXPECT_EQ(tools::messages::text_of(*asked), "Hi.");
    EXPECT_EQ(answer_to(api, whole("{")).asked.error().kind, Kind::kBadReply);
    EXPECT_EQ(answer_to(api, whole("[1]")).asked.error().kind, Kind::kBadReply);
    EXPECT_EQ(answer_to(api, whole("{}")).asked.error().kind, Kind::kBadReply);
  }
}

TEST(HttpProvider, AKeyDoesNotTravelInPlainText) {
  static const SystemClock clock;
  const auto made = [](std::string url, std::string key) {
    return make_http_provider(make_openai_dialect(),
                              {.base_url = std::move(url), .key = std::move(key)}, nullptr, clock);
  };
  EXPECT_FALSE(made("http://models.example/v1", "k"));
  EXPECT_TRUE(made("http://models.example/v1", ""));
  EXPECT_TRUE(made("http://127.0.0.1:1/v1", "k"));
  EXPECT_TRUE(made("https://models.example/v1/", "k"));
  EXPECT_FALSE(made("nonsense", ""));
}

TEST(HttpProvider, IsNamedAfterWhereItIs) {
  static const SystemClock clock;
  const auto id = [](std::string url) {
    return (*make_http_provider(make_anthropic_dialect(), {.base_url = std::move(url)}, nullptr,
                                clock))
        ->id();
  };
  EXPECT_EQ(id(""), "anthropic");
  EXPECT_EQ(id("https://api.anthropic.com/"), "anthropic");
  EXPECT_EQ(id("https://other.example"), "anthropic:https://other.example");
}

TEST(Configure, NotConfiguredIsAState) {
  const auto why = [](const ProviderSettings& settings) {
    const auto made = configure(settings);
    const auto* none = made ? std::get_if<NotConfigured>(&*made) : nullptr;
    return none != nullptr ? none->why : "";
  };
  EXPECT_EQ(why({.enabled = "false", .anthropic_key = "k"}),
            "AI features disabled (TOOLWAY_AI_ENABLED=false)");
  EXPECT_EQ(why({}), "No API key found for provider 'anthropic'. Set ANTHROPIC_API_KEY.");
  EXPECT_EQ(why({.provider = "openai", .anthropic_key = "k"}),
            "No API key found for provider 'openai'. Set OPENAI_API_KEY.");
  EXPECT_EQ(why({.provider = "scripted"}),
            "The provider 'scripted' needs a script. Name it with --script FILE.");
}

TEST(Configure, ChoosesAProvider) {
  const auto of = [](const ProviderSettings& settings) {
    return std::get<Configured>(*configure(settings));
  };
  EXPECT_EQ(of({.openai_key = "k"}).provider, "openai");
  EXPECT_EQ(of({.openai_key = "k", .anthropic_key = "a"}).key, "a");
  EXPECT_EQ(of({.base_url = "http://localhost:1"}).provider, "openai");
  EXPECT_EQ(of({.provider = "openai-responses", .openai_key = "k"}).key_name, "OPENAI_API_KEY");
  EXPECT_EQ(of({.model = "m", .openai_key = "k"}).model, "m");
  EXPECT_EQ(of({.script = "f"}).provider, "scripted");
  EXPECT_FALSE(configure({.provider = "gemini"}));
  EXPECT_FALSE(configure({.enabled = "yes"}));
}

TEST(Configure, LimitsOfAMinuteAreNumbers) {
  ProviderSettings settings{.anthropic_key = "k"};
  settings.requests_per_minute = "50";
  settings.tokens_per_minute = "40000";
  const auto configured = configure(settings);
  ASSERT_TRUE(configured);
  const auto& pace = std::get<Configured>(*configured).pace;
  EXPECT_EQ(pace.requests, 50U);
  EXPECT_EQ(pace.tokens, 40'000U);
  for (const char* wrong : {"0", "-1", "many", "1.5"}) {
    settings.tokens_per_minute = wrong;
    const auto refused = configure(settings);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(
        refused.error().message,
        std::string("TOOLWAY_AI_TOKENS_PER_MINUTE must be a whole number of 1 or more, not '") +
            wrong + "'");
  }
}

}  // namespace
}  // namespace toolway::chat::providers
