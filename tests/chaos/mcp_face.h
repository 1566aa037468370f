#pragma once

#include <array>
#include <map>
#include <string>

#include "base/json.h"

/// What clients of each revision send, as the chaos agents write it: nothing of the product's own
/// is used, which would be wrong in the same way. Pure.
namespace toolway::chaos {

enum class Era { k2025_06_18, k2025_11_25, k2026_07_28 };
inline constexpr std::array<Era, 3> kEras{Era::k2025_06_18, Era::k2025_11_25, Era::k2026_07_28};

const char* revision_of(Era era);
/// Whether it begins with `initialize`.
bool has_handshake(Era era);

/// What a request says beside its method and params.
struct Wishes {
  std::string progress_token{};  ///< empty: no progress
  bool logs = false;             ///< 2026-07-28: all logs
  bool tasks = false;            ///< likewise: declares tasks
};

std::string request_body(Era era, int id, const std::string& method, OrderedJson params,
                         const Wishes& wishes = {});
std::string notification_body(const std::string& method, OrderedJson params);
/// To a question of the server; `id`: as it came.
std::string response_body(const OrderedJson& id, OrderedJson result);
OrderedJson initialize_params(Era era);

using HeaderMap = std::map<std::string, std::string>;
/// `session`: the value of MCP-Session-Id; `params`: of the request. Empty method: a notification,
/// a response or a GET.
HeaderMap headers_of(Era era, const std::string& method, const OrderedJson& params,
                     const std::string& session);

/// The answer to a question of the workload's tools; `value` empty: a refusal.
OrderedJson answer_of(const std::string& value);

}  // namespace toolway::chaos
