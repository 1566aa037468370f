#pragma once

#include "extensions/principal.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::extensions {

/// What a call carries of who asked for it.
void write_principal(const Principal& principal, v1::Principal& message);
/// Who asked for a call, as its gateway knew it.
Principal principal_of(const v1::CallRequest& request);

}  // namespace toolway::extensions
