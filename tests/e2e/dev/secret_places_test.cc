// What a tool's schemas mark as secret reaches the tool, and no reader.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/dev/dev_stack.h"

namespace toolway::cli {
namespace {

constexpr const char* kSpecs = R"(tools:
  - {name: log_in, namespace: vault, kind: template, idempotent: true, description: Logs in.,
     input_schema: {type: object, properties: {user: {type: string}, password: {type: string, writeOnly: true}}},
     implementation_config: {text: "{{user}} logged in with {{password}}"}}
  - {name: make_key, namespace: vault, kind: template, idempotent: true, description: Makes a key.,
     input_schema: {type: object, properties: {seed: {type: string}}},
     output_schema: {type: string, x-secret: true},
     implementation_config: {text: "key-{{seed}}"}}
)";

TEST(SecretPlaces, AreShownToNoReader) {
  const test::TempDir dir;
  std::ofstream(dir / "tools.yaml") << kSpecs;
  Dev dev(dir, {"--specs", dir / "tools.yaml", "--pool", "native,template=3"});
  ASSERT_TRUE(dev.ready().is_object()) << dev.log();
  const auto run = [&](std::vector<std::string> arguments) {
    return run_toolway(dir, std::move(arguments),
                       {{"TOOLWAY_URL", dev.url()}, {"TOOLWAY_USER", "ann"}});
  };
  const auto called = run({"call", "vault.log_in", R"({"user": "ann", "password": "hush-hush"})",
                           "--session", "s", "--wait", "-o", "json"});
  EXPECT_EQ(called.json()["result"], "ann logged in with [secret]")
      << "the tool has it, since it repeats it; no reader does";
  EXPECT_EQ(called.json()["arguments"]["password"], "[secret]") << called.output;
  const auto id = called.json()["call_id"].get<std::string>();
  const auto hidden = [&](const std::vector<std::string>& arguments) {
    const auto shown = run(arguments);
    EXPECT_NE(shown.output.find("[secret]"), std::string::npos) << shown.output;
    EXPECT_EQ(shown.output.find(R"("password": "hush)"), std::string::npos) << shown.output;
    EXPECT_EQ(shown.output.find(R"("password":"hush)"), std::string::npos) << shown.output;
  };
  hidden({"calls", "show", id, "-o", "json"});
  hidden({"calls", "show", id});
  hidden({"calls", "list", "s", "-o", "json"});
  EXPECT_TRUE(wait_for(
      [&] { return run({"calls", "show", id, "-o", "json"}).json()["recorded_at"].is_string(); }));
  hidden({"calls", "show", id, "-o", "json"});

  const auto again = run({"calls", "retry", id, "--wait"});
  EXPECT_EQ(again.status, 2) << again.output;
  EXPECT_NE(again.output.find("give them again"), std::string::npos) << again.output;
  const auto given = run({"calls", "retry", id, "--arguments",
                          R"({"user": "ann", "password": "other"})", "--wait", "-o", "json"});
  EXPECT_EQ(given.json()["result"], "ann logged in with [secret]") << given.output;

  const auto made = run({"call", "vault.make_key", R"({"seed": "0815"})", "--wait", "-o", "json"});
  EXPECT_EQ(made.json()["result"], "[secret]") << made.output;
  EXPECT_EQ(made.output.find("key-0815"), std::string::npos) << made.output;
}

}  // namespace
}  // namespace toolway::cli
