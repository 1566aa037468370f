#pragma once

#include <string>
#include <vector>

#include "tools/specs/fields.h"
#include "tools/specs/located.h"

namespace toolway::tools::specs {

/// What an overlay changes of one spec: a JSON Merge Patch (RFC 7396) of its fields.
struct OverlayPatch {
  std::string ns;
  std::string name;
  int line = 0;
  Located fields;  ///< without name and namespace, `metadata` opened

  std::string qualified_name() const { return ns + "." + name; }
};

/// A document that changes specs for one environment.
struct SpecOverlay {
  std::string env;
  std::string origin;
  std::vector<OverlayPatch> patches;
};

/// Reads `overlay: NAME` with its `tools`, and checks all that can be known without the specs that
/// it changes.
SpecOverlay read_overlay(const Located& document, const std::string& origin, Mistakes& mistakes);

/// RFC 7396: members of `patch` replace those of `target`, mappings are gone into, null takes away.
Located merge_patch(Located target, const Located& patch);

}  // namespace toolway::tools::specs
