#include "tools/loaders/spec_source.h"

#include <fmt/format.h>

namespace toolway::tools::loaders {

std::string_view source_kind_name(SourceKind kind) {
  switch (kind) {
    case SourceKind::kFile: return "file";
    case SourceKind::kHttp: return "http";
    case SourceKind::kDatabase: return "database";
    case SourceKind::kToolset: return "toolset";
  }
  return "file";
}

std::string OfferedSpec::where() const {
  return line > 0 ? fmt::format("{}:{}", origin, line) : origin;
}

std::shared_ptr<const SpecPart> make_part(std::string origin, std::vector<specs::ReadSpec> specs,
                                          std::shared_ptr<const specs::SpecOverlay> overlay,
                                          std::shared_ptr<const specs::Offers> offers) {
  auto part = std::make_shared<SpecPart>();
  part->origin = std::move(origin);
  part->overlay = std::move(overlay);
  part->offers = std::move(offers);
  part->specs.reserve(specs.size());
  for (auto& read : specs) {
    OfferedSpec offered;
    offered.digest = model::digest(read.spec);
    offered.spec = std::make_shared<const model::Spec>(std::move(read.spec));
    offered.origin = part->origin;
    offered.line = read.line;
    offered.enabled = read.enabled;
    offered.rollout = read.rollout;
    offered.entry = std::move(read.entry);
    part->specs.push_back(std::move(offered));
  }
  return part;
}

}  // namespace toolway::tools::loaders
