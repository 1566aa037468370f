#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/dev/dev_stack.h"

namespace toolway::cli {
namespace {

constexpr const char* kSpecs = R"(tools:
  - {name: greet, namespace: text, kind: template, idempotent: true, description: Greets.,
     input_schema: {type: object, required: [name], properties: {name: {type: string}}},
     implementation_config: {text: "Dear {{name}}"}}
  - {name: letter, namespace: text, kind: template, input_schema: {type: object, properties: {name: {type: string}}},
     implementation_config: {file: letter.txt}}
)";

// A kind that was added by a folder and a line is known to everything that knows kinds.
TEST(AddedKind, IsRunListedExportedAndConfigured) {
  const test::TempDir dir;
  std::ofstream(dir / "tools.yaml") << kSpecs;
  std::ofstream(dir / "letter.txt") << "{{name}}, good bye";
  const auto run = [&](std::vector<std::string> arguments, const std::string& url = {}) {
    return run_toolway(dir, std::move(arguments), {{"TOOLWAY_URL", url}, {"TOOLWAY_USER", "ann"}});
  };
  EXPECT_EQ(run({"specs", "check", dir / "tools.yaml"}).output,
            (dir / "tools.yaml") + ": 2 specs\n");
  const auto unknown = run({"worker", "--set", "template.colour=red"});
  EXPECT_EQ(unknown.status, 2) << unknown.output;
  EXPECT_NE(unknown.output.find("kind template has the settings directory"), std::string::npos)
      << unknown.output;

  Dev dev(dir, {"--specs", dir / "tools.yaml", "--set", "template.directory=" + dir.path().string(),
                "--pool", "native,template=3"});
  ASSERT_TRUE(dev.ready().is_object()) << dev.log();
  const auto called =
      run({"call", "text.greet", R"({"name":"Ann"})", "--wait", "-o", "json"}, dev.url());
  EXPECT_EQ(called.json()["result"], "Dear Ann") << called.output;
  EXPECT_EQ(run({"call", "text.letter", R"({"name":"Ann"})", "--wait", "-o", "json"}, dev.url())
                .json()["result"],
            "Ann, good bye");
  const auto missing = run({"call", "text.letter", "{}", "--wait", "-o", "json"}, dev.url()).json();
  EXPECT_EQ(missing["error"]["code"], "invalid_arguments") << missing;

  const auto client = *client::HttpClient::create({.url = dev.url(), .user = "ann"});
  const auto listed = client->request("GET", "/v1/tools?kind=template");
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->json()["tools"].size(), 2U) << listed->body;
  const auto exported = client->request("GET", "/v1/tools?kind=template&format=openai");
  ASSERT_TRUE(exported);
  EXPECT_NE(exported->body.find("text__greet"), std::string::npos) << exported->body;
  const auto refused = client->request("GET", "/v1/tools?kind=templates");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 422);
  EXPECT_NE(refused->body.find("template"), std::string::npos) << refused->body;
  // Workers announce themselves every two seconds.
  OrderedJson workers;
  EXPECT_TRUE(wait_for([&] {
    workers = client->request("GET", "/v1/workers?pool=template")->json()["workers"];
    return workers.size() == 1 && workers[0]["slots"] == 3;
  })) << workers;
}

}  // namespace
}  // namespace toolway::cli
