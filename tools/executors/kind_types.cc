#include "tools/executors/kind_types.h"

#include "tools/executors/command/command_kind.h"
#include "tools/executors/http/http_kind.h"
#include "tools/executors/mcp_client/mcp_kind.h"
#include "tools/executors/python/python_kind.h"
#include "tools/executors/templated/template_kind.h"

namespace toolway::tools::executors {

using model::KindType;

namespace {

KindType native_kind_type() {
  return {.kind = model::Kind::kNative,
          .check = [](const model::Spec&) { return std::vector<Mistake>{}; }};
}

/// The one registration: a line for each folder of executors/.
std::vector<KindType> all_kind_types() {
  // clang-format off
  return {
      native_kind_type(),
      python::python_kind_type(),
      command::command_kind_type(),
      http::http_kind_type(),
      mcp_client::mcp_kind_type(),
      templated::template_kind_type(),
  };
  // clang-format on
}

}  // namespace

const model::KindTypes& kind_types() {
  static const model::KindTypes types(all_kind_types());
  return types;
}

}  // namespace toolway::tools::executors
