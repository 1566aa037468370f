#include "tools/executors/mcp_client/http_conversation.h"

#include <fmt/format.h>

#include "base/try.h"
#include "tools/http/shortage.h"

namespace toolway::tools::executors::mcp_client {
namespace {

tl::unexpected<Error> unusable(std::string why) {
  return fail(ErrorCode::kInternal, std::move(why));
}

/// The same, of an errand that had no answer that is of use.
tl::unexpected<Error> unusable(std::string why, const Result<HttpReturn>& returned) {
  const bool starved =
      returned && returned->status == 0 && tools::http::for_want_of_resources(returned->end);
  return fail(starved ? ErrorCode::kOverloaded : ErrorCode::kInternal, std::move(why));
}

/// Why nothing can be done with what came back; empty: something can.
std::string fault_of(const Result<HttpReturn>& returned) {
  if (!returned) return returned.error().message;
  if (returned->status == 0) return returned->end.message;
  if (returned->status == 401 || returned->status == 403 || returned->status == 429 ||
      returned->status >= 500) {
    return fmt::format("it answered {}", returned->status);
  }
  if (returned->status != 200 || returned->answer) return {};
  return returned->nonsense.empty() ? "its answer ended before it said anything"
                                    : returned->nonsense;
}

}  // namespace

HttpErrand HttpConversation::errand(const HttpSession& session, std::string_view method,
                                    const Json& params) {
  HttpErrand errand;
  errand.headers = mcp::request_headers(session.revision, method, params);
  errand.session = session.id;
  return errand;
}

Result<HttpReturn> HttpConversation::ask(const HttpSession& session, const mcp::Request& request,
                                         const std::stop_token& stop) {
  auto asking = errand(session, request.method, request.params);
  asking.body = mcp::encode(request);
  asking.awaits = std::get<std::int64_t>(request.id);
  asking.total = options_.server.start_timeout;
  asking.replay = tools::http::HttpRequest::Replay::kAllowed;
  asking.on_request = [&](const mcp::Request& asked) { on_request_(session, asked); };
  return peer_->run(asking, stop);
}

Result<HttpSession> HttpConversation::open(std::uint64_t number, const std::stop_token& stop) {
  HttpSession session{.revision = mcp::newest_with(mcp::Opening::kEachRequest), .number = number};
  mcp::Agreed agreed = mcp::Handshake{mcp::newest_with(mcp::Opening::kHandshake)};
  if (opening_ != mcp::Opening::kHandshake) {
    const auto returned = ask(session, messages_of(session).discover(next_id()), stop);
    if (auto why = fault_of(returned); !why.empty()) return unusable(std::move(why), returned);
    agreed = mcp::after_discover(returned->answer);
  }
  if (const auto* handshake = std::get_if<mcp::Handshake>(&agreed)) {
    session.revision = handshake->revision;
    const auto returned = ask(session, messages_of(session).initialize(next_id()), stop);
    // After a restart it may speak a revision that it did not speak before.
    opening_.reset();
    if (auto why = fault_of(returned); !why.empty()) return unusable(std::move(why), returned);
    if (!returned->answer)
      return unusable(fmt::format("it answered {} to initialize", returned->status));
    agreed = mcp::after_initialize(*returned->answer);
    session.id = returned->session;
  }
  if (auto* none = std::get_if<mcp::NoRevision>(&agreed)) return unusable(std::move(none->why));
  auto& speak = std::get<mcp::Speak>(agreed);
  session.revision = speak.revision;
  session.capabilities = speak.capabilities;
  session.server = std::move(speak.server);
  opening_ = mcp::rules_of(speak.revision).opening;
  if (!session.handshakes()) return session;
  auto initialized = errand(session, "notifications/initialized");
  initialized.body = mcp::encode(messages_of(session).initialized());
  initialized.total = options_.server.start_timeout;
  if (const auto returned = peer_->run(initialized, stop); !returned || returned->status == 0) {
    return unusable(returned ? returned->end.message : returned.error().message, returned);
  }
  return session;
}

HttpErrand HttpConversation::listening(const HttpSession& session,
                                       const std::string& last_event_id) {
  if (mcp::rules_of(session.revision).changes == mcp::Changes::kSubscription) {
    const auto request = messages_of(session).listen(next_id());
    auto subscribing = errand(session, request.method, request.params);
    subscribing.body = mcp::encode(request);
    subscribing.awaits = std::get<std::int64_t>(request.id);
    return subscribing;
  }
  auto getting = errand(session, "");
  getting.verb = HttpErrand::Verb::kGet;
  getting.last_event_id = last_event_id;
  return getting;
}

bool HttpConversation::answer(const HttpSession& session, const mcp::Answer& answer,
                              const std::stop_token& stop) const {
  auto answering = errand(session, "");
  answering.body = mcp::encode(answer);
  answering.total = kSmallErrand;
  answering.replay = tools::http::HttpRequest::Replay::kAllowed;
  const auto returned = peer_->run(answering, stop);
  return returned && returned->status != 0;
}

void HttpConversation::close(const HttpSession& session) const {
  if (session.id.empty()) return;
  auto closing = errand(session, "");
  closing.verb = HttpErrand::Verb::kDelete;
  closing.total = std::chrono::milliseconds(1'000);
  (void)peer_->run(closing, {});
}

Result<ListedTools> HttpConversation::list(const HttpSession& session,
                                           const std::stop_token& stop) {
  ToolListing listing;
  std::optional<std::string> cursor;
  while (true) {
    const auto returned = ask(session, messages_of(session).list_tools(next_id(), cursor), stop);
    if (auto why = fault_of(returned); !why.empty()) return unusable(std::move(why), returned);
    if (!returned->answer) return unusable(fmt::format("it answered {}", returned->status));
    if (!returned->answer->result) return unusable(returned->answer->result.error().message);
    ASSIGN_OR_RETURN(const auto next, listing.take(returned->answer_text));
    if (next == ToolListing::Next::kDone) break;
    cursor = listing.cursor();
  }
  return std::move(listing).listed(session.revision, session.server);
}

}  // namespace toolway::tools::executors::mcp_client
