#include "cli/client/follow.h"

#include <algorithm>
#include <thread>

#include "base/text.h"
#include "cli/client/problem.h"

namespace toolway::cli::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

/// The server comments every 15 s; three of them missing means that it is gone.
constexpr seconds kFollowSilence{45};

}  // namespace

Result<HttpAnswer> follow_events(HttpClient& client, const std::string& target,
                                 const std::string& after,
                                 const std::function<bool(const SseEvent&)>& handler,
                                 const Following& following) {
  bool wanted = true;
  bool ended = false;
  std::string last_id;
  bool opened = false;
  bool away = false;
  auto last_received = Steady::now();
  auto delay = milliseconds(100);
  for (;;) {
    tools::http::SseReader reader([&](const SseEvent& event) {
      if (!wanted) return;
      if (event.type == "reconnect") return;  // the gateway ends: the stream continues elsewhere
      if (!event.id.empty()) last_id = event.id;
      ended = event.type == "completed";
      wanted = handler(event);
    });
    auto where = target;
    HttpClient::Headers headers;
    if (!last_id.empty())
      headers["Last-Event-ID"] = last_id;
    else if (!after.empty())
      where += "?after=" + percent_encoded(after);
    bool answered = false;
    const auto answer = client.stream(
        where, headers, kFollowSilence,
        [&] {
          last_received = Steady::now();
          delay = milliseconds(100);
          answered = true;
          if (!std::exchange(opened, true)) following.opened();
          if (std::exchange(away, false)) following.back();
        },
        [&](std::string_view bytes) {
          last_received = Steady::now();
          return reader.feed(bytes) && wanted;
        });
    if (answer && !answer->ok() && answer->status != 503) return answer;
    if (answer && answer->ok() && !answered) return fail(not_a_gateway(*answer));
    if (!opened && !answer && following.first_try == Following::FirstTry::kFails) return answer;
    if (!wanted || (answer && answer->ok() && ended && target.find("/calls/") != std::string::npos))
      return HttpAnswer{.status = 200, .body = {}};
    if (Steady::now() - last_received > seconds(60)) return answer;
    if (opened && !answered && !std::exchange(away, true)) following.lost();
    std::this_thread::sleep_for(delay);
    delay = std::min(delay * 2, milliseconds(3000));
  }
}

}  // namespace toolway::cli::client
