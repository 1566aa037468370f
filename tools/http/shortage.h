#pragma once

#include "tools/http/http_message.h"

namespace toolway::tools::http {

/// Whether a request may have ended because this process has no descriptor, or the machine no
/// thread, left: before anything was sent, and at this moment they are used up. It looks by taking
/// some.
bool for_want_of_resources(const HttpEnd& end);

}  // namespace toolway::tools::http
