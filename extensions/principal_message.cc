#include "extensions/principal_message.h"

namespace toolway::extensions {

void write_principal(const Principal& principal, v1::Principal& message) {
  message.set_user_id(principal.user_id);
  message.set_method(principal.method);
  message.set_key_id(principal.key_id);
  message.mutable_roles()->Assign(principal.roles.begin(), principal.roles.end());
  message.mutable_namespaces()->Assign(principal.namespaces.begin(), principal.namespaces.end());
}

Principal principal_of(const v1::CallRequest& request) {
  const auto& message = request.principal();
  return {.tenant_id = request.tenant_id(),
          .user_id = message.user_id(),
          .key_id = message.key_id(),
          .roles = {message.roles().begin(), message.roles().end()},
          .namespaces = {message.namespaces().begin(), message.namespaces().end()},
          .method = message.method()};
}

}  // namespace toolway::extensions
