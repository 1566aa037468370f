#include "gateway/server/request_view.h"

#include "base/ids.h"
#include "base/text.h"
#include "gateway/wire/request_id.h"

namespace toolway::gateway::server {

wire::Request request_of(const wire::RequestReader& reader, wire::UserHeader peer) {
  const wire::RequestHead& head = reader.head();
  const auto text = [&head](const char* name) { return head.find(name).value_or(""); };
  wire::Request request;
  request.head = &head;
  request.method = head.method;
  request.target = head.target;
  request.body = reader.body();
  request.has_body = reader.has_body();
  request.user = head.find("X-Toolway-User");
  const bool forwarded = head.find("Forwarded") || head.find("X-Forwarded-For");
  request.user_header = forwarded ? wire::UserHeader::kForwarded : peer;
  request.authorization = head.find("Authorization");
  request.api_key = head.find("X-Api-Key");
  request.on_behalf = head.find("X-Toolway-On-Behalf");
  request.session = head.find("X-Toolway-Session");
  request.content_type = head.find("Content-Type");
  request.accept = text("Accept");
  request.prefer = text("Prefer");
  request.last_event_id = head.find("Last-Event-ID");
  request.idempotency_key = head.find("Idempotency-Key");
  request.range = text("Range");
  request.if_range = text("If-Range");
  request.if_none_match = text("If-None-Match");
  request.host = head.find("Host");
  request.origin = head.find("Origin");
  request.fetch_site = text("Sec-Fetch-Site");
  request.fetch_mode = text("Sec-Fetch-Mode");
  request.preflight =
      head.method == "OPTIONS" && head.find("Access-Control-Request-Method").has_value();
  request.private_network = same_word(text("Access-Control-Request-Private-Network"), "true");
  // So two `traceparent` lines cannot be read, and those of `tracestate` are one list, as W3C Trace
  // Context §3.3.1 asks.
  request.trace = parse_trace_context(head.joined("traceparent"), head.joined("tracestate"));
  const auto id = text("X-Request-Id");
  request.request_id = wire::valid_request_id(id) ? std::string(id) : random_hex(8);
  return request;
}

}  // namespace toolway::gateway::server
