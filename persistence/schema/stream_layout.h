#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bus/bus.h"

/// What streams and durables should be, stored in Postgres by the program that provisions them,
/// so that collectors can recreate what was deleted.
namespace toolway::persistence::schema {

/// As JSON, and back. Errors: kInternal, when it is not of that form.
std::string layout_text(const bus::Layout& layout);
Result<bus::Layout> parse_layout(std::string_view text);

/// Adds the pools that only `known` has; provisioning removes no durable.
void keep_pools(bus::Layout& layout, const bus::Layout& known);

/// What was stored last; nothing: never yet. Blocks. Errors: kStoreUnavailable; kInternal, as
/// `parse_layout`.
Result<std::optional<bus::Layout>> stored_layout(const std::string& postgres_url);

/// Pools stored earlier are kept. Blocks. Errors: kStoreUnavailable.
Result<void> store_layout(const std::string& postgres_url, const bus::Layout& layout);

}  // namespace toolway::persistence::schema
