#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "base/seal_keys.h"
#include "gateway/wire/caller.h"
#include "gateway/wire/event_id.h"
#include "mcp/message.h"

namespace toolway::gateway::mcp {

/// The stream that answers one `tools/call` or `tasks/result` of a handshake revision. No gateway
/// keeps it: the ids of its events have it, sealed, so that any other continues it (2025-11-25,
/// basic/transports, "Resumability and Redelivery").
struct StreamOf {
  std::string session;  ///< the sealed id of the client's session, whose stream it is
  std::string call_id;
  std::string session_key;
  std::string tool;  ///< as the client names it
  toolway::mcp::RequestId request;
  Json progress_token{};
  bool task = false;  ///< it answers `tasks/result`
};

/// What the ids of its events begin with.
std::string seal_stream(const SealKeys& keys, const wire::Caller& caller, const StreamOf& stream,
                        WallTime now);

/// How far a stream has shown the events of its call.
struct ShownUpTo {
  std::string event_id{};     ///< empty: it is not known
  std::size_t questions = 0;  ///< the event's first ones, which are all it has shown of it; 0: the
                              ///< whole event was shown
};

/// The id of one event; `sealed`: as of `seal_stream`; `shown`: the progress that the stream has
/// shown by then; negative: none.
std::string stream_event_id(std::string_view sealed, const ShownUpTo& place, double shown = -1);

/// Where in which stream.
struct StreamPlace {
  StreamOf stream;
  wire::EventId after;
  double shown = -1;   ///< progress, from which it rises; negative: none
  ShownUpTo partly{};  ///< the event that comes first then, if a part of it was shown
};

/// What a `Last-Event-ID` says. Nothing: it was not made here for this caller and session, or has
/// expired.
std::optional<StreamPlace> open_stream_event(const SealKeys& keys, const wire::Caller& caller,
                                             std::string_view session, std::string_view event_id,
                                             WallTime now);

}  // namespace toolway::gateway::mcp
