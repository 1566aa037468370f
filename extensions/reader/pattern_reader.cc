#include "extensions/reader/pattern_reader.h"

#include <fmt/format.h>

namespace toolway::extensions::reader {
namespace {

using tools::schema::Pattern;
using tools::specs::Fields;

/// Each text that readers see is looked at for each of them.
constexpr std::size_t kMaxPatterns = 32;
constexpr std::size_t kMaxPatternBytes = 512;
constexpr Range<std::int64_t> kSlow{1, 86'400'000};

std::shared_ptr<const Pattern> read_pattern(const tools::specs::Located& item, int line,
                                            Mistakes& mistakes) {
  const auto* text = item.scalar.get_ptr<const std::string*>();
  if (text == nullptr || text->empty()) {
    mistakes.add(line, "a pattern must be a regular expression, in quotes: 'sk-[A-Za-z0-9]{20,}'");
    return nullptr;
  }
  if (text->size() > kMaxPatternBytes) {
    mistakes.add(line, fmt::format("the pattern has {} bytes; the limit is {}", text->size(),
                                   kMaxPatternBytes));
    return nullptr;
  }
  auto pattern = Pattern::create(*text);
  if (!pattern) {
    mistakes.add(line, fmt::format("{} is not a regular expression that can be matched in bounded "
                                   "time: {}",
                                   in_quotes(*text), pattern.error()));
    return nullptr;
  }
  if (pattern->found_in("")) {
    mistakes.add(line, fmt::format("{} matches the empty text, and so every text: say what a "
                                   "secret looks like",
                                   in_quotes(*text)));
    return nullptr;
  }
  return std::make_shared<const Pattern>(*std::move(pattern));
}

}  // namespace

std::vector<std::shared_ptr<const Pattern>> read_patterns(Fields& fields) {
  std::vector<std::shared_ptr<const Pattern>> patterns;
  const auto* list = fields.list("patterns");
  if (list == nullptr) return patterns;
  if (list->members.size() > kMaxPatterns)
    fields.wrong("patterns", fmt::format("`patterns` has {}; the limit is {}", list->members.size(),
                                         kMaxPatterns));
  for (const auto& item : list->members) {
    if (auto pattern = read_pattern(item.value, item.line, fields.mistakes()))
      patterns.push_back(std::move(pattern));
  }
  return patterns;
}

LogRules read_log(const tools::specs::Located& map, Mistakes& mistakes) {
  LogRules rules;
  Fields fields(map, "`log`", mistakes);
  rules.all_calls = fields.choice("calls", {"refused", "all"}) == "all";
  fields.milliseconds("slow_ms", rules.slow, kSlow);
  fields.nothing_else();
  return rules;
}

}  // namespace toolway::extensions::reader
