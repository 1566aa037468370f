#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "chat/providers/provider_memory.h"
#include "tools/http/http_engine.h"

namespace toolway::chat::providers {

struct HttpProviderOptions {
  std::string base_url;              ///< without the API's path; may have a query
  std::string key{};                 ///< a secret; empty: none
  std::string key_name = "the key";  ///< where it comes from: ANTHROPIC_API_KEY
  std::shared_ptr<const tools::http::AddressPolicy> addresses =
      std::make_shared<const tools::http::AddressPolicy>();
  tools::http::HttpProxy proxy{};
  std::string ca_file{};
  PaceLimits pace{};
  /// Shared by all that ask the same models.
  std::shared_ptr<ProviderMemory> memory = std::make_shared<ProviderMemory>();
  tools::http::HttpLimits limits{.connect = std::chrono::seconds(10),
                                 .first_byte = std::chrono::seconds(120),
                                 .idle = std::chrono::seconds(60),
                                 .total = std::chrono::minutes(10),
                                 .max_body_bytes = 64UL << 20};
};

/// A model behind HTTP. Parameters that a model refuses are left out from then on.
/// Requests wait for their share of `pace`; each try is one. `clock`
/// outlives it. Errors: kInvalidRequest (the URL; a key that would travel in plain text).
Result<std::unique_ptr<Provider>> make_http_provider(
    std::unique_ptr<Dialect> dialect, HttpProviderOptions options,
    std::shared_ptr<tools::http::HttpEngine> engine, const Clock& clock);

}  // namespace toolway::chat::providers
