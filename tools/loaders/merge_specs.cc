#include "tools/loaders/merge_specs.h"

#include <fmt/format.h>

#include <unordered_map>

#include "tools/model/kinds.h"
#include "tools/native/native_tool.h"

namespace toolway::tools::loaders {
namespace {

class Merging {
 public:
  Merging(const model::Registry& builtin, const model::Registry& before)
      : builtin_(builtin), before_(before) {}

  void take(const SourcedPart& sourced) {
    for (const auto& offered : sourced.part->specs) {
      if (offered.rollout > 0) {
        candidates_.push_back({sourced.source, &offered});
      } else {
        take(sourced.source, offered);
      }
    }
  }

  MergedSpecs finish() {
    for (const auto* tool : builtin_.list()) {
      if (!taken_.contains(tool->spec().qualified_name())) {
        offer(builtin_.find(tool->spec().ns, tool->spec().name));
      }
    }
    std::vector<model::Candidate> candidates;
    for (const auto& [source, offered] : candidates_) place(source, *offered, candidates);
    // Names are unique by now, and every candidate has its stable version, so this cannot fail.
    merged_.registry = *model::Registry::of(std::move(tools_), std::move(candidates));
    compare();
    return std::move(merged_);
  }

 private:
  struct Taken {
    SourceKind source;
    const OfferedSpec* offered;
  };

  void take(SourceKind source, const OfferedSpec& offered) {
    auto name = offered.spec->qualified_name();
    const auto [first, is_new] = taken_.try_emplace(std::move(name), Taken{source, &offered});
    if (!is_new) return pass_over(first->first, first->second, source, offered);
    auto tool = offered.enabled ? tool_of(offered) : Result<model::RegisteredToolPtr>(nullptr);
    if (!tool) {
      refuse(source, offered, tool.error().message);
      // What cannot be offered does not hide what can.
      taken_.erase(first);
      return;
    }
    if (!*tool) return;
    warn_of_builtin(source, offered);
    ++merged_.in_force[static_cast<std::size_t>(source)];
    offer(*std::move(tool));
  }

  /// A candidate needs a stable version from its own kind of source, or a
  /// built-in tool that no source adjusts.
  void place(SourceKind source, const OfferedSpec& offered,
             std::vector<model::Candidate>& candidates) {
    const auto name = offered.spec->qualified_name();
    const auto stable = taken_.find(name);
    const bool of_build =
        stable == taken_.end() && builtin_.find(offered.spec->ns, offered.spec->name);
    if (stable != taken_.end() && stable->second.source < source) {
      merged_.shadowed.push_back(
          fmt::format("the candidate of tool '{}' at {} is not in force: the tool is that of "
                      "source {} ({})",
                      name, offered.where(), source_kind_name(stable->second.source),
                      stable->second.offered->where()));
      return;
    }
    if (!of_build && (stable == taken_.end() || stable->second.source != source)) {
      return refuse(
          source, offered,
          fmt::format("the candidate of tool '{}' has no stable version in source {}: put "
                      "one next to it, of the same name and namespace, or remove "
                      "`rollout`{}",
                      name, source_kind_name(source), elsewhere(*offered.spec)));
    }
    if (!placed_.emplace(name, &offered).second) {
      return refuse(
          source, offered,
          fmt::format("tool '{}' already has a candidate, at {}", name, placed_[name]->where()));
    }
    if (!offered.enabled || (stable != taken_.end() && !stable->second.offered->enabled)) return;
    auto tool = tool_of(offered);
    if (!tool) return refuse(source, offered, tool.error().message);
    ++merged_.in_force[static_cast<std::size_t>(source)];
    candidates.push_back({*std::move(tool), offered.rollout});
  }

  /// Where a stable version of that name is, if in another namespace.
  std::string elsewhere(const model::Spec& candidate) const {
    for (const auto& [name, taken] : taken_) {
      if (taken.offered->spec->name == candidate.name) return fmt::format(" (there is '{}')", name);
    }
    return "";
  }

  void pass_over(const std::string& name, const Taken& winner, SourceKind source,
                 const OfferedSpec& loser) {
    if (winner.source == source) {
      refuse(source, loser,
             fmt::format("tool '{}' already exists, at {}, and that one is in force", name,
                         winner.offered->where()));
      return;
    }
    merged_.shadowed.push_back(
        fmt::format("tool '{}' is offered twice: the one of source {} ({}) is {}, the one of "
                    "source {} ({}) is not in force",
                    name, source_kind_name(winner.source), winner.offered->where(),
                    winner.offered->enabled ? "in force" : "not enabled", source_kind_name(source),
                    loser.where()));
  }

