#include "gateway/endpoints/event_handlers.h"

#include <algorithm>

#include "base/try.h"
#include "gateway/loop/give_way.h"
#include "gateway/wire/event_json.h"
#include "gateway/wire/json_text.h"
#include "gateway/wire/media_type.h"

namespace toolway::gateway::endpoints {
namespace {

/// The reader's position, as its request gives it; nothing: not given.
wire::HttpResult<std::optional<wire::EventId>> parse_after(const wire::RoutedRequest& routed) {
  // An EventSource that reconnects sends the header, and its original URL.
  auto text = routed.request.last_event_id;
  if (!text || text->empty()) text = routed.target.query("after");
  if (!text) return std::optional<wire::EventId>();
  ASSIGN_OR_RETURN(auto id, wire::parse_event_id(*text));
  return id;
}

/// Which events the request wants; the limit applies to a page.
struct EventRange {
  std::optional<wire::EventId> after;
  std::size_t limit = 0;
};

wire::HttpResult<EventRange> parse_range(const wire::RoutedRequest& routed) {
  RETURN_IF_ERROR(routed.target.only({"after", "limit"}));
  ASSIGN_OR_RETURN(const auto after, parse_after(routed));
  ASSIGN_OR_RETURN(const auto limit, wire::parse_limit(routed.target, 100, 1000));
  return EventRange{after, limit};
}

loop::Task<wire::HttpResult<wire::Response>> page(const EventsContext& context,
                                                  live::EventScope scope, wire::EventId after,
                                                  std::size_t limit) {
  const auto permit = co_await context.pages.turns.acquire();
  CO_ASSIGN_OR_RETURN(auto memory,
                      context.pages.memory.take(wire::MemoryUse::kAnswer, wire::kPageMemory));
  live::History history(context.search.bus, context.search.store, std::move(scope));
  live::RecordCursor record(after.read_up_to(), {limit + 1, loop::kTurnBytes});
  // One more than requested tells whether there are more; so does one that does not fit.
  std::vector<wire::ShownEvent> events;
  std::size_t bytes = 0;
  std::size_t fitting = 0;
  while (events.size() <= limit && fitting == events.size()) {
    record.limit_to({limit + 1 - events.size(), loop::kTurnBytes});
    auto read = co_await history.read_page(record);
    if (!read) co_return wire::refuse(wire::bus_problem(std::move(read.error())));
    const auto recorded = record.take();
    if (recorded.empty()) break;
    for (const auto& [position, event] : recorded) {
      for (wire::ShownEvent& shown : wire::show_event(event, position)) {
        if (shown.id <= after) continue;
        if (bytes < persistence::store::kMaxPageBytes) ++fitting;
        bytes += shown.json.size();
        events.push_back(std::move(shown));
      }
    }
  }
  const std::size_t shown = std::min(limit, fitting);
  const bool more = events.size() > shown;
  events.resize(shown);
  memory.resize(bytes * 2);
  wire::Response response{.memory = std::move(memory)};
  std::string& out = response.body;
  out.reserve(bytes + events.size() + 128);
  wire::ObjectText object(out);
  object.begin("events");
  wire::ListText list(out);
  loop::TextTurn turn(out);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (turn.is_full()) co_await loop::give_way();
    list.next();
    out += events[i].json;
  }
  list.end();
  const wire::EventId last = events.empty() ? after : events.back().id;
  object.text("next", last == wire::EventId{} ? "0" : last.text());
  object.boolean("more", more);
  object.end();
  co_return response;
}

loop::Task<wire::HttpResult<wire::Response>> stream(const live::FeedSources& feeds,
                                                    live::EventScope scope,
                                                    std::optional<wire::EventId> after,
                                                    bool completed) {
  auto feed = std::make_unique<live::Feed>(feeds, std::move(scope), after, completed);
  CO_RETURN_IF_ERROR(co_await feed->begin());
  wire::Response response{.content_type = "text/event-stream",
                          .headers = "cache-control: no-store\r\n"};
  response.events = std::move(feed);
  co_return response;
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> session_events(const EventsContext& context,
                                                            const wire::RoutedRequest& routed) {
  CO_ASSIGN_OR_RETURN(const auto range, parse_range(routed));
  CO_ASSIGN_OR_RETURN(auto session, co_await context.sessions.find(routed.caller, routed.id));
  live::EventScope scope{session->key, std::nullopt, routed.caller.tenant_id, routed.caller.user_id,
                         routed.id};
  if (wire::event_format(routed.request.accept) == wire::EventFormat::kPage) {
    co_return co_await page(context, std::move(scope), range.after.value_or(wire::EventId{}),
                            range.limit);
  }
  co_return co_await stream(context.feeds, std::move(scope), range.after, false);
}

loop::Task<wire::HttpResult<wire::Response>> call_events(const EventsContext& context,
                                                         const wire::RoutedRequest& routed) {
  CO_ASSIGN_OR_RETURN(const auto range, parse_range(routed));
  CO_ASSIGN_OR_RETURN(auto call, co_await find_named_call(context.search, routed));
  const auto key = SessionKey::parse(call.session_key);
  const auto id = CallId::parse(call.call_id);
  const bool completed = call.completion.has_value();
  call = {};  // it may be large, and a follower stays
  if (!key || !id) co_return wire::refuse(ErrorCode::kInternal, "a call without a session");
  live::EventScope scope{.session = *key, .call = *id};
  const wire::EventId start = range.after.value_or(wire::EventId{});
  if (wire::event_format(routed.request.accept) == wire::EventFormat::kPage) {
    co_return co_await page(context, std::move(scope), start, range.limit);
  }
  co_return co_await stream(context.feeds, std::move(scope), start, completed);
}

}  // namespace toolway::gateway::endpoints
