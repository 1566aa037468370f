#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chat/engine/engine.h"
#include "tests/support/test_clock.h"
#include "tests/unit/chat/messages.h"

namespace toolway::chat::engine {

/// Answers as the test says, and remembers what it was asked.
class FakeProvider final : public providers::Provider {
 public:
  using Answer =
      std::function<providers::ReplyResult(const providers::ModelRequest&, std::stop_token)>;
  explicit FakeProvider(Answer answer) : answer_(std::move(answer)) {}
  const std::string& id() const override { return id_; }
  tools::exports::ModelApi api() const override { return tools::exports::ModelApi::kOpenAi; }
  providers::ReplyResult ask(const providers::ModelRequest& request,
                             const providers::OnText& on_text, std::stop_token stop) override {
    if (!says.empty()) on_text(says);
    sent.push_back(request.messages.size());
    options.push_back(request.options);
    return answer_(request, std::move(stop));
  }
  std::string says;  ///< before each answer
  std::vector<std::size_t> sent;
  std::vector<providers::ModelOptions> options;

 private:
  const std::string id_ = "fake";
  const Answer answer_;
};

/// A gateway that remembers keys, and may be away.
class FakeTools final : public ToolBox {
 public:
  Result<window::ToolListPtr> definitions(tools::exports::ModelApi api,
                                          std::stop_token /*stop*/) override {
    return window::tool_list(OrderedJson::array({{{"name", "t"}}}), api);
  }
  std::string shown_name(const std::string& name) override { return "ns." + name; }
  Result<std::vector<tools::messages::CallResult>> run(
      const std::vector<tools::messages::Call>& calls, const std::string& key,
      std::stop_token) override {
    keys.push_back(key);
    if (error) return fail(*error);
    std::vector<tools::messages::CallResult> made;
    for (const auto& call : calls)
      made.push_back({call.id, "ran " + call.arguments, fails, "id-" + call.id, detaches});
    return made;
  }
  Result<std::vector<tools::messages::CallResult>> settle(
      const std::vector<tools::messages::Call>& calls, const std::string& key,
      std::stop_token) override {
    settled.push_back(key);
    if (error) return fail(*error);
    std::vector<tools::messages::CallResult> made;
    for (const auto& call : calls)
      made.push_back(tools::messages::interrupted_result(
          call.id, tools::messages::Interruption::kNeverStarted));
    return made;
  }
  Result<std::vector<EndedCall>> ended(const std::vector<std::string>& running) override {
    asked_for = running;
    return ends;
  }
  Result<std::vector<EndedCall>> made_by_no_model(const std::vector<std::string>& ended) override {
    asked_elsewhere = ended;
    if (error) return fail(*error);
    return ends_elsewhere;
  }
  Result<std::vector<CallProgress>> progress(
      const std::vector<tools::messages::ToldProgress>& running) override {
    asked_after = running;
    return reports;
  }
  bool remembers() const override { return true; }

  std::vector<std::string> asked_for;
  std::vector<tools::messages::ToldProgress> asked_after;
  std::vector<CallProgress> reports;
  std::vector<EndedCall> ends;
  std::vector<std::string> asked_elsewhere;
  std::vector<EndedCall> ends_elsewhere;
  bool detaches = false;
  std::vector<std::string> keys;
  std::vector<std::string> settled;  ///< keys
  std::optional<Error> error;
  bool fails = false;
};

struct Parts {
  std::shared_ptr<Memory> memory = make_memory();
  std::shared_ptr<FakeTools> tools = std::make_shared<FakeTools>();
  std::shared_ptr<FakeProvider> provider;
  std::unique_ptr<ToolAwareChatEngine> engine;
  toolway::test::StoppedClock clock;

  explicit Parts(FakeProvider::Answer answer, EngineConfig config = {})
      : provider(std::make_shared<FakeProvider>(std::move(answer))) {
    engine = *ToolAwareChatEngine::create(memory, provider, tools, std::move(config), clock);
  }
  std::string roles() const {
    std::string roles;
    for (const auto& message : memory->history().messages())
      roles += tools::messages::role_name(message.role)[0];
    return roles;
  }
};

/// Calls until it has results, and then says what they are.
inline providers::ReplyResult calls_once(const providers::ModelRequest& request, std::stop_token) {
  const auto& last = *request.messages.back();
  if (last.role == tools::messages::Role::kResults) return test::says(last.results.front().text);
  return test::calls({{"a", "t", "{}"}, {"b", "t", "{\"n\":1}"}});
}

}  // namespace toolway::chat::engine
