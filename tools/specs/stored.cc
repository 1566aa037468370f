// Specs as they are stored and sent: the documents that to_document makes.
#include <fmt/format.h>

#include "tools/specs/reader.h"
#include "tools/specs/spec_fields.h"
#include "tools/specs/trees.h"

namespace toolway::tools::specs {

Result<model::Spec> spec_of_document(std::string_view json, const model::KindTypes& kinds) {
  Mistakes mistakes("spec");
  model::Spec spec;
  if (const auto tree = json_tree(json, mistakes); tree && tree->is_map()) {
    Fields fields(*tree, "a spec", mistakes);
    std::string kind;
    fields.required_text("name", spec.name);
    fields.text("namespace", spec.ns);
    fields.required_text("kind", kind);
    if (const auto* known = kinds.find(kind)) {
      spec.kind = known->kind;
    } else {
      mistakes.add(fields.line_of("kind"), fmt::format("there is no kind {}", in_quotes(kind)));
    }
    spec.pool = kind;
    read_adjustable(fields, spec, Ranges::kAny);
    read_fixed(fields, spec);
    fields.nothing_else();
  } else if (mistakes.count() == 0) {
    mistakes.add(1, "must be an object");
  }
  if (mistakes.count() == 0) return spec;
  return fail(ErrorCode::kInvalidSpec, std::move(mistakes).take().front().text());
}

}  // namespace toolway::tools::specs
