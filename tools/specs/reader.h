#pragma once

#include <string_view>

#include "base/result.h"
#include "tools/specs/spec_document.h"

namespace toolway::tools::specs {

class Places;

/// Reads specs from YAML or JSON (docs/specs.md): JSON when the text begins with `{"`
/// or `{}`. `origin` is what mistakes name. Never throws. Pure except for `describe` and
/// `content`.
SpecDocument read_specs(std::string_view text, std::string_view origin,
                        const ReaderOptions& options);

/// Reads the one spec of a tree that was put together from several texts: its lines are numbers of
/// `places`, by which mistakes are told.
SpecDocument read_spec_entry(const Located& entry, const Places& places,
                             const ReaderOptions& options);

/// The spec that `to_text(to_document(spec))` was made from, with the same digest. What is
/// left out has its default. Checks types only: the process that stored it had read it by
/// `read_specs`. Errors: kInvalidSpec.
Result<model::Spec> spec_of_document(std::string_view json, const model::KindTypes& kinds);

}  // namespace toolway::tools::specs
