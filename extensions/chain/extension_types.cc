#include "extensions/builtin/approval.h"
#include "extensions/builtin/permissions.h"
#include "extensions/builtin/redact.h"
#include "extensions/builtin/refuse.h"
#include "extensions/extension_type.h"

namespace toolway::extensions {
namespace {

/// The one registration: a line for each file of builtin/.
std::vector<ExtensionType> all_extension_types() {
  // clang-format off
  return {
      builtin::permissions_type(),
      builtin::refuse_type(),
      builtin::approval_type(),
      builtin::redact_type(),
  };
  // clang-format on
}

}  // namespace

std::span<const ExtensionType> extension_types() {
  static const std::vector<ExtensionType> types = all_extension_types();
  return types;
}

}  // namespace toolway::extensions
