#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/client/http_client.h"

namespace toolway::cli::specs {

/// What a gateway makes of the specs that were changed last.
struct TakenUp {
  bool read = false;                        ///< it has read all of them
  std::vector<std::string> not_in_force{};  ///< those that it does not offer as they are
};

/// `list`: the answer of GET /v1/specs; `names`: `namespace.name`. Pure.
TakenUp taken_up(const OrderedJson& list, const std::vector<std::string>& names);

enum class Tells { kYes, kNo };

/// Waits until every gateway has read the newest versions of `names`, for `patience` at most, and
/// `tells` on standard error what it waits for. Returns those that a gateway does not offer
/// although it has read them. Errors: kTimeout, naming the gateway; as HttpClient.
Result<std::vector<std::string>> await_in_force(const std::vector<client::ClientOptions>& gateways,
                                                const std::vector<std::string>& names,
                                                std::chrono::milliseconds patience, Tells tells);

}  // namespace toolway::cli::specs
