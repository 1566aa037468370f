// A recorded session is made again: on its own gateway, on mocks, and on a gateway that must not
// get its key.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/support/scripted_server.h"

namespace toolway::cli {
namespace {

using test::ScriptedServer;

constexpr const char* kSpecs = R"(tools:
  - {name: greet, namespace: text, kind: template, idempotent: true, description: Greets.,
     input_schema: {type: object, required: [name], properties: {name: {type: string}}},
     implementation_config: {text: "Dear {{name}}"}}
  - {name: shout, namespace: text, kind: template, dangerous: true, idempotent: true, description: Shouts.,
     input_schema: {type: object, required: [name], properties: {name: {type: string}}},
     implementation_config: {text: "DEAR {{name}}"}}
)";

class Replay : public testing::Test {
 protected:
  Replay() { std::ofstream(specs()) << kSpecs; }
  std::string specs() const { return dir_ / "tools.yaml"; }
  Ran toolway(std::vector<std::string> arguments, Dev::Environment more = {}) {
    more.insert({{"TOOLWAY_URL", dev_->url()}, {"TOOLWAY_USER", "ann"}});
    return run_toolway(dir_, std::move(arguments), std::move(more));
  }
  void call(const std::string& tool, const std::string& arguments) {
    toolway({"call", tool, arguments, "--session", "s", "--wait"});
  }
  /// Session `s`: three calls that a tool answered, one of them of a dangerous tool, and one that
  /// failed.
  void record() {
    dev_ = std::make_unique<Dev>(dir_, std::vector<std::string>{"--specs", specs()});
    ASSERT_TRUE(dev_->ready().is_object()) << dev_->log();
    ASSERT_EQ(toolway({"session", "open", "s", "-n", "text,time"}).status, 0);
    call("text.greet", R"({"name": "Bo"})");
    call("time.get_current_time", "{}");
    call("time.get_current_time", R"({"timezone": "Nowhere/X"})");
    call("text.shout", R"({"name": "Bo"})");
    ASSERT_TRUE(wait_for(
        [&] { return toolway({"calls", "list", "s", "-o", "json"}).json()["calls"].size() == 4; }));
  }
  OrderedJson replayed(std::vector<std::string> more, int status) {
    std::vector<std::string> words{"replay",        "s",  "-o", "json", "--time-within", "1e6",
                                   "--tool-slower", "1e6"};
    words.insert(words.end(), more.begin(), more.end());
    const auto ran = toolway(words);
    EXPECT_EQ(ran.status, status) << ran.output;
    const auto brace = ran.output.find('{');
    auto parsed = parse_ordered_json(brace == std::string::npos ? "" : ran.output.substr(brace));
    EXPECT_TRUE(parsed) << ran.output;
    return parsed ? *parsed : OrderedJson();
  }

