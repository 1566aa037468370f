#pragma once

#include <functional>
#include <string>

#include "cli/client/http_client.h"
#include "tools/http/sse_reader.h"

namespace toolway::cli::client {

using tools::http::SseEvent;

/// Follows an event stream until `handler` returns false or the stream ends for
/// good (a call's events, after `completed`). A lost connection is made again, from the last
/// event seen; it gives up when no gateway has answered for 60 s. `opened` is called at
/// the first answer. Blocks.
Result<HttpAnswer> follow_events(
    HttpClient& client, const std::string& target, const std::string& after,
    const std::function<bool(const SseEvent&)>& handler,
    const std::function<void()>& opened = [] {});

}  // namespace toolway::cli::client
