#pragma once

#include "gateway/endpoints/handlers.h"

namespace toolway::gateway {

/// Opens a closed session again, and shows it as opening one does, with the first of its
/// unread completions; one that is open is shown so too. Errors: as Sessions::change.
Task<Answer<Response>> restore(Services& services, const Caller& caller, std::string session_id);

}  // namespace toolway::gateway