  void warn_of_builtin(SourceKind source, const OfferedSpec& offered) {
    const model::Spec& spec = *offered.spec;
    if (spec.kind == model::Kind::kNative || !builtin_.find(spec.ns, spec.name)) return;
    merged_.shadowed.push_back(
        fmt::format("tool '{}' is offered twice: the one of source {} ({}) is in force, the "
                    "built-in one is not",
                    spec.qualified_name(), source_kind_name(source), offered.where()));
  }

  Result<model::RegisteredToolPtr> tool_of(const OfferedSpec& offered) {
    const model::Spec& spec = *offered.spec;
    if (spec.kind == model::Kind::kNative) return native_of(spec);
    if (auto same = known(spec, offered.digest)) return same;
    return model::register_tool(model::declared_tool(spec));
  }

  /// As it was made before: the stable version, or the candidate that has been promoted.
  model::RegisteredToolPtr known(const model::Spec& spec, const std::string& digest) const {
    if (auto same = before_.find(spec.ns, spec.name); same && same->digest == digest) return same;
    const auto* candidate = before_.candidate_of(spec.ns, spec.name);
    return candidate != nullptr && candidate->tool->digest == digest ? candidate->tool : nullptr;
  }

  /// A built-in tool under an adjusted spec. Its schemas are those of this
  /// build: a spec that was stored by another one does not change them.
  Result<model::RegisteredToolPtr> native_of(model::Spec spec) {
    auto own = builtin_.find(spec.ns, spec.name);
    if (!own) {
      return fail(ErrorCode::kInvalidSpec,
                  fmt::format("this build has no native tool '{}'", spec.qualified_name()));
    }
    spec.input_schema = own->spec().input_schema;
    spec.output_schema = own->spec().output_schema;
    const auto wanted = model::digest(spec);
    if (own->digest == wanted) return own;
    if (auto same = known(spec, wanted)) return same;
    return model::register_tool(native::with_spec(own->tool, std::move(spec)));
  }

  void refuse(SourceKind source, const OfferedSpec& offered, std::string what) {
    merged_.mistakes.push_back({source, Mistake{offered.origin, std::move(what), offered.line}});
  }

  void offer(model::RegisteredToolPtr tool) { tools_.push_back(std::move(tool)); }

  bool candidate_changed(const model::Spec& spec) const {
    if (merged_.registry->candidates().empty() && before_.candidates().empty()) return false;
    const auto* now = merged_.registry->candidate_of(spec.ns, spec.name);
    const auto* before = before_.candidate_of(spec.ns, spec.name);
    if (now == nullptr || before == nullptr) return now != before;
    return now->percent != before->percent || now->tool->digest != before->tool->digest;
  }

  /// Goes along both lists, which are sorted by qualified name.
  void compare() {
    const auto now = merged_.registry->list();
    const auto before = before_.list();
    auto& [added, changed, removed] = merged_.changes;
    auto n = now.begin();
    auto b = before.begin();
    while (n != now.end() || b != before.end()) {
      if (n != now.end() && b != before.end() && *n == *b && !candidate_changed((*n)->spec())) {
        ++n, ++b;
        continue;
      }
      const std::string name = n == now.end() ? "" : (*n)->spec().qualified_name();
      const std::string old = b == before.end() ? "" : (*b)->spec().qualified_name();
      if (n != now.end() && name == old) {
        if ((*n)->digest != (*b)->digest || candidate_changed((*n)->spec()))
          changed.push_back(name);
        ++n, ++b;
      } else if (b == before.end() || (n != now.end() && name < old)) {
        added.push_back(name);
        ++n;
      } else {
        removed.push_back(old);
        ++b;
      }
    }
  }

  const model::Registry& builtin_;
  const model::Registry& before_;
  std::unordered_map<std::string, Taken> taken_;
  struct Sourced {
    SourceKind source;
    const OfferedSpec* offered;
  };
  std::vector<Sourced> candidates_;  // in order of precedence
  std::unordered_map<std::string, const OfferedSpec*> placed_;
  std::vector<model::RegisteredToolPtr> tools_;
  MergedSpecs merged_;
};

}  // namespace

MergedSpecs merge_specs(std::span<const SourcedPart> parts, const model::Registry& builtin,
                        const model::Registry& before) {
  Merging merging(builtin, before);
  for (const auto& part : parts) merging.take(part);
  return merging.finish();
}

}  // namespace toolway::tools::loaders
