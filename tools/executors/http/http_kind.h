#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/executors/http/http_options.h"
#include "tools/model/kind_types.h"

namespace toolway::tools::executors::http {

/// Tools that ask a server over HTTP. Errors: kInvalidSpec (an option), kInternal (no engine).
Result<std::shared_ptr<model::ToolKind>> make_http_kind(HttpOptions options);

/// Settings: `proxy`, `no_proxy`, `allow_addresses`, `ca_file`, `max_connections`,
/// `max_idle_connections`.
model::KindType http_kind_type();

}  // namespace toolway::tools::executors::http
