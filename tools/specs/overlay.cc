#include "tools/specs/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "base/ids.h"
#include "tools/specs/open_entry.h"
#include "tools/specs/spec_checks.h"
#include "tools/specs/spec_fields.h"

namespace toolway::tools::specs {
namespace {

/// What a patch may take away or set, besides what it is for.
constexpr std::array<std::string_view, 23> kPatched{"kind",
                                                    "enabled",
                                                    "description",
                                                    "version",
                                                    "category",
                                                    "topic",
                                                    "permissions",
                                                    "dangerous",
                                                    "requires_approval",
                                                    "read_only",
                                                    "open_world",
                                                    "task",
                                                    "asks",
                                                    "limits",
                                                    "inline_ms",
                                                    "retry",
                                                    "result",
                                                    "pool",
                                                    "idempotent",
                                                    "multi_step",
                                                    "input_schema",
                                                    "output_schema",
                                                    "implementation_config"};

/// The values that a patch sets, as far as they can be checked without the rest.
void check_values(const Located& fields, int line, Mistakes& mistakes) {
  model::Spec spec;
  std::string kind;
  bool enabled = true;
  for (const auto& member : fields.members) {
    if (!member.value.is_text() && !member.value.is_map() && !member.value.is_list() &&
        member.value.scalar.is_null() &&
        std::find(kPatched.begin(), kPatched.end(), member.key) == kPatched.end()) {
      mistakes.add(member.line, fmt::format("unknown field {}", in_quotes(member.key)));
    }
  }
  // Without its nulls: they remove fields and are not values.
  const Located set =
      merge_patch({.shape = Located::Shape::kMap, .line = line, .members = {}}, fields);
  Fields values(set, "a patch of a tool", mistakes);
  values.text("kind", kind);
  values.flag("enabled", enabled);
  read_adjustable(values, spec, Ranges::kDocumented);
  read_fixed(values, spec);
  values.nothing_else();
}

std::optional<OverlayPatch> read_patch(const LocatedMember& item, Mistakes& mistakes) {
  const auto before = mistakes.count();
  const auto refuse = [&](int line, std::string what) {
    mistakes.add(line, std::move(what));
    return std::nullopt;
  };
  if (!item.value.is_map()) return refuse(item.line, "a patch of a tool must be a mapping");
  if (const auto* original = find(item.value, "tool_type")) {
    return refuse(original->line, "an overlay says `kind`, not `tool_type`");
  }
  const Entry opened = open_entry(item.value, mistakes);
  OverlayPatch patch{.ns = "default",
                     .name = {},
                     .line = item.line,
                     .fields = {.shape = Located::Shape::kMap, .line = item.line, .members = {}}};
  model::Spec names;
  Fields fields(opened.fields, item.line, "a patch of a tool", mistakes);
  fields.required_text("name", names.name);
  fields.text("namespace", names.ns);
  check_names(fields, names);
  if (const auto* rollout = fields.find("rollout")) {
    mistakes.add(rollout->line,
                 "an overlay cannot change `rollout`: say it where the candidate is");
  }
  patch.ns = names.ns;
  patch.name = names.name;
  for (const auto& field : opened.fields) {
    if (field.name == "name" || field.name == "namespace" || field.name == "rollout") continue;
    patch.fields.members.push_back({field.name, field.line, *field.value});
  }
  check_values(patch.fields, item.line, mistakes);
  return mistakes.count() == before ? std::optional(std::move(patch)) : std::nullopt;
}

/// Sets one member of a mapping, or takes it away.
class Patching {
 public:
  explicit Patching(Located& map) : map_(map) {
    for (std::size_t i = 0; i < map_.members.size(); ++i) places_.emplace(map_.members[i].key, i);
  }
  void take(const LocatedMember& change) {
    const bool removes =
        change.value.shape == Located::Shape::kScalar && change.value.scalar.is_null();
    const auto found = places_.find(change.key);
    if (removes) {
      if (found != places_.end()) map_.members[found->second].line = kGone;
      return;
    }
    if (found == places_.end()) {
      places_.emplace(change.key, map_.members.size());
      map_.members.push_back({change.key, change.line,
                              merge_patch({.line = change.line, .members = {}}, change.value)});
      return;
    }
    auto& member = map_.members[found->second];
    const bool replaced = !change.value.is_map() || !member.value.is_map();
    member.value = merge_patch(std::move(member.value), change.value);
    if (replaced) member.line = change.line;
  }
  ~Patching() {
    std::erase_if(map_.members, [](const LocatedMember& member) { return member.line == kGone; });
  }

 private:
  static constexpr int kGone = -1;
  Located& map_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

SpecOverlay read_overlay(const Located& document, const std::string& origin, Mistakes& mistakes) {
  SpecOverlay overlay{.env = {}, .origin = origin, .patches = {}};
  Fields fields(document, "an overlay", mistakes);
  fields.text("overlay", overlay.env);
  if (!valid_name(overlay.env)) {
    mistakes.add(
        fields.line_of("overlay"),
        "`overlay` must be the name of an environment: 1 to 64 characters of A-Z a-z 0-9 _ -");
  }
  const auto* tools = fields.find("tools");
  fields.nothing_else();
  if (tools == nullptr || !tools->value->is_list()) {
    mistakes.add(fields.line_of("tools"), "an overlay has `tools`, a list of patches");
    return overlay;
  }
  std::unordered_map<std::string, int> seen;
  for (const auto& item : tools->value->members) {
    auto patch = read_patch(item, mistakes);
    if (!patch) continue;
    const auto [first, is_new] = seen.emplace(patch->qualified_name(), item.line);
    if (is_new) {
      overlay.patches.push_back(*std::move(patch));
    } else {
      mistakes.add(item.line, fmt::format("tool '{}' is already patched, at line {}", first->first,
                                          first->second));
    }
  }
  return overlay;
}

Located merge_patch(Located target, const Located& patch) {
  if (!patch.is_map()) return patch;
  if (!target.is_map()) target = {.shape = Located::Shape::kMap, .line = patch.line, .members = {}};
  {
    Patching patching(target);
    for (const auto& change : patch.members) patching.take(change);
  }
  return target;
}

}  // namespace toolway::tools::specs
