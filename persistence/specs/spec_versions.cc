#include "persistence/specs/spec_versions.h"

#include <fmt/format.h>

#include "base/try.h"

namespace toolway::persistence::specs {
namespace {

Result<OrderedJson> document_of(std::span<const SpecChange> changes, const std::string& name,
                                std::int64_t number) {
  for (const auto& change : changes) {
    if (change.number != number) continue;
    if (!change.document.empty()) return parse_ordered_json(change.document);
    return fail(ErrorCode::kInvalidSpec,
                fmt::format("version {} of '{}' is a removal, and has no fields", number, name));
  }
  return fail(ErrorCode::kInvalidSpec, fmt::format("'{}' has no version {}: there are 1 to {}",
                                                   name, number, changes.size()));
}

}  // namespace

Result<std::vector<tools::specs::SpecDifference>> diff_of(std::span<const SpecChange> changes,
                                                          const std::string& name,
                                                          std::int64_t from, std::int64_t to) {
  ASSIGN_OR_RETURN(const auto before, document_of(changes, name, from));
  ASSIGN_OR_RETURN(const auto after, document_of(changes, name, to));
  return tools::specs::spec_diff(before, after);
}

}  // namespace toolway::persistence::specs
