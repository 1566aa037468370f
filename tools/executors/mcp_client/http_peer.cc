#include "tools/executors/mcp_client/http_peer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/answer_json.h"
#include "base/text.h"
#include "base/try.h"
#include "tools/http/sse_reader.h"
#include "tools/http/trace_headers.h"

namespace toolway::tools::executors::mcp_client {
namespace {

using Why = tools::http::HttpEnd::Why;

constexpr std::size_t kMaxErrorBody = 64 * 1024;

std::string media_type(const tools::http::HttpHeaders& headers) {
  const auto* value = tools::http::find_header(headers, "content-type");
  if (value == nullptr) return {};
  auto type = lowered(value->substr(0, value->find(';')));
  while (type.ends_with(' ')) type.pop_back();
  return type;
}

/// Takes an answer apart as it comes: one message, or a stream of them.
class Receiving final : public tools::http::HttpReceiver {
 public:
  Receiving(const HttpErrand& errand, const mcp::MessageBounds& bounds)
      : errand_(errand),
        bounds_(bounds),
        events_([this](const tools::http::SseEvent& event) { take_event(event); }, bounds.bytes) {}

  Want on_head(const tools::http::HttpHead& head) override {
    returned_.status = head.status;
    const auto type = media_type(head.headers);
    stream_ = type == "text/event-stream" && head.status == 200;
    json_ = type == "application/json";
    if (const auto* session = tools::http::find_header(head.headers, "mcp-session-id");
        session != nullptr && mcp::valid_session_id(*session)) {
      returned_.session = *session;
    }
    // A GET that is answered with anything but a stream has nothing to say.
    if (errand_.verb == HttpErrand::Verb::kGet && !stream_) return Want::kNoMore;
    return Want::kMore;
  }

  Want on_body(std::string_view piece) override {
    if (!stream_) {
      const auto most = returned_.status == 200 ? bounds_.bytes : kMaxErrorBody;
      if (body_.size() + piece.size() > most) {
        if (returned_.status == 200)
          lost(fmt::format("it sent a message of more than {} bytes (max_message_bytes)", most));
        return Want::kNoMore;
      }
      body_.append(piece);
      return Want::kMore;
    }
    if (auto fed = events_.feed(piece); !fed) lost(fed.error().message);
    return returned_.answer || !returned_.nonsense.empty() ? Want::kNoMore : Want::kMore;
  }

  HttpReturn finish(tools::http::HttpEnd end) && {
    if (!stream_ && returned_.nonsense.empty() && !body_.empty() && end.why == Why::kComplete) {
      // Errors of proxies are pages for people.
      if (returned_.status == 200 || json_) take(body_);
    }
    returned_.end = std::move(end);
    returned_.last_event_id = events_.last_id();
    returned_.retry = events_.retry().value_or(std::chrono::milliseconds(0));
    return std::move(returned_);
  }

 private:
  void lost(std::string what) {
    if (returned_.nonsense.empty()) returned_.nonsense = std::move(what);
  }

  void take_event(const tools::http::SseEvent& event) {
    // An event without data only gives its id (2025-11-25, basic/transports, "Sending Messages").
    if (returned_.answer || event.data.empty()) return;
    if (!event.type.empty() && event.type != "message") return;
    take(event.data);
  }

  void take(const std::string& text) {
    auto message = [&] {
      const auto room = answer_room().enter(text.size(), {});
      return mcp::decode_message(text, bounds_);
    }();
    if (!message) {
      if (returned_.status == 200) lost(std::move(message.error().message));
    } else if (auto* answer = std::get_if<mcp::Answer>(&*message)) {
      const bool awaited = errand_.awaits && answer->id == mcp::RequestId(*errand_.awaits);
      if (!awaited && answer->id)
        return lost(fmt::format("an answer to request {}, which was not made here",
                                mcp::id_text(*answer->id)));
      returned_.answer = std::move(*answer);
      returned_.answer_text = text;
    } else if (const auto* notification = std::get_if<mcp::Notification>(&*message)) {
      if (errand_.on_notification) errand_.on_notification(*notification);
    } else if (errand_.on_request) {
      errand_.on_request(std::get<mcp::Request>(*message));
    }
  }

  const HttpErrand& errand_;
  const mcp::MessageBounds bounds_;
  tools::http::SseReader events_;
  HttpReturn returned_;
  std::string body_;
  bool stream_ = false;
  bool json_ = false;
};

}  // namespace

bool HttpReturn::broke_off() const {
  return status == 200 && !answer && nonsense.empty() &&
         (end.why == Why::kComplete || end.why == Why::kBadResponse ||
          end.why == Why::kConnectionLost || end.why == Why::kEnough);
}

bool HttpReturn::lost_connection() const {
  return end.why == Why::kNotConnected || end.why == Why::kConnectionLost;
}

Result<std::shared_ptr<const HttpPeer>> HttpPeer::create(
    const ServerConfig& server, std::shared_ptr<tools::http::HttpEngine> engine,
    std::shared_ptr<const model::Secrets> secrets) {
  ASSIGN_OR_RETURN(auto addresses,
                   tools::http::AddressPolicy::create(server.http->allow_addresses));
  std::shared_ptr<HttpPeer> peer(new HttpPeer(server, std::move(engine), std::move(secrets)));
  peer->addresses_ = std::make_shared<const tools::http::AddressPolicy>(std::move(addresses));
  return peer;
}

Result<HttpReturn> HttpPeer::run(const HttpErrand& errand, std::stop_token stop) const {
  using Verb = HttpErrand::Verb;
  tools::http::HttpRequest request{.method = errand.verb == Verb::kPost  ? "POST"
                                             : errand.verb == Verb::kGet ? "GET"
                                                                         : "DELETE",
                                   .url = server_.http->url,
                                   .addresses = addresses_,
                                   .proxy = {.url = server_.http->proxy},
                                   .ca_file = server_.http->ca_file};
  request.headers.push_back({"Accept", errand.verb == Verb::kGet
                                           ? "text/event-stream"
                                           : "application/json, text/event-stream"});
  if (errand.verb == Verb::kPost) {
    request.headers.push_back({"Content-Type", "application/json"});
    request.body = errand.body;
  }
  for (const auto& [name, value] : errand.headers) request.headers.push_back({name, value});
  if (!errand.session.empty())
    request.headers.push_back(
        {"Mcp-Session-Id", errand.session, tools::http::HttpHeader::Holds::kSecret});
  if (!errand.last_event_id.empty())
    request.headers.push_back({"Last-Event-ID", errand.last_event_id});
  for (const auto& [name, text] : server_.http->headers) {
    ASSIGN_OR_RETURN(auto value, text.render(*secrets_));
    request.headers.push_back({name, std::move(value),
                               text.holds_secret() ? tools::http::HttpHeader::Holds::kSecret
                                                   : tools::http::HttpHeader::Holds::kPlain});
  }
  tools::http::add_trace(request.headers, errand.trace);
  request.limits = {.connect = server_.start_timeout,
                    .first_byte = std::chrono::milliseconds(0),
                    .idle = errand.idle,
                    .total = errand.total,
                    .max_body_bytes = 0};  // a stream may be long; each message is bounded
  request.replay = errand.replay;
  Receiving receiving(errand, {.bytes = server_.max_message_bytes});
  auto end = engine_->run(request, receiving, std::move(stop));
  return std::move(receiving).finish(std::move(end));
}

}  // namespace toolway::tools::executors::mcp_client
