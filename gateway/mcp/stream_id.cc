#include "gateway/mcp/stream_id.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>

#include "base/sha256.h"
#include "gateway/mcp/rpc_request.h"
#include "gateway/mcp/sealed.h"
#include "mcp/fields.h"

namespace toolway::gateway::mcp {
namespace {

constexpr std::string_view kPurpose = "mcp stream";
/// The record keeps a call's events for longer; its session's id is good for as long.
constexpr std::chrono::hours kLifetime{24 * 7};
/// Neither in what is sealed nor in an event's id.
constexpr char kSeparator = ':';
/// Between an event and how many of its questions were asked.
constexpr char kPart = '+';

std::optional<double> progress_of(std::string_view text) {
  double progress = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, progress);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(progress) || progress < 0)
    return std::nullopt;
  return progress;
}

/// Where a stream is that has shown the first questions of an event: right before it.
bool read_part(std::string_view text, StreamPlace& place) {
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, place.partly.questions);
  if (read.ec != std::errc() || read.ptr != end || place.partly.questions == 0) return false;
  place.partly.event_id = place.after.text();
  if (place.after.number == 0) return false;
  --place.after.number;
  return true;
}

}  // namespace

std::string seal_stream(const SealKeys& keys, const wire::Caller& caller, const StreamOf& stream,
                        WallTime now) {
  Json content{{"of", sha256_hex(stream.session)},
               {"call", stream.call_id},
               {"session", stream.session_key},
               {"tool", stream.tool},
               {"request", id_json(stream.request)}};
  if (!stream.progress_token.is_null()) content["token"] = stream.progress_token;
  if (stream.task) content["task"] = true;
  return seal_for(keys, kPurpose, caller, std::move(content), now + kLifetime);
}

std::string stream_event_id(std::string_view sealed, const ShownUpTo& place, double shown) {
  std::string id(sealed);
  id += kSeparator;
  if (shown >= 0) id += fmt::format("{}{}", shown, kSeparator);
  id += place.event_id;
  if (place.questions > 0) id += fmt::format("{}{}", kPart, place.questions);
  return id;
}

std::optional<StreamPlace> open_stream_event(const SealKeys& keys, const wire::Caller& caller,
                                             std::string_view session, std::string_view event_id,
                                             WallTime now) {
  const auto sealed = event_id.find(kSeparator);
  if (sealed == std::string_view::npos) return std::nullopt;
  const auto between = event_id.rfind(kSeparator);
  const auto event = event_id.substr(between + 1);
  const auto part = event.find(kPart);
  const auto after = wire::parse_event_id(event.substr(0, part));
  const auto shown = between == sealed
                         ? std::optional<double>(-1)
                         : progress_of(event_id.substr(sealed + 1, between - sealed - 1));
  const auto content = open_for(keys, kPurpose, caller, event_id.substr(0, sealed), now);
  if (!after || !shown || !content || text_at(*content, "of") != sha256_hex(session))
    return std::nullopt;
  const auto* request = toolway::mcp::member(*content, "request");
  if (request == nullptr) return std::nullopt;
  StreamPlace place{.stream = {.session = std::string(session),
                               .call_id = text_at(*content, "call"),
                               .session_key = text_at(*content, "session"),
                               .tool = text_at(*content, "tool"),
                               .request = std::int64_t{0},
                               .task = toolway::mcp::flag(*content, "task")},
                    .after = *after,
                    .shown = *shown};
  if (part != std::string_view::npos && !read_part(event.substr(part + 1), place))
    return std::nullopt;
  if (request->is_string()) place.stream.request = request->get<std::string>();
  if (request->is_number_integer()) place.stream.request = request->get<std::int64_t>();
  if (const auto* token = toolway::mcp::member(*content, "token"))
    place.stream.progress_token = *token;
  return place;
}

}  // namespace toolway::gateway::mcp
