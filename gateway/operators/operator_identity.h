#pragma once

#include <string>

#include "gateway/wire/caller.h"
#include "persistence/specs/spec_store.h"

/// Who an operator is, for the audit. Pure.
namespace toolway::gateway::operators {

/// Whether a key or token says who the caller is. Else it has the operators' token, which many may
/// have, and the request says who it is.
bool is_known(const wire::Caller& caller);

/// Under which name a change is kept: what the request says, or else the caller's.
std::string name_of(const wire::Caller& caller, const std::string& by);

/// Names the author, and for the audit the caller.
void identify(persistence::specs::SpecAuthor& author, const wire::Caller& caller);

}  // namespace toolway::gateway::operators
