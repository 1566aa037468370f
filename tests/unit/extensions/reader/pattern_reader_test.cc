#include "extensions/reader/pattern_reader.h"

#include "tests/unit/extensions/policies.h"
#include "tools/specs/trees.h"

namespace toolway::extensions::reader {
namespace {

struct Read {
  std::size_t patterns = 0;
  LogRules log;
  std::vector<toolway::Mistake> mistakes;
};

Read read(std::string_view text) {
  Read made;
  Mistakes mistakes("file");
  const auto tree = tools::specs::read_tree(text, mistakes);
  tools::specs::Fields fields(*tree, "the file", mistakes);
  made.patterns = read_patterns(fields).size();
  if (const auto* log = fields.map("log")) made.log = read_log(*log, mistakes);
  made.mistakes = std::move(mistakes).take();
  return made;
}

TEST(PatternReader, ReadsPatternsAndWhatIsLogged) {
  const auto both = read("patterns: ['a', 'b+']\nlog: {calls: all, slow_ms: 1}");
  EXPECT_TRUE(both.mistakes.empty());
  EXPECT_EQ(both.patterns, 2U);
  EXPECT_TRUE(both.log.all_calls);
  EXPECT_EQ(both.log.slow, std::chrono::milliseconds(1));
  EXPECT_EQ(read("rules: []").patterns, 0U);
}

TEST(PatternReader, LeavesOutWhatIsWrongAndSaysSo) {
  const auto wrong = read("patterns: ['a', '(', '']\nlog: {calls: some}");
  EXPECT_EQ(wrong.patterns, 1U);
  EXPECT_EQ(wrong.mistakes.size(), 3U);
}

}  // namespace
}  // namespace toolway::extensions::reader
