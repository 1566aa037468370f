#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/http/http_engine.h"
#include "tools/model/kind_types.h"

namespace toolway::tools::executors::http {

/// How a worker runs tools of kind `http`.
struct HttpOptions {
  tools::http::HttpEngineOptions engine{};
  tools::http::HttpProxy proxy{};              ///< of tools that name none
  std::string ca_file{};                       ///< PEM; empty: the system's
  std::vector<std::string> allow_addresses{};  ///< for all tools, besides what each of them allows
};

/// Tools that ask a server over HTTP. Errors: kInvalidSpec (an option), kInternal (no engine).
Result<std::shared_ptr<model::ToolKind>> make_http_kind(HttpOptions options);

/// Settings: `proxy`, `no_proxy`, `allow_addresses`, `ca_file`, `max_connections`,
/// `max_idle_connections`.
model::KindType http_kind_type();

}  // namespace toolway::tools::executors::http
