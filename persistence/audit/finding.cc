#include "persistence/audit/finding.h"

#include <fmt/format.h>

namespace toolway::persistence::audit {

using Kind = Finding::Kind;

std::string_view name_of(Finding::Kind kind) {
  switch (kind) {
    case Kind::kChanged: return "changed";
    case Kind::kMissing: return "missing";
    case Kind::kAdded: return "added";
    case Kind::kMoved: return "moved";
    case Kind::kSealChanged: return "seal_changed";
    case Kind::kSealMissing: return "seal_missing";
    case Kind::kSealBroken: return "seal_broken";
    case Kind::kUnknownKey: return "unknown_key";
    case Kind::kUnsealed: return "unsealed";
  }
  return "";
}

std::string in_words(const Finding& finding) {
  const auto number = finding.number;
  switch (finding.kind) {
    case Kind::kChanged: return fmt::format("record {} is not what was sealed", number);
    case Kind::kMissing: return fmt::format("record {} was sealed and is missing", number);
    case Kind::kAdded: return fmt::format("record {} was added: no seal covers it", number);
    case Kind::kMoved:
      return fmt::format("record {} was moved: it is now number {}", number, finding.other);
    case Kind::kSealChanged:
      return fmt::format("seal {} is not what was made: its records cannot be checked", number);
    case Kind::kSealMissing:
      return number == finding.other
                 ? fmt::format("seal {} is missing: its records cannot be checked", number)
                 : fmt::format("seals {} to {} are missing: their records cannot be checked",
                               number, finding.other);
    case Kind::kSealBroken:
      return number == finding.other
                 ? fmt::format("seal {} is not the one that you noted", number)
                 : fmt::format("seal {} does not follow seal {}: what was between them is gone",
                               number, finding.other);
    case Kind::kUnknownKey:
      return fmt::format(
          "seal {} and others were made with key {}, which is not given: add its line "
          "to the file of keys",
          number, finding.key_id);
    case Kind::kUnsealed:
      return finding.other == 1
                 ? fmt::format("record {} is older than 10 minutes, and no seal covers it", number)
                 : fmt::format(
                       "{} records from number {} on are older than 10 minutes, and no seal "
                       "covers them",
                       finding.other, number);
  }
  return "";
}

}  // namespace toolway::persistence::audit
