#include "tools/loaders/merge_specs.h"

#include <gtest/gtest.h>

#include "tests/support/sample_tools.h"
#include "tests/unit/tools/loaders/spec_texts.h"

namespace toolway::tools::loaders {
namespace {

using Names = std::vector<std::string>;

SourcedPart part(SourceKind kind, const std::string& origin, const std::string& text) {
  auto document = read_any(text, origin);
  EXPECT_TRUE(document.mistakes.empty()) << document.mistakes.front().text();
  return {kind, make_part(origin, std::move(document.specs))};
}

/// A native spec as it is stored, adjusted.
SourcedPart native(model::Spec spec, bool enabled = true) {
  std::vector<specs::ReadSpec> specs;
  specs.push_back({.spec = std::move(spec), .line = 1, .enabled = enabled});
  return {SourceKind::kFile, make_part("native.yaml", std::move(specs))};
}

class MergeSpecs : public testing::Test {
 protected:
  MergedSpecs merge(const std::vector<SourcedPart>& parts) {
    auto merged = merge_specs(parts, *builtin_, *before_);
    before_ = merged.registry;
    return merged;
  }
  std::string described(const MergedSpecs& merged, const char* name) {
    const auto tool = merged.registry->find("t", name);
    return tool ? tool->spec().description : "none";
  }

