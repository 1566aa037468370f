#include "tools/loaders/overlays.h"

#include <fmt/format.h>

#include <unordered_map>

#include "base/json_pointer.h"
#include "base/nearest_names.h"
#include "tools/specs/overlay.h"

namespace toolway::tools::loaders {

/// One patch, and the overlay that it is of.
struct Overlays::Layer {
  std::shared_ptr<const specs::SpecOverlay> overlay;
  const specs::OverlayPatch* patch;
};

namespace {

/// The fields that are not where the spec itself is, with all that is in them.
void note_overlaid(const std::string& pointer, const specs::Located& map,
                   const specs::Places& places, OfferedSpec& spec) {
  for (const auto& member : map.members) {
    const auto& place = places.at(member.line);
    auto field = pointer_to(pointer, member.key);
    if (place.origin != spec.origin) {
      spec.overlaid.push_back({std::move(field), place.origin, place.line});
    } else if (member.value.is_map()) {
      note_overlaid(field, member.value, places, spec);
    }
  }
}

}  // namespace

Overlays::Made Overlays::make(const OfferedSpec& base, const std::vector<Layer>& layers) const {
  Made made;
  made.kept.push_back(base.entry);
  specs::Places places;
  specs::Located entry = places.numbered(*base.entry, base.origin);
  // The earlier one is put on last, and so wins.
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    made.kept.push_back(layer->overlay);
    entry = specs::merge_patch(std::move(entry),
                               places.numbered(layer->patch->fields, layer->overlay->origin));
  }
  auto document = read_(entry, places);
  made.mistakes = std::move(document.mistakes);
  if (!made.mistakes.empty() || document.specs.empty()) return made;
  auto& read = document.specs.front();
  OfferedSpec offered = base;
  offered.digest = model::digest(read.spec);
  offered.spec = std::make_shared<const model::Spec>(std::move(read.spec));
  offered.enabled = read.enabled;
  note_overlaid("", entry, places, offered);
  made.spec = std::move(offered);
  return made;
}

OverlaidParts Overlays::apply(std::span<const std::shared_ptr<const SpecPart>> parts,
                              std::string_view source) {
  OverlaidParts result;
  std::unordered_map<std::string, std::vector<Layer>> layers;
  std::vector<Layer> all;
  for (const auto& part : parts) {
    if (!part->overlay || part->overlay->env != env_) continue;
    for (const auto& patch : part->overlay->patches) {
      layers[patch.qualified_name()].push_back({part->overlay, &patch});
      all.push_back({part->overlay, &patch});
    }
  }
  if (layers.empty()) {
    result.parts.assign(parts.begin(), parts.end());
    return result;
  }
  std::unordered_map<std::string, bool> there;
  auto& made_before = made_[std::string(source)];
  std::map<Key, Made> still;
  for (const auto& part : parts) {
    auto changed = std::make_shared<SpecPart>();
    changed->origin = part->origin;
    for (const auto& base : part->specs) {
      const auto name = base.spec->qualified_name();
      there[name] = true;
      const auto found = layers.find(name);
      if (found == layers.end() || !base.entry) {
        changed->specs.push_back(base);
        continue;
      }
      Key key{base.entry.get()};
      for (const auto& layer : found->second) key.push_back(layer.patch);
      auto before = made_before.extract(key);
      auto& made = still[key] = before ? std::move(before.mapped()) : make(base, found->second);
      const auto place = fmt::format("{} {} {}", source, name, base.rollout > 0);
      if (made.spec) {
        made.spec->rollout = base.rollout;
        last_good_.insert_or_assign(place, *made.spec);
        changed->specs.push_back(*made.spec);
        continue;
      }
      result.mistakes.insert(result.mistakes.end(), made.mistakes.begin(), made.mistakes.end());
      if (const auto good = last_good_.find(place); good != last_good_.end())
        changed->specs.push_back(good->second);
    }
    result.parts.push_back(std::move(changed));
  }
  made_before = std::move(still);
  std::vector<std::string> names;
  for (const auto& [name, is] : there) names.push_back(name);
  for (const auto& [overlay, patch] : all) {
    const auto name = patch->qualified_name();
    if (there.contains(name)) continue;
    const auto near = nearest_names(name, names);
    const auto hint = near.empty() ? "" : "; did you mean " + quoted_choices(near) + "?";
    auto message = fmt::format("overlay '{}' patches tool '{}', which no spec of source {} has{}",
                               env_, name, source, hint);
    result.mistakes.push_back({overlay->origin, std::move(message), patch->line});
  }
  return result;
}

}  // namespace toolway::tools::loaders
