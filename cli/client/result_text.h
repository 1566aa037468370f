#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "cli/terminal/view.h"

namespace toolway::cli::client {

/// A result that is text: a JSON string, or the content blocks of an MCP tool when all are text.
/// Nothing: it is another value. Pure.
std::optional<std::string> text_result(const OrderedJson& result);

/// On standard output: text as it is on a terminal and with `-o raw`, else JSON. A line ends it.
void print_result(const terminal::View& view, const OrderedJson& result);

}  // namespace toolway::cli::client
