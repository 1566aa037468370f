#include "gateway/operators/operator_identity.h"

#include "gateway/operators/operator_name.h"

namespace toolway::gateway::operators {

bool is_known(const wire::Caller& caller) {
  return !caller.method.empty() && caller.method != extensions::kByOperator;
}

std::string name_of(const wire::Caller& caller, const std::string& by) {
  if (!by.empty()) return by;
  return is_known(caller) ? caller.user_id : std::string(kOperator);
}

void identify(persistence::specs::SpecAuthor& author, const wire::Caller& caller) {
  author.who = name_of(caller, author.who);
  if (!is_known(caller)) return;
  author.caller = {.tenant_id = caller.tenant_id,
                   .user_id = caller.user_id,
                   .method = caller.method,
                   .key_id = caller.key_id};
}

}  // namespace toolway::gateway::operators
