#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/client/verbs.h"

/// Why a list may be empty that should not be: a filter that fits nothing there is. Pure.
namespace toolway::cli::client {

/// Those of a gateway's tools that `name`, with or without its namespace, may have been meant to
/// be.
std::vector<std::string> near_tools(const std::string& name, const OrderedJson& answer);

/// Warnings about the filters of an empty list; `answer` is that of `GET /v1/tools`.
std::vector<std::string> filter_hints(const CallListOptions& options, const OrderedJson& answer);

}  // namespace toolway::cli::client
