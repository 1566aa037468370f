#include "tools/loaders/overlays.h"

#include <gtest/gtest.h>

#include "tools/executors/kind_types.h"
#include "tools/specs/overlay.h"
#include "tools/specs/reader.h"

namespace toolway::tools::loaders {
namespace {

constexpr const char* kBase =
    "tools:\n"
    "  - name: buy\n"
    "    namespace: shop\n"
    "    kind: python\n"
    "    description: Buys.\n"
    "    metadata: {version: '1', limits: {run_ms: 1000, total_ms: 2000}}\n"
    "    input_schema: {type: object}\n"
    "    implementation_config: {module: shop, function_name: buy}\n";

specs::SpecDocument read(const std::string& text, const std::string& origin) {
  return specs::read_specs(text, origin,
                           {.kinds = executors::kind_types(), .entries = specs::Entries::kKept});
}

std::shared_ptr<const SpecPart> part(const std::string& origin, const std::string& text) {
  auto document = read(text, origin);
  EXPECT_TRUE(document.mistakes.empty()) << document.mistakes.front().text();
  return make_part(origin, std::move(document.specs), std::move(document.overlay));
}

std::string patch(const std::string& fields, const std::string& env = "staging") {
  return "overlay: " + env + "\ntools:\n  - name: buy\n    namespace: shop\n" + fields;
}

class OverlaysTest : public testing::Test {
 protected:
  OverlaidParts apply(const std::vector<std::shared_ptr<const SpecPart>>& parts) {
    return overlays_.apply(parts, "file");
  }
  /// The effective spec of base and one patch; or the first mistake.
  std::string outcome(const std::string& fields) {
    Overlays fresh("staging", read_entry());
    const std::vector parts{part("base.yaml", kBase), part("staging.yaml", patch(fields))};
    const auto result = fresh.apply(parts, "file");
    return result.mistakes.empty() ? "right" : result.mistakes.front().text();
  }
  ReadEntry read_entry() {
    return [this](const specs::Located& entry, const specs::Places& places) {
      ++reads_;
      return specs::read_spec_entry(entry, places, {.kinds = executors::kind_types()});
    };
  }
  int reads_ = 0;
  Overlays overlays_{"staging", read_entry()};
};

TEST_F(OverlaysTest, PatchASpecOfAnotherFileAndSayWhereEachFieldIsFrom) {
  const auto result = apply(
      {part("base.yaml", kBase),
       part("staging.yaml",
            patch("    description: Pretends.\n    limits: {run_ms: 5}\n    category: test\n"))});
  ASSERT_TRUE(result.mistakes.empty()) << result.mistakes[0].text();
  ASSERT_EQ(result.parts.size(), 2U);
  const auto& spec = result.parts[0]->specs.at(0);
  EXPECT_EQ(spec.spec->description, "Pretends.");
  EXPECT_EQ(spec.spec->category, "test");
  EXPECT_EQ(spec.spec->limits.run.count(), 5);
  EXPECT_EQ(spec.spec->limits.total.count(), 2000);  // gone into, not replaced
  EXPECT_EQ(spec.spec->version, "1");
  EXPECT_EQ(spec.digest, model::digest(*spec.spec));
  EXPECT_EQ(spec.where(), "base.yaml:2");
  std::string overlaid;
  for (const auto& one : spec.overlaid)
    overlaid += one.field + "@" + one.origin + ":" + std::to_string(one.line) + " ";
  EXPECT_EQ(overlaid,
            "/description@staging.yaml:5 /limits/run_ms@staging.yaml:6 /category@staging.yaml:7 ");
}

TEST_F(OverlaysTest, OfOtherEnvironmentsAreIgnored) {
  const auto base = part("base.yaml", kBase);
  const auto result =
      apply({base, part("prod.yaml", patch("    description: Sells.\n", "production"))});
  EXPECT_TRUE(result.mistakes.empty());
  EXPECT_EQ(result.parts[0], base);
  EXPECT_EQ(reads_, 0);
}

TEST_F(OverlaysTest, OfTwoThatSayDifferentThingsTheEarlierWins) {
  const auto result =
      apply({part("a.yaml", patch("    description: first\n")), part("base.yaml", kBase),
             part("z.yaml", patch("    description: second\n    category: z\n"))});
  ASSERT_TRUE(result.mistakes.empty());
  EXPECT_EQ(result.parts[1]->specs.at(0).spec->description, "first");
  EXPECT_EQ(result.parts[1]->specs.at(0).spec->category, "z");
}

TEST_F(OverlaysTest, AMistakeIsToldWhereItsValueWasWritten) {
  EXPECT_EQ(outcome("    output_schema: {type: 7}\n").substr(0, 16), "staging.yaml:5: ");
  EXPECT_EQ(outcome("    implementation_config: {module: null}\n").substr(0, 12), "base.yaml:8:");
  EXPECT_EQ(outcome("    input_schema: null\n").substr(0, 12), "base.yaml:2:");
  EXPECT_EQ(outcome("    kind: command\n").substr(0, 10), "base.yaml:");
  EXPECT_EQ(
      outcome(
          "    kind: command\n    implementation_config: {module: null, function_name: null, argv: ['true']}\n"),
      "right");
  EXPECT_EQ(outcome("    enabled: false\n"), "right");
  EXPECT_EQ(outcome("    description: null\n"), "right");
}

TEST_F(OverlaysTest, ANameThatIsNotThereIsAMistake) {
  const auto result =
      apply({part("base.yaml", kBase),
             part("staging.yaml", "overlay: staging\ntools:\n  - {name: by, namespace: shop}\n")});
  ASSERT_EQ(result.mistakes.size(), 1U);
  EXPECT_EQ(result.mistakes[0].text(),
            "staging.yaml:3: overlay 'staging' patches tool 'shop.by', which no spec of source "
            "file has; did you mean 'shop.buy'?");
}

TEST_F(OverlaysTest, AppliesToTheCandidateAsWellAndLeavesItsShare) {
  const auto result = apply(
      {part(
           "base.yaml",
           std::string(kBase) +
               "  - {name: buy, namespace: shop, kind: python, rollout: 10, "
               "input_schema: {type: object}, implementation_config: {module: two, function_name: buy}}\n"),
       part("staging.yaml", patch("    category: test\n"))});
  ASSERT_TRUE(result.mistakes.empty()) << result.mistakes[0].text();
  for (const auto& one : result.parts[0]->specs) EXPECT_EQ(one.spec->category, "test");
  EXPECT_EQ(result.parts[0]->specs.at(1).rollout, 10U);
}

TEST_F(OverlaysTest, WhatHasNotChangedIsNotReadAgainAndAMistakeKeepsTheLastGoodVersion) {
  const auto base = part("base.yaml", kBase);
  const auto good = part("staging.yaml", patch("    description: good\n"));
  apply({base, good});
  const auto again = apply({base, good});
  EXPECT_EQ(reads_, 1);
  EXPECT_EQ(again.parts[0]->specs.at(0).spec->description, "good");
  const auto bad = apply({base, part("staging.yaml", patch("    input_schema: null\n"))});
  EXPECT_EQ(bad.mistakes.size(), 1U);
  EXPECT_EQ(bad.parts[0]->specs.at(0).spec->description, "good");
  EXPECT_EQ(apply({base, part("staging.yaml", patch("    description: better\n"))})
                .parts[0]
                ->specs.at(0)
                .spec->description,
            "better");
}

TEST_F(OverlaysTest, TheTimeGrowsWithTheNumberOfPatchesAndNotWithItsSquare) {
  const auto patched = [this](int count) {
    std::string specs = "{\"tools\": [";
    std::string patches = "{\"overlay\": \"staging\", \"tools\": [";
    for (int i = 0; i < count; ++i) {
      const auto name = "\"tool_" + std::to_string(i) + "\"";
      specs += std::string(i > 0 ? "," : "") + "{\"name\": " + name +
               ", \"kind\": \"python\", \"input_schema\": {\"type\": \"object\"}, "
               "\"implementation_config\": {\"module\": \"m\", \"function_name\": \"f\"}}";
      patches +=
          std::string(i > 0 ? "," : "") + "{\"name\": " + name + ", \"description\": \"patched\"}";
    }
    const std::vector parts{part("base.json", specs + "]}"), part("staging.json", patches + "]}")};
    const auto begun = std::chrono::steady_clock::now();
    const auto result = apply(parts);
    const auto took = std::chrono::steady_clock::now() - begun;
    EXPECT_TRUE(result.mistakes.empty());
    const auto& specs_of_base = result.parts[0]->specs;
    EXPECT_EQ(specs_of_base.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(specs_of_base.back().spec->description, "patched");
    return took;
  };
  const auto few = patched(500);
  EXPECT_LT(patched(10'000),
            100 * few);  // 20 times as many; 400 times as long if each looked at all of them
}

/// The first mistake of an overlay by itself, whatever environment is chosen.
std::string form(const std::string& text) {
  const auto document = read(text, "o.yaml");
  EXPECT_TRUE(document.specs.empty());
  return document.mistakes.empty() ? "right" : document.mistakes.front().text();
}

TEST(OverlayForm, IsCheckedWithoutTheSpecsThatItChanges) {
  const auto one = [](const std::string& fields) {
    return form("overlay: staging\ntools:\n  - name: buy\n    " + fields + "\n");
  };
  EXPECT_EQ(one("description: x"), "right");
  EXPECT_EQ(one("description: null"), "right");
  EXPECT_EQ(one("metadata: {version: '2'}"), "right");
  EXPECT_EQ(one("description: 7"), "o.yaml:4: `description` must be text: write it in quotes");
  EXPECT_EQ(one("limits: [1]"), "o.yaml:4: `limits` must be a mapping");
  EXPECT_EQ(one("enabled: 1"), "o.yaml:4: `enabled` must be true or false");
  EXPECT_EQ(one("rollout: 10"),
            "o.yaml:4: an overlay cannot change `rollout`: say it where the candidate is");
  EXPECT_EQ(one("tool_type: shell"), "o.yaml:4: an overlay says `kind`, not `tool_type`");
  EXPECT_EQ(one("colour: red").substr(0, 32), "o.yaml:4: unknown field `colour`");
  EXPECT_EQ(one("colour: null"), "o.yaml:4: unknown field \"colour\"");
  EXPECT_EQ(form("overlay: 'a b'\ntools: []\n").substr(0, 50),
            "o.yaml:1: `overlay` must be the name of an environ");
  EXPECT_EQ(form("overlay: staging\n"), "o.yaml:1: an overlay has `tools`, a list of patches");
  EXPECT_EQ(form("overlay: staging\ntools: [7]\n"),
            "o.yaml:2: a patch of a tool must be a mapping");
  EXPECT_EQ(form("overlay: staging\ntools: [{description: x}]\n"),
            "o.yaml:2: a patch of a tool has no `name`");
  EXPECT_EQ(
      form("overlay: staging\ntools:\n  - {name: buy}\n  - {name: buy, namespace: default}\n"),
      "o.yaml:4: tool 'default.buy' is already patched, at line 3");
}

TEST(MergePatch, IsThatOfTheRfc) {
  // RFC 7396, appendix A.
  const auto merged = [](const std::string& target, const std::string& patch) {
    const auto tree = [](const std::string& json) {
      std::function<specs::Located(const OrderedJson&)> located = [&](const OrderedJson& value) {
        specs::Located made{.line = 1, .members = {}};
        if (value.is_structured()) {
          made.shape =
              value.is_object() ? specs::Located::Shape::kMap : specs::Located::Shape::kList;
          for (const auto& [key, inner] : value.items())
            made.members.push_back({value.is_object() ? key : "", 1, located(inner)});
        } else {
          made.scalar = value;
        }
        return made;
      };
      return located(*parse_ordered_json(json));
    };
    return to_text(specs::to_json(specs::merge_patch(tree(target), tree(patch))));
  };
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"b":"c"})"), R"({"a":"b","b":"c"})");
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"a":null})"), "{}");
  EXPECT_EQ(merged(R"({"a":"b","b":"c"})", R"({"a":null})"), R"({"b":"c"})");
  EXPECT_EQ(merged(R"({"a":["b"]})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(merged(R"({"a":"c"})", R"({"a":["b"]})"), R"({"a":["b"]})");
  EXPECT_EQ(merged(R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})"), R"({"a":{"b":"d"}})");
  EXPECT_EQ(merged(R"({"a":[{"b":"c"}]})", R"({"a":[1]})"), R"({"a":[1]})");
  EXPECT_EQ(merged(R"(["a","b"])", R"(["c","d"])"), R"(["c","d"])");
  EXPECT_EQ(merged(R"({"a":"b"})", R"(["c"])"), R"(["c"])");
  EXPECT_EQ(merged(R"({"a":"foo"})", "null"), "null");
  EXPECT_EQ(merged(R"({"e":null})", R"({"a":1})"), R"({"e":null,"a":1})");
  EXPECT_EQ(merged("[1,2]", R"({"a":"b","c":null})"), R"({"a":"b"})");
  EXPECT_EQ(merged("{}", R"({"a":{"bb":{"ccc":null}}})"), R"({"a":{"bb":{}}})");
}

}  // namespace
}  // namespace toolway::tools::loaders
