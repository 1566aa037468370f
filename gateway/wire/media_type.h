#pragma once

#include <string_view>

namespace toolway::gateway::wire {

/// Whether an Accept header names `type` itself, and not with `q=0`, which refuses it (RFC 9110,
/// §12.4.2).
bool names_type(std::string_view accept, std::string_view type);

/// What a reader of events wants: SSE, unless it asks for JSON and not for SSE.
enum class EventFormat { kStream, kPage };
EventFormat event_format(std::string_view accept);

/// Whether a body of this Content-Type is accepted: application/json, in UTF-8. A browser lets a
/// page send that to another origin only after a preflight.
bool is_json_type(std::string_view content_type);

}  // namespace toolway::gateway::wire
