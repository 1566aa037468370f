#pragma once

#include <string>
#include <vector>

#include "tools/http/http_engine.h"

namespace toolway::tools::executors::http {

/// How a worker runs tools of kind `http`.
struct HttpOptions {
  tools::http::HttpEngineOptions engine{};
  tools::http::HttpProxy proxy{};              ///< of tools that name none
  std::string ca_file{};                       ///< PEM; empty: the system's
  std::vector<std::string> allow_addresses{};  ///< for all tools, besides what each of them allows
};

}  // namespace toolway::tools::executors::http
