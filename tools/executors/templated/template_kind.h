#pragma once

#include "tools/model/kind_types.h"

namespace toolway::tools::executors::templated {

/// Tools that fill in a template: prompt fragments, canned guidance (docs/kinds.md). Nothing is
/// started and no server is asked. Settings: `directory`, where the files of `file` templates are.
model::KindType template_kind_type();

}  // namespace toolway::tools::executors::templated
