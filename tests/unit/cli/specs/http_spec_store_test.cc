#include "cli/specs/http_spec_store.h"

#include <gtest/gtest.h>

#include "cli/process/reader_options.h"
#include "cli/specs/in_force.h"
#include "tools/builtin/builtin.h"

namespace toolway::cli::specs {
namespace {

std::vector<tools::specs::ReadSpec> read(const std::string& text) {
  const auto builtin = tools::builtin::builtin_registry({.root = "/"});
  auto document = process::sent_spec_reader(**builtin)(text, "it");
  for (const auto& mistake : document.mistakes) ADD_FAILURE() << mistake.text();
  return std::move(document.specs);
}

TEST(SentSpecs, AreTheSameOnceTheyAreReadAgain) {
  const auto specs = read(R"(tools:
  - {name: say, namespace: shop, kind: command, version: "1.10", description: "Says: a",
     input_schema: {type: object, required: [text], properties: {text: {type: string}}},
     output_schema: {type: string}, limits: {run_ms: 500}, topic: T, permissions: [p],
     implementation_config: {argv: [printf, '%s', '{text}']}}
  - {name: buy, namespace: shop, kind: python, input_schema: {type: object}, enabled: false,
     implementation_config: {module: shop, function_name: f}}
  - {name: get_current_time, namespace: time, kind: native, description: Ours., rollout: 10}
)");
  ASSERT_EQ(specs.size(), 3U);
  for (const auto& one : specs) {
    const auto file = file_of({.spec = one.spec,
                               .enabled = one.enabled,
                               .rollout = one.rollout,
                               .origin = "a.yaml",
                               .line = one.line});
    EXPECT_EQ(file["name"], "a.yaml");
    EXPECT_EQ(file["line"], one.line);
    const auto again = read(file["text"].get<std::string>());
    ASSERT_EQ(again.size(), 1U) << file["text"];
    EXPECT_EQ(tools::model::digest(again[0].spec), tools::model::digest(one.spec)) << file["text"];
    EXPECT_EQ(again[0].enabled, one.enabled);
    EXPECT_EQ(again[0].rollout, one.rollout);
  }
}

TEST(TakenUpSpecs, AreThoseThatTheGatewayHasReadOrOffers) {
  const auto list = *parse_ordered_json(
      R"({"read_up_to": 5, "specs": [
        {"namespace": "shop", "name": "say", "revision": 6, "in_force": false},
        {"namespace": "shop", "name": "buy", "revision": 5, "in_force": false},
        {"namespace": "shop", "name": "sell", "revision": 7, "in_force": true}]})");
  EXPECT_FALSE(taken_up(list, {"shop.say"}).read) << "it has not read it yet";
  const auto hidden = taken_up(list, {"shop.buy"});
  EXPECT_TRUE(hidden.read) << "waiting longer would not help";
  EXPECT_EQ(hidden.not_in_force, std::vector<std::string>{"shop.buy"});
  const auto there = taken_up(list, {"shop.sell"});
  EXPECT_TRUE(there.read && there.not_in_force.empty());
}

}  // namespace
}  // namespace toolway::cli::specs
