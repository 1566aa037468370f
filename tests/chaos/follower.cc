#include "tests/chaos/follower.h"

#include <fmt/format.h>

#include <thread>

#include "tools/http/sse_reader.h"

namespace toolway::chaos {

using Steady = std::chrono::steady_clock;

bool Follower::moved_on(const Watched& watched) const {
  const auto now = watch_();
  return !now || now->session != watched.session;
}

void Follower::run(const std::atomic<bool>& stop) {
  while (!stop) {
    const auto watched = watch_();
    if (!watched) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      continue;
    }
    std::string after = "0";
    while (!stop && !moved_on(*watched)) {
      // Now and then everything again, from the first event.
      if (random_.chance(0.02)) after = "0";
      after = follow_once(*watched, after, stop);
      std::this_thread::sleep_for(std::chrono::milliseconds(random_.between(0, 200)));
    }
  }
}

std::string Follower::follow_once(const Watched& watched, const std::string& after,
                                  const std::atomic<bool>& stop) {
  Stretch stretch{.user = watched.user,
                  .session = watched.session,
                  .gateway = random_.pick(parts_.entrance.gateways),
                  .after = after,
                  .at_us = now_us()};
  auto client = parts_.entrance.client(stretch.gateway, watched.user, std::chrono::seconds(8));
  if (!client) return after;
  const auto until =
      Steady::now() + std::chrono::milliseconds(static_cast<long>(1000 * random_.until_next(15)));
  std::string last = after;
  tools::http::SseReader reader([&](const tools::http::SseEvent& event) {
    if (event.type == "reconnect") return;  // a gateway that ends; not an event of the session
    last = event.id;
    auto json = parse_ordered_json(event.data, 1000);
    auto seen = json ? read_event(*json) : std::nullopt;
    if (!seen || seen->id.text() != event.id || seen->type != event.type)
      return parts_.history.odd(
          fmt::format("an SSE message that is not an event: id {} type {}", event.id, event.type));
    stretch.events.push_back(std::move(*seen));
  });
  // Comments keep a live stream from being silent for longer than this.
  const auto answer = (*client)->stream(
      "/v1/sessions/" + watched.session + "/events?after=" + after, {}, std::chrono::seconds(18),
      [] {},
      [&](std::string_view bytes) {
        return reader.feed(bytes) && Steady::now() < until && !stop && !moved_on(watched);
      });
  if (!answer)
    stretch.end = answer.error().message;
  else if (answer->status == 200)
    stretch.end = Steady::now() < until ? "ended by the gateway" : "let go";
  else
    stretch.end = fmt::format("{} {}", answer->status, text_at(answer->json(), "code"));
  if (answer && answer->status != 200 && answer->status != 503)
    parts_.history.odd("follow: " + stretch.end);
  parts_.history.add(std::move(stretch));
  return last;
}

}  // namespace toolway::chaos
