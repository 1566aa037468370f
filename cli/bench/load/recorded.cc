#include "cli/bench/load/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>
#include <unordered_set>

#include "base/text.h"
#include "base/try.h"

namespace toolway::cli::bench::load {
namespace {

/// Calls that were made, and the times of those of them that have one.
struct Search {
  std::unordered_set<CallKey, CallKeyHash> missing;
  Recorded found;
  std::int64_t first_us = 0;
  std::int64_t last_us = 0;

  void add(const CallKey& key, std::int64_t submitted_us, std::int64_t recorded_us) {
    if (missing.erase(key) == 0) return;
    found.ms.push_back(static_cast<float>(static_cast<double>(recorded_us - submitted_us) / 1e3));
    if (first_us == 0 || submitted_us < first_us) first_us = submitted_us;
    last_us = std::max(last_us, recorded_us);
  }
};

/// One pass over a session's pages, newest first.
Result<void> read_session(client::HttpClient& client, const std::string& session, Search& search,
                          const std::function<Result<void>()>& page_read) {
  std::string before;
  for (;;) {
    auto target =
        fmt::format("/v1/sessions/{}/calls?state=completed&limit=100", percent_encoded(session));
    if (!before.empty()) target += "&before=" + before;
    ASSIGN_OR_RETURN(auto answer, client.request("GET", target));
    if (!answer.ok())
      return fail(ErrorCode::kStoreUnavailable, fmt::format("HTTP {} for {}: {}", answer.status,
                                                            target, answer.body.substr(0, 200)));
    const auto page = answer.json();
    for (const auto& call : page.value("calls", OrderedJson::array())) {
      const auto key = parse_call_key(call.value("call_id", ""));
      const auto& recorded = call["recorded_at"];
      if (key && recorded.is_string())
        search.add(*key, parse_time_us(call.value("submitted_at", "")),
                   parse_time_us(recorded.get<std::string>()));
    }
    RETURN_IF_ERROR(page_read());
    if (!page.contains("next") || !page["next"].is_string()) return {};
    before = page["next"].get<std::string>();
  }
}

}  // namespace

std::int64_t parse_time_us(const std::string& rfc3339) {
  std::tm time{};
  int micros = 0;
  if (std::sscanf(rfc3339.c_str(), "%d-%d-%dT%d:%d:%d.%6dZ", &time.tm_year, &time.tm_mon,
                  &time.tm_mday, &time.tm_hour, &time.tm_min, &time.tm_sec, &micros) != 7)
    return 0;
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  return static_cast<std::int64_t>(timegm(&time)) * 1'000'000 + micros;
}

Result<Recorded> read_recorded(client::HttpClient& client, const std::vector<std::string>& sessions,
                               const std::vector<CallKey>& calls, process::StopSignals& signals,
                               const std::function<void(const std::string&)>& progress) {
  using Steady = std::chrono::steady_clock;
  Search search{.missing = {calls.begin(), calls.end()}, .found = {}};
  auto changed = Steady::now();
  auto said = changed;
  while (!search.missing.empty()) {
    const auto before = search.missing.size();
    for (const auto& session : sessions) {
      auto read = read_session(client, session, search, [&]() -> Result<void> {
        if (signals.wait(std::chrono::milliseconds(0)))
          return fail(ErrorCode::kShuttingDown, "interrupted");
        if (Steady::now() - said < std::chrono::seconds(1)) return {};
        said = Steady::now();
        progress(fmt::format("reading from Postgres when each call was recorded, {} to go",
                             search.missing.size()));
        return {};
      });
      RETURN_IF_ERROR(read);
    }
    if (search.missing.size() < before) changed = Steady::now();
    if (search.missing.empty() || Steady::now() - changed > std::chrono::seconds(30)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  search.found.seconds = static_cast<double>(search.last_us - search.first_us) / 1e6;
  search.found.missing = search.missing.size();
  return std::move(search.found);
}

}  // namespace toolway::cli::bench::load
