#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chat/providers/http_provider.h"
#include "chat/providers/model_server.h"
#include "chat/providers/script.h"
#include "chat/providers/scripted_provider.h"
#include "tests/support/scripted_server.h"

/// Providers over real HTTP, for tests.
namespace toolway::chat::test {

using tools::exports::ModelApi;
using toolway::test::ScriptedConnection;
using toolway::test::ScriptedServer;

inline providers::Script script_of(std::string_view text) {
  auto script = providers::read_script(text, "script.yaml");
  for (const auto& mistake : script.mistakes) ADD_FAILURE() << mistake.text();
  return script;
}

inline std::string body_of(const std::string& request) {
  return request.substr(request.find("\r\n\r\n") + 4);
}
inline std::string path_of(const std::string& request) {
  const auto begin = request.find(' ') + 1;
  return request.substr(begin, request.find(' ', begin) - begin);
}

inline std::string stream_head() {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
}

/// Serves the script as whichever API is asked for.
inline ScriptedServer::Answer serving(std::shared_ptr<providers::Provider> model) {
  return [model = std::move(model)](ScriptedConnection& connection, const std::string& request) {
    const auto api = providers::api_of_path(path_of(request));
    if (!api) return connection.send(ScriptedServer::status(404)), false;
    const providers::AnswerSink sink{
        .head =
            [&](int status, std::string_view type) {
              connection.send("HTTP/1.1 " + std::to_string(status) +
                              " X\r\nConnection: close\r\nContent-Type: " + std::string(type) +
                              "\r\n\r\n");
            },
        .body = [&](std::string_view bytes) { connection.send(bytes); }};
    providers::serve_model(*api, body_of(request), *model, sink, {});
    return false;
  };
}

inline providers::HttpProviderOptions options_for(const ScriptedServer& server, ModelApi api) {
  providers::HttpProviderOptions options{
      .base_url = server.url(api == ModelApi::kAnthropic ? "" : "/v1"),
      .key = "sk-secret-key",
      .key_name = "TEST_API_KEY"};
  options.addresses = std::make_shared<const tools::http::AddressPolicy>(
      *tools::http::AddressPolicy::create({"127.0.0.1"}));
  return options;
}

inline std::unique_ptr<providers::Provider> provider_at(
    const ScriptedServer& server, ModelApi api, tools::http::HttpLimits limits = {},
    std::shared_ptr<providers::ProviderMemory> memory = nullptr, providers::PaceLimits pace = {}) {
  static const SystemClock clock;
  static const auto engine = *tools::http::HttpEngine::start();
  auto options = options_for(server, api);
  options.limits = limits;
  if (memory) options.memory = std::move(memory);
  options.pace = pace;
  auto dialect = api == ModelApi::kOpenAi            ? providers::make_openai_dialect()
                 : api == ModelApi::kOpenAiResponses ? providers::make_responses_dialect()
                                                     : providers::make_anthropic_dialect();
  return *providers::make_http_provider(std::move(dialect), std::move(options), engine, clock);
}

/// Asks, and keeps the text that came.
struct Answered {
  providers::ReplyResult asked;
  std::string text;
  std::vector<providers::ProviderError::Kind> retried{};
};
inline Answered ask(providers::Provider& provider, const tools::messages::History& history,
                    providers::ModelOptions options = {}, std::stop_token stop = {},
                    std::uint64_t tokens = 0) {
  options.model = "m";
  providers::ModelRequest request{.messages = {}, .options = std::move(options), .tokens = tokens};
  for (const auto& message : history.messages()) request.messages.push_back(&message);
  std::string text;
  std::vector<providers::ProviderError::Kind> retried;
  request.on_retry = [&](const providers::Retry& retry) { retried.push_back(retry.why); };
  auto asked =
      provider.ask(request, [&](std::string_view piece) { text += piece; }, std::move(stop));
  return {std::move(asked), std::move(text), std::move(retried)};
}

inline tools::messages::History user_says(const std::string& text) {
  tools::messages::History history;
  EXPECT_TRUE(history.append(tools::messages::text_message(tools::messages::Role::kUser, text)));
  return history;
}

}  // namespace toolway::chat::test
