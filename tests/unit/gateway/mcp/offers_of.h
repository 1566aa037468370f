#pragma once

#include <memory>
#include <string_view>

#include "tools/specs/offers.h"
#include "tools/specs/reader.h"

namespace toolway::test {

/// What a text of specs offers besides tools; it may not name files.
inline std::shared_ptr<const tools::specs::Offers> offers_of(std::string_view text) {
  const tools::model::KindTypes kinds({});
  return tools::specs::read_specs(text, "f", {.kinds = kinds}).offers;
}

}  // namespace toolway::test
