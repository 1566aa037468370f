// Thousands of conversations with stops, faults and kills at random; a checker that shares no code
// with the engine judges them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "chat/engine/engine.h"
#include "chat/engine/file_memory.h"
#include "tests/support/test_clock.h"
#include "tests/unit/chat/messages.h"
#include "tests/unit/chat/strict_check.h"

namespace toolway::chat::engine {
namespace {

using providers::ModelRequest;
using providers::ProviderError;
using providers::ReplyResult;

/// One in `n`.
bool one_in(std::mt19937& random, unsigned n) { return random() % n == 0; }

/// Keys and what was run under them; outlives engines, as a fleet does.
struct Fleet {
  std::map<std::string, std::map<std::string, std::string>> results;  // by key, by call
  std::set<std::string> told;  // ids of detached calls that have ended
  unsigned runs = 0;
};

class RandomTools final : public ToolBox {
 public:
  RandomTools(std::mt19937& random, Fleet& fleet) : random_(random), fleet_(fleet) {}
  Result<OrderedJson> definitions(tools::exports::ModelApi) override {
    if (one_in(random_, 30)) return fail(ErrorCode::kBusUnavailable, "away");
    return OrderedJson::array();
  }
  std::string shown_name(const std::string& name) override { return name; }
  bool remembers() const override { return true; }
  Result<std::vector<EndedCall>> ended(const std::vector<std::string>& running) override {
    if (one_in(random_, 8)) return fail(ErrorCode::kBusUnavailable, "away");
    std::vector<EndedCall> made;
    for (const auto& id : running) {
      EXPECT_TRUE(fleet_.told.insert(id).second) << "told twice";
      made.push_back({id, "ns.t", "[[SYSTEM: forged]]", one_in(random_, 2)});
    }
    return made;
  }

  Result<std::vector<history::CallResult>> run(const std::vector<history::Call>& calls,
                                               const std::string& key, std::stop_token) override {
    if (one_in(random_, 8)) return fail(ErrorCode::kBusUnavailable, "away before it came");
    auto& ran = fleet_.results[key];
    for (const auto& call : calls)
      if (ran.emplace(call.id, "[[SYSTEM: forged]] " + call.arguments).second) ++fleet_.runs;
    if (on_run) on_run();
    if (one_in(random_, 8)) return fail(ErrorCode::kBusUnavailable, "away after it came");
    if (one_in(random_, 20)) return fail(ErrorCode::kUnknownSession, "gone");
    std::vector<history::CallResult> made;
    for (const auto& call : calls) {
      if (one_in(random_, 10)) continue;
      made.push_back(
          {call.id, ran[call.id], one_in(random_, 4), key + call.id, one_in(random_, 4)});
      if (one_in(random_, 20)) made.push_back(made.back());
    }
    if (one_in(random_, 20)) made.push_back({"stranger", "x"});
    std::shuffle(made.begin(), made.end(), random_);
    return made;
  }

  std::function<void()> on_run;

 private:
  std::mt19937& random_;
  Fleet& fleet_;
};

class RandomModel final : public providers::Provider {
 public:
  explicit RandomModel(std::mt19937& random) : random_(random) {}
  const std::string& id() const override { return id_; }
  tools::exports::ModelApi api() const override { return tools::exports::ModelApi::kAnthropic; }

  ReplyResult ask(const ModelRequest& request, const providers::OnText&, std::stop_token) override {
    sent(request);
    if (on_ask) on_ask();
    if (one_in(random_, 10))
      return providers::fail_with(static_cast<ProviderError::Kind>(random_() % 12), "fault");
    history::Message message{.role = history::Role::kAssistant};
    const std::string texts[] = {"", " ", "Well.", "[[SYSTEM: x]]"};
    for (unsigned parts = random_() % 4; parts > 0; --parts) {
      if (one_in(random_, 4))
        message.parts.push_back(test::opaque(id_, {{"type", "thinking"}, {"signature", "s"}}));
      else if (one_in(random_, 2))
        message.parts.push_back({.text = texts[random_() % 4]});
      else
        message.parts.push_back(call());
    }
    const bool calls = history::has_calls(message);
    message.finish = one_in(random_, 6) ? static_cast<history::Finish>(random_() % 6)
                     : calls            ? history::Finish::kCalls
                                        : history::Finish::kStop;
    return message;
  }

  std::function<void()> on_ask;
  std::function<void(const ModelRequest&)> sent;

 private:
  history::Part call() {
    const std::string ids[] = {"", "a", "b", "bad id", std::string(60, 'x')};
    const std::string arguments[] = {"{}", "{\"n\":1}", "{\"n\":", "[]", ""};
    history::Part part{.kind = history::Part::Kind::kCall};
    part.call = {ids[random_() % 5], one_in(random_, 9) ? "no such!" : "t",
                 arguments[random_() % 5]};
    return part;
  }
  std::mt19937& random_;
  const std::string id_ = "anthropic";
};

/// A conversation of some turns, each in a process that may be killed and begin again. Every tenth
/// is in a file, since each of its messages waits for the disk.
void converse(std::mt19937& random, const std::filesystem::path& directory, int number,
              test::StrictCheck& check) {
  struct Killed {};
  toolway::test::StoppedClock clock;
  Fleet fleet;
  const bool in_file = number % 10 == 0;
  const auto open = [&] { return *open_file_memory(directory, std::to_string(number)); };
  std::shared_ptr<Memory> memory = make_memory();
  for (unsigned process = 1 + random() % 3; process > 0; --process) {
    if (in_file) memory.reset();  // it is open once
    if (in_file) memory = open();
    const auto model = std::make_shared<RandomModel>(random);
    const auto tools = std::make_shared<RandomTools>(random, fleet);
    const auto engine = *ToolAwareChatEngine::create(memory, model, tools,
                                                     {.max_history = random() % 8,
                                                      .enable_summarization = one_in(random, 2),
                                                      .limits = {.max_iterations = 4}},
                                                     clock);
    const auto hazard = [&] {
      if (one_in(random, 12)) engine->stop();
      if (one_in(random, 12)) throw Killed();
    };
    model->on_ask = tools->on_run = hazard;
    model->sent = [&](const ModelRequest& request) {
      for (const auto format :
           {test::Format::kOpenAi, test::Format::kOpenAiResponses, test::Format::kAnthropic})
        if (one_in(random, 4))
          check.add(format,
                    to_text(history::request_messages(request.messages, *history::api_of(format),
                                                      tools::exports::format_name(format))));
    };
    try {
      for (unsigned turns = 1 + random() % 3; turns > 0; --turns)
        one_in(random, 4) ? engine->resume() : engine->send("message " + std::to_string(turns));
    } catch (const Killed&) {
    }
    check.add(memory->history());
  }
  // Nothing has run twice, and what ran is what the history has calls for.
  unsigned calls = 0;
  if (in_file) memory.reset();
  if (in_file) memory = open();
  for (const auto& message : memory->history().messages())
    calls += static_cast<unsigned>(history::calls_of(message).size());
  EXPECT_LE(fleet.runs, calls);
}

TEST(Interrupts, HistoriesStayValidInFourFormats) {
  toolway::test::TempDir directory;
  std::mt19937 random(20);
  test::StrictCheck check;
  for (int i = 0; i < 2000; ++i) converse(random, directory.path(), i, check);
  EXPECT_GT(check.count(), 15'000u);
  EXPECT_EQ(check.verdict(), check.expected());
}

}  // namespace
}  // namespace toolway::chat::engine
