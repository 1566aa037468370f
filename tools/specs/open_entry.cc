#include "tools/specs/open_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tools/specs/original_form.h"

namespace toolway::tools::specs {
namespace {

/// What may be in `metadata` instead of next to it.
constexpr std::array<std::string_view, 14> kMetadata{
    "version",           "category",   "permissions", "dangerous", "is_dangerous",
    "requires_approval", "read_only",  "open_world",  "task",      "asks",
    "idempotent",        "multi_step", "limits",      "topic"};

void open_metadata(const LocatedMember& metadata, Entry& entry, Mistakes& mistakes) {
  if (!metadata.value.is_map()) return mistakes.add(metadata.line, "`metadata` must be a mapping");
  for (const auto& member : metadata.value.members) {
    if (std::find(kMetadata.begin(), kMetadata.end(), member.key) == kMetadata.end()) {
      mistakes.add(
          member.line,
          fmt::format("`metadata` has no field {}; it can have version, category, permissions, "
                      "dangerous, requires_approval, read_only, open_world, task, asks, "
                      "idempotent, multi_step, limits, topic",
                      in_quotes(member.key)));
      continue;
    }
    entry.fields.push_back({member.key, member.key, member.line, &member.value});
  }
}

void report_repeated(const std::vector<NamedMember>& fields, Mistakes& mistakes) {
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    const auto first = std::find_if(
        fields.begin(), field, [&](const NamedMember& other) { return other.name == field->name; });
    if (first == field) continue;
    mistakes.add(field->line, fmt::format("`{}` appears twice: `{}` is at line {}", field->written,
                                          first->written, first->line));
  }
}

}  // namespace

Entry open_entry(const Located& map, Mistakes& mistakes) {
  Entry entry;
  for (const auto& member : map.members) {
    if (member.key == "metadata") {
      open_metadata(member, entry, mistakes);
    } else {
      entry.fields.push_back({member.key, member.key, member.line, &member.value});
    }
  }
  if (is_original_form(map)) from_original_form(entry, mistakes);
  // A mapping of very many fields is a mistake field by field, below.
  constexpr std::size_t kMaxCompared = 200;
  if (entry.fields.size() <= kMaxCompared) report_repeated(entry.fields, mistakes);
  return entry;
}

}  // namespace toolway::tools::specs