  std::shared_ptr<const model::Registry> builtin_ = samples::sample_registry();
  std::shared_ptr<const model::Registry> before_ = builtin_;
};

TEST_F(MergeSpecs, TakesTheHigherSourceAndNamesBoth) {
  const auto merged =
      merge({part(SourceKind::kFile, "a.yaml", document({"x"}, "file")),
             part(SourceKind::kHttp, "http://h/t", document({"x", "y"}, "http")),
             part(SourceKind::kDatabase, "rows", document({"x", "y", "z"}, "rows"))});
  EXPECT_EQ(described(merged, "x"), "file");
  EXPECT_EQ(described(merged, "y"), "http");
  EXPECT_EQ(described(merged, "z"), "rows");
  EXPECT_EQ(merged.changes.added, (Names{"t.x", "t.y", "t.z"}));
  EXPECT_TRUE(merged.mistakes.empty());
  ASSERT_EQ(merged.shadowed.size(), 3U);
  EXPECT_EQ(merged.shadowed[0],
            "tool 't.x' is offered twice: the one of source file (a.yaml:2) is in force, the one "
            "of source http (http://h/t:2) is not in force");
  EXPECT_EQ(merged.in_force, (std::array<std::size_t, 4>{1, 1, 1, 0}));
  EXPECT_EQ(merged.registry->size(), builtin_->size() + 3);
}

TEST_F(MergeSpecs, OfTwoPartsOfOneKindTheFirstWinsAndTheOtherIsAMistake) {
  const auto merged = merge({part(SourceKind::kFile, "a.yaml", document({"x"}, "a")),
                             part(SourceKind::kFile, "b.yaml", document({"y", "x"}, "b"))});
  EXPECT_EQ(described(merged, "x"), "a");
  EXPECT_EQ(described(merged, "y"), "b");
  ASSERT_EQ(merged.mistakes.size(), 1U);
  EXPECT_EQ(merged.mistakes[0].mistake.text(),
            "b.yaml:3: tool 't.x' already exists, at a.yaml:2, and that one is in force");
}

/// A document with one tool, as a candidate when `rollout` is not 0.
std::string version(const std::string& name, const std::string& description, int rollout,
                    const std::string& ns = "t") {
  return "tools:\n  - {name: " + name + ", namespace: " + ns +
         ", kind: python, description: " + description +
         (rollout > 0 ? ", rollout: " + std::to_string(rollout) : "") +
         ", input_schema: {type: object}, implementation_config: {module: m, function_name: f}}\n";
}

TEST_F(MergeSpecs, ACandidateIsKeptNextToTheStableVersionOfItsSource) {
  const auto stable = part(SourceKind::kFile, "a.yaml", version("x", "one", 0));
  const auto first = merge({stable, part(SourceKind::kFile, "b.yaml", version("x", "two", 10))});
  ASSERT_TRUE(first.mistakes.empty()) << first.mistakes[0].mistake.text();
  EXPECT_EQ(described(first, "x"), "one");
  ASSERT_NE(first.registry->candidate_of("t", "x"), nullptr);
  EXPECT_EQ(first.registry->candidate_of("t", "x")->percent, 10U);
  EXPECT_EQ(first.registry->candidate_of("t", "x")->tool->spec().description, "two");
  EXPECT_EQ(first.in_force[0], 2U);
  const auto more = merge({stable, part(SourceKind::kFile, "b.yaml", version("x", "two", 25))});
  EXPECT_EQ(more.changes.changed, Names{"t.x"});
  EXPECT_EQ(more.registry->candidate_of("t", "x")->tool,
            first.registry->candidate_of("t", "x")->tool);
  // Promoted: what was compiled is used again.
  const auto promoted = merge({part(SourceKind::kFile, "a.yaml", version("x", "two", 0))});
  EXPECT_EQ(promoted.registry->find("t", "x"), first.registry->candidate_of("t", "x")->tool);
  EXPECT_EQ(promoted.changes.changed, Names{"t.x"});
  EXPECT_EQ(promoted.registry->candidate_of("t", "x"), nullptr);
}

TEST_F(MergeSpecs, RefusesACandidateWithoutItsStableVersionAndASecondOne) {
  const auto mistake = [&](const std::vector<SourcedPart>& parts) {
    const auto merged = merge(parts);
    return merged.mistakes.size() == 1 ? merged.mistakes[0].mistake.text()
                                       : std::to_string(merged.mistakes.size()) + " mistakes";
  };
  const auto alone = part(SourceKind::kFile, "b.yaml", version("x", "two", 10));
  EXPECT_EQ(
      mistake({alone}).substr(0, 85),
      "b.yaml:2: the candidate of tool 't.x' has no stable version in source file: put one n");
  EXPECT_NE(mistake({part(SourceKind::kFile, "a.yaml", version("x", "one", 0, "other")), alone})
                .find("(there is 'other.x')"),
            std::string::npos);
  EXPECT_NE(mistake({alone, part(SourceKind::kDatabase, "rows", version("x", "one", 0))})
                .find("no stable version in source file"),
            std::string::npos);
  EXPECT_EQ(mistake({part(SourceKind::kFile, "a.yaml", version("x", "one", 0)), alone,
                     part(SourceKind::kFile, "c.yaml", version("x", "three", 20))}),
            "c.yaml:2: tool 't.x' already has a candidate, at b.yaml:2");
  // A higher source has the name: neither version of the lower one is in force.
  const auto shadowed =
      merge({part(SourceKind::kFile, "a.yaml", version("x", "one", 0)),
             part(SourceKind::kDatabase, "rows", version("x", "stored", 0)),
             part(SourceKind::kDatabase, "more rows", version("x", "stored two", 50))});
  EXPECT_TRUE(shadowed.mistakes.empty());
  EXPECT_EQ(shadowed.shadowed.size(), 2U);
  EXPECT_EQ(shadowed.registry->candidate_of("t", "x"), nullptr);
}

TEST_F(MergeSpecs, KeepsWhatDidNotChangeAndSaysWhatDid) {
  const auto first = merge({part(SourceKind::kFile, "a.yaml", document({"x", "y", "z"}))});
  const auto same = merge({part(SourceKind::kFile, "a.yaml", document({"x", "y", "z"}))});
  EXPECT_TRUE(same.changes.none());
  EXPECT_EQ(same.registry->find("t", "x"), first.registry->find("t", "x"));
  const auto next = merge({part(SourceKind::kFile, "a.yaml", document({"w", "x"})),
                           part(SourceKind::kFile, "b.yaml", document({"y"}, "other"))});
  EXPECT_EQ(next.changes.added, Names{"t.w"});
  EXPECT_EQ(next.changes.changed, Names{"t.y"});
  EXPECT_EQ(next.changes.removed, Names{"t.z"});
  EXPECT_EQ(next.registry->find("t", "x"), first.registry->find("t", "x"));
  EXPECT_EQ(merge({}).registry->size(), builtin_->size());
}

TEST_F(MergeSpecs, AdjustsNativeToolsAndKeepsTheirSchemas) {
  model::Spec spec = builtin_->find("sample", "counts")->spec();
  spec.description = "Adjusted.";
  spec.input_schema = {{"type", "object"}, {"title", "of another build"}};
  const auto merged = merge({native(spec)});
  const auto tool = merged.registry->find("sample", "counts");
  ASSERT_TRUE(tool);
  EXPECT_EQ(tool->spec().description, "Adjusted.");
  EXPECT_EQ(tool->spec().input_schema, builtin_->find("sample", "counts")->spec().input_schema);
  EXPECT_EQ(merged.changes.changed, Names{"sample.counts"});
  EXPECT_TRUE(merged.shadowed.empty());
  EXPECT_TRUE(merged.registry->execute("sample.counts", "{}"));
  EXPECT_EQ(merge({native(spec)}).registry->find("sample", "counts"), tool);
  EXPECT_EQ(merge({}).registry->find("sample", "counts"), builtin_->find("sample", "counts"));
}

TEST_F(MergeSpecs, LeavesOutWhatIsNotEnabled) {
  const model::Spec spec = builtin_->find("sample", "counts")->spec();
  const auto merged = merge({native(spec, false)});
  EXPECT_FALSE(merged.registry->find("sample", "counts"));
  EXPECT_EQ(merged.changes.removed, Names{"sample.counts"});
}

TEST_F(MergeSpecs, SaysWhichNativeToolThisBuildDoesNotHave) {
  model::Spec spec = builtin_->find("sample", "counts")->spec();
  spec.name = "of_a_newer_build";
  const auto merged = merge({native(spec), part(SourceKind::kDatabase, "rows", document({"x"}))});
  ASSERT_EQ(merged.mistakes.size(), 1U);
  EXPECT_EQ(merged.mistakes[0].mistake.message,
            "this build has no native tool 'sample.of_a_newer_build'");
  EXPECT_EQ(described(merged, "x"), "first");
}

TEST_F(MergeSpecs, MergesTenThousandQuicklyWhenOneChanged) {
  std::vector<SourcedPart> parts;
  for (int p = 0; p < 100; ++p) {
    std::vector<specs::ReadSpec> specs;
    for (int i = 0; i < 100; ++i) {
      model::Spec spec{
          .name = "tool_" + std::to_string(p * 100 + i),
          .ns = "n" + std::to_string(p),
          .input_schema = {{"type", "object"}, {"properties", {{"a", {{"type", "string"}}}}}},
          .kind = model::Kind::kPython,
          .pool = "python"};
      specs.push_back({.spec = std::move(spec), .line = i + 1});
    }
    parts.push_back({SourceKind::kFile, make_part("p" + std::to_string(p), std::move(specs))});
  }
  merge(parts);
  auto one = std::make_shared<SpecPart>(*parts[50].part);
  model::Spec changed = *one->specs[7].spec;
  changed.description = "changed";
  one->specs[7].digest = model::digest(changed);
  one->specs[7].spec = std::make_shared<const model::Spec>(changed);
  parts[50].part = one;
  const auto before = std::chrono::steady_clock::now();
  const auto merged = merge(parts);
  const auto took =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before);
  EXPECT_EQ(merged.changes.changed, Names{"n50.tool_5007"});
  RecordProperty("milliseconds", std::to_string(took.count()));
  EXPECT_LT(took.count(), 1000);
}

}  // namespace
}  // namespace toolway::tools::loaders
