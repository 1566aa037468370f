#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/mcp/rpc_request.h"
#include "gateway/wire/event_stream.h"
#include "gateway/wire/http_types.h"
#include "gateway/wire/media_type.h"
#include "gateway/wire/routed_request.h"
#include "mcp/message.h"

namespace toolway::gateway::mcp {

/// One message as the whole answer to a request.
inline wire::Response json_response(std::string body, unsigned status = 200) {
  return {.status = status, .body = std::move(body)};
}

inline wire::Response failed(const RpcFailure& failure) {
  return json_response(failure_text(failure), failure.status);
}

/// An error of the protocol: only clients of 2026-07-28 see it in the status as well.
inline wire::Response failed(const RpcRequest& request, toolway::mcp::RpcError error) {
  return failed({.status = request.stateless ? 400U : 200U,
                 .id = request.request.id,
                 .error = std::move(error)});
}

/// The same for params that are none.
inline wire::Response wrong_params(const RpcRequest& request, std::string message) {
  return failed(request, {.code = toolway::mcp::kInvalidParams, .message = std::move(message)});
}

/// An answer that refuses what was asked, as one of this code.
inline wire::Response refusing(ErrorCode code, wire::Response answer) {
  answer.refused = code;
  return answer;
}

/// Whether its client names streams among what it takes.
inline bool takes_stream(const wire::RoutedRequest& routed) {
  return wire::names_type(routed.request.accept, "text/event-stream");
}

/// Messages as they happen.
inline wire::Response stream_response(std::unique_ptr<wire::EventStream> events) {
  wire::Response response{.content_type = "text/event-stream",
                          .headers = "cache-control: no-store\r\nx-accel-buffering: no\r\n"};
  response.events = std::move(events);
  return response;
}

/// A message as an event of a stream.
inline std::string event_text(std::string_view message) {
  return fmt::format("event: message\ndata: {}\n\n", message);
}

inline std::string notification_text(std::string_view method, Json params) {
  return toolway::mcp::encode(
      toolway::mcp::Notification{.method = std::string(method), .params = std::move(params)});
}

}  // namespace toolway::gateway::mcp
