#include "extensions/chain/extension_types.h"

#include "extensions/builtin/approval.h"
#include "extensions/builtin/http.h"
#include "extensions/builtin/limits.h"
#include "extensions/builtin/permissions.h"
#include "extensions/builtin/redact.h"
#include "extensions/builtin/refuse.h"

namespace toolway::extensions::chain {
namespace {

/// The one registration: a line for each file of builtin/.
std::vector<ExtensionType> all_extension_types() {
  // clang-format off
  return {
      builtin::permissions_type(),
      builtin::refuse_type(),
      builtin::approval_type(),
      builtin::limits_type(),
      builtin::redact_type(),
      builtin::http_type(),
  };
  // clang-format on
}

}  // namespace

std::span<const ExtensionType> extension_types() {
  static const std::vector<ExtensionType> types = all_extension_types();
  return types;
}

}  // namespace toolway::extensions::chain
