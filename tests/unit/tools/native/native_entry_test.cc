// What a file may change of a native tool.
#include <gtest/gtest.h>

#include "tests/unit/tools/specs/documents.h"
#include "tools/executors/kind_types.h"

namespace toolway::tools::native {
namespace {

class NativeEntry : public testing::Test {
 protected:
  static std::string echo(const std::string& more) {
    return "tools:\n  - name: echo\n    namespace: bench\n    kind: native\n" + more;
  }

  const std::vector<model::Spec> natives_{
      {.name = "echo",
       .ns = "bench",
       .description = "Echoes.",
       .input_schema = {{"type", "object"}},
       .idempotent = true},
      {.name = "stream", .ns = "bench", .input_schema = {{"type", "object"}}}};
  const specs::ReaderOptions options_{.kinds = executors::kind_types(), .natives = natives_};
};

TEST_F(NativeEntry, Adjusts) {
  const auto document = specs::read_specs(
      echo("    topic: Echo\n    dangerous: true\n    limits: {run_ms: 9}\n"
           "    retry: {max_attempts: 2}\n    inline_ms: 1\n    result: {max_bytes: 5}\n"
           "  - {name: stream, namespace: bench, kind: native, enabled: false}\n"),
      "f", options_);
  ASSERT_EQ(document.specs.size(), 2U) << document.mistakes.at(0).text();
  const model::Spec& spec = document.specs[0].spec;
  EXPECT_EQ(spec.description, "Echoes.");
  EXPECT_EQ(spec.topic, "Echo");
  EXPECT_TRUE(spec.dangerous && spec.idempotent);
  EXPECT_EQ(spec.limits.run.count(), 9);
  EXPECT_EQ(spec.limits.total, std::chrono::minutes(60));
  EXPECT_EQ(spec.retry.max_attempts, 2U);
  EXPECT_EQ(spec.inline_wait.count(), 1);
  EXPECT_EQ(spec.result.max_bytes, 5U);
  EXPECT_TRUE(document.specs[0].enabled);
  EXPECT_FALSE(document.specs[1].enabled);
}

TEST_F(NativeEntry, DoesNotChangeWhatTheCodeSays) {
  for (const char* field : {"input_schema: {type: object}", "output_schema: {}", "pool: x",
                            "idempotent: false", "multi_step: true", "implementation_config: {}"}) {
    const std::string text(field);
    EXPECT_EQ(specs::mistakes_of(echo("    " + text + "\n"), options_),
              specs::Lines{"5: `" + text.substr(0, text.find(':')) +
                           "` of a native tool comes from its code: remove it"});
  }
}

TEST_F(NativeEntry, MustBeThere) {
  EXPECT_EQ(
      specs::mistakes_of("tools:\n  - name: ecko\n    namespace: bench\n    kind: native\n",
                         options_),
      specs::Lines{"2: this build has no native tool \"bench.ecko\"; did you mean 'bench.echo'?"});
  EXPECT_EQ(specs::mistakes_of("tools:\n  - {name: echo, kind: native}\n", options_),
            specs::Lines{
                "2: this build has no native tool \"default.echo\"; did you mean 'bench.echo'?"});
}

}  // namespace
}  // namespace toolway::tools::native
