#pragma once

#include <string_view>

#include "base/json.h"

/// What a client lets servers ask it for. Pure.
namespace toolway::mcp {

struct ClientCapabilities {
  bool form = false;  ///< elicitation/create for the fields of a form
  bool url = false;   ///< elicitation/create for a page to open
  bool sampling = false;
  bool roots = false;

  bool operator==(const ClientCapabilities&) const = default;
};

/// As it is declared (2025-11-25, basic/lifecycle, "Capability Negotiation", and
/// client/elicitation, "Capabilities"); none: an empty object.
Json capabilities_json(const ClientCapabilities& declared);

/// Whether anything is.
bool any(const ClientCapabilities& declared);

/// What both allow.
ClientCapabilities both(const ClientCapabilities& one, const ClientCapabilities& other);

/// Whether servers ask by this method.
bool is_question(std::string_view method);
/// `roots/list`
bool asks_for_roots(std::string_view method);
/// Whether a server may ask this of one that has declared that; of another method: no.
bool may_ask(const ClientCapabilities& declared, std::string_view method, const Json& params);

}  // namespace toolway::mcp
