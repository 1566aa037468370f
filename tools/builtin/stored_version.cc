#include "tools/builtin/stored_version.h"

#include <fmt/format.h>

#include "base/try.h"
#include "tools/builtin/builtin.h"
#include "tools/model/kinds.h"
#include "tools/model/registry.h"
#include "tools/specs/reader.h"

namespace toolway::tools::builtin {

Result<void> check_stored_version(const std::string& document, const model::KindTypes& kinds) {
  ASSIGN_OR_RETURN(auto spec, specs::spec_of_document(document, kinds));
  if (spec.kind == model::Kind::kNative) {
    // What native tools' specs say does not depend on the root.
    ASSIGN_OR_RETURN(auto builtin, builtin_registry({.root = "/"}));
    if (builtin->find(spec.ns, spec.name)) return {};
    return fail(ErrorCode::kInvalidSpec,
                fmt::format("it has no native tool '{}'", spec.qualified_name()));
  }
  if (const auto wrong = kinds.check(spec); !wrong.empty())
    return fail(ErrorCode::kInvalidSpec, wrong.front().message);
  RETURN_IF_ERROR(model::register_tool(model::declared_tool(std::move(spec))));
  return {};
}

}  // namespace toolway::tools::builtin
