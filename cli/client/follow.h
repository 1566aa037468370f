#pragma once

#include <functional>
#include <string>

#include "cli/client/http_client.h"
#include "tools/http/sse_reader.h"

namespace toolway::cli::client {

using tools::http::SseEvent;

/// What follow_events() tells besides events, and what it does when no gateway is there at first.
struct Following {
  enum class FirstTry {
    kRepeated,  ///< as any other
    kFails,     ///< its error is returned: a person waits for it
  };
  std::function<void()> opened = [] {};  ///< the first answer is there
  std::function<void()> lost = [] {};    ///< no gateway answers any more; it tries again
  std::function<void()> back = [] {};    ///< one answers again
  FirstTry first_try = FirstTry::kRepeated;
};

/// Follows an event stream until `handler` returns false or the stream ends for
/// good (a call's events, after `completed`). A lost connection is made again, from the last
/// event seen; it gives up when no gateway has answered for 60 s. Blocks. Errors: as
/// HttpClient::stream; kBusUnavailable when the answer is not a gateway's.
Result<HttpAnswer> follow_events(HttpClient& client, const std::string& target,
                                 const std::string& after,
                                 const std::function<bool(const SseEvent&)>& handler,
                                 const Following& following = {});

}  // namespace toolway::cli::client
