#pragma once

#include <deque>

#include "tools/specs/fields.h"

namespace toolway::tools::specs {

/// The fields of one entry of `tools`, whichever of the forms it is written in.
struct Entry {
  std::vector<NamedMember> fields;  ///< with those of `metadata` among the others
  std::deque<Located> made;         ///< what `fields` point at, where the text does not have it
  bool whole = true;  ///< false: schema or config could not be made, so there is nothing to check
};

}  // namespace toolway::tools::specs
