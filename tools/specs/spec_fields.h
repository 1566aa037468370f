#pragma once

#include "tools/model/spec.h"
#include "tools/specs/fields.h"

namespace toolway::tools::specs {

/// Whether numbers are held to the ranges of docs/specs.md, or only to their types.
enum class Ranges { kDocumented, kAny };

/// Reads what a spec has besides name, namespace and kind. `adjustable`: what may be
/// changed of a native tool; `fixed`: what its code decides; a spec of another kind has both.
void read_adjustable(Fields& fields, model::Spec& spec, Ranges ranges);
void read_fixed(Fields& fields, model::Spec& spec);

}  // namespace toolway::tools::specs
