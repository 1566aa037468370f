#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Documentation that every gateway serves: compiled into the program.
namespace toolway::gateway::wire {

/// docs/openapi.yaml
std::string_view openapi_document();

/// docs/errors.md
std::string_view errors_document();

/// The style of the pages that a gateway shows.
std::string_view page_style();

/// What a document in Markdown says under heading "### `code`": heading and text, up to the next
/// heading. Nothing when it has no such heading.
std::optional<std::string> error_page(std::string_view document, std::string_view code);

}  // namespace toolway::gateway::wire