  test::TempDir dir_;
  std::unique_ptr<Dev> dev_;
};

TEST_F(Replay, OnAGatewayFindsWhatHasChanged) {
  ASSERT_NO_FATAL_FAILURE(record());
  const auto same =
      replayed({"--against", dev_->url(), "--ignore", "/iso8601", "--ignore", "/unix"}, 0);
  EXPECT_EQ(same["calls"].size(), 3U);
  ASSERT_EQ(same["skipped"].size(), 1U) << same.dump(2);
  EXPECT_EQ(same["skipped"][0]["tool"], "text.shout") << "dangerous";
  for (const auto& one : same["calls"]) EXPECT_EQ(one["differences"].size(), 0U) << one;

  const auto all = replayed({"--against", dev_->url(), "--dangerous"}, 1);
  ASSERT_EQ(all["calls"].size(), 4U);
  EXPECT_FALSE(all["holds"].get<bool>());
  EXPECT_EQ(all["calls"][1]["tool"], "time.get_current_time") << "in the order of submission";
  EXPECT_NE(all["calls"][1]["differences"].size(), 0U) << "time went on";
  EXPECT_EQ(all["calls"][2]["replayed"]["error_code"], "invalid_arguments");

  auto changed = std::string(kSpecs);
  changed.replace(changed.find("Dear"), 4, "Dare");
  std::ofstream(specs()) << changed;
  ASSERT_TRUE(wait_for([&] {
    return toolway({"call", "text.greet", R"({"name": "Bo"})", "--wait"}).output.find("Dare") !=
           std::string::npos;
  }));
  const auto other =
      replayed({"--against", dev_->url(), "--ignore", "/iso8601", "--ignore", "/unix"}, 1);
  EXPECT_EQ(other["calls"][0]["differences"][0], R"(result: "Dare Bo", recorded "Dear Bo")");
}

TEST_F(Replay, OnMocksEverythingIsAsRecorded) {
  ASSERT_NO_FATAL_FAILURE(record());
  const auto file = (dir_.path() / "memory.json").string();
  const auto first = replayed({"--against", "mocks", "--mock-speed", "0", "--save", file}, 0);
  EXPECT_EQ(first["calls"].size(), 4U) << "nothing runs, so nothing is dangerous";
  EXPECT_EQ(first["calls"][1]["differences"].size(), 0U) << "the recorded time comes back";
  const auto second = replayed({"--against", "mocks", "--mock-speed", "0", "--baseline", file}, 0);
  EXPECT_EQ(second["judgements"].back()["name"], "memory");
  const auto answers = dir_ / "answers.yaml";
  std::ofstream(answers) << "mocks:\n  - {tool: text.greet, result: Hello}\n";
  const auto scripted = replayed({"--against", "mocks", "--mock", answers}, 1);
  EXPECT_EQ(scripted["calls"][0]["differences"][0], R"(result: "Hello", recorded "Dear Bo")");
  EXPECT_EQ(scripted["calls"][1]["replayed"]["error_code"], "mock_no_match");
}

// The key is for the gateway that has the record, and for no other.
TEST_F(Replay, AnotherGatewayGetsItsOwnKeyOnly) {
  ASSERT_NO_FATAL_FAILURE(record());
  ScriptedServer other{[](test::ScriptedConnection& to, const std::string&) {
    return to.send(ScriptedServer::status(401, "", R"({"code":"unauthenticated"})"));
  }};
  const auto key = (dir_.path() / "other.key").string();
  std::ofstream(key) << "the-other-key\n";
  const auto asked = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"replay", "s", "--against", other.url("")};
    words.insert(words.end(), more.begin(), more.end());
    const auto ran = toolway(words, {{"TOOLWAY_API_KEY", "the-first-key"}});
    EXPECT_EQ(ran.status, 3) << ran.output;
    return other.requests().back();
  };
  EXPECT_EQ(asked({}).find("Authorization"), std::string::npos);
  EXPECT_NE(asked({"--against-key-file", key}).find("Bearer the-other-key"), std::string::npos);
  for (const auto& request : other.requests())
    EXPECT_EQ(request.find("the-first-key"), std::string::npos);
}

TEST_F(Replay, SaysWhatItCannotDo) {
  ASSERT_NO_FATAL_FAILURE(record());
  const auto refused = [&](std::vector<std::string> words, int status, const std::string& text) {
    words.insert(words.begin(), "replay");
    const auto ran = toolway(words);
    EXPECT_EQ(ran.status, status) << ran.output;
    EXPECT_NE(ran.output.find(text), std::string::npos) << ran.output;
  };
  refused({"s"}, 2, "--against is missing");
  refused({"nope", "--against", "mocks"}, 3, "'nope' was not found");
  refused({"s", "--against", "mocks", "--ignore", "x"}, 2, "not a JSON Pointer");
  refused({"s", "--against", dev_->url(), "--save", "f"}, 2, "--against mocks");
  refused({"s", "--against", "mocks", "--against-key-file", "f"}, 2, "another gateway");
  refused({"s", "--against", "mocks", "--baseline", specs()}, 2, "--save");
  refused({"s", "--against", "http://127.0.0.1:1"}, 4, "cannot reach");
  ASSERT_EQ(toolway({"session", "open", "empty", "-n", "text"}).status, 0);
  refused({"empty", "--against", "mocks"}, 3, "no call that can be made again");
}

}  // namespace
}  // namespace toolway::cli
