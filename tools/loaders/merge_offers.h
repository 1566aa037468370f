#pragma once

#include <memory>
#include <span>

#include "tools/specs/offers.h"

namespace toolway::tools::loaders {

/// The prompts and resources of several files, in order of precedence: of two prompts with one
/// name, or two resources with one URI, in one namespace, the earlier one. Pure.
specs::Offers merge_offers(std::span<const std::shared_ptr<const specs::Offers>> parts);

}  // namespace toolway::tools::loaders
