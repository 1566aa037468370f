#include "cli/bench/recorded.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <thread>

namespace toolway::cli {
namespace {

std::uint64_t missing_of(Ledger& ledger) {
  std::uint64_t missing = 0;
  for (const auto& entry : ledger.entries())
    missing += entry.measured && entry.recorded_us == 0 ? 1 : 0;
  return missing;
}

/// One pass over a session's pages, newest first.
Result<void> read_session(HttpClient& client, const std::string& session, Ledger& ledger,
                          const std::function<void()>& page_read) {
  std::string before;
  for (;;) {
    auto target =
        fmt::format("/v1/sessions/{}/calls?state=completed&limit=100", url_escape(session));
    if (!before.empty()) target += "&before=" + before;
    auto answer = client.request("GET", target);
    if (!answer) return fail(answer.error());
    if (!answer->ok())
      return fail(ErrorCode::kStoreUnavailable, fmt::format("HTTP {} for {}: {}", answer->status,
                                                            target, answer->body.substr(0, 200)));
    const auto page = answer->json();
    for (const auto& call : page.value("calls", OrderedJson::array())) {
      auto* entry = ledger.of(call.value("call_id", ""));
      const auto& recorded = call["recorded_at"];
      if (entry == nullptr || !recorded.is_string()) continue;
      entry->submitted_us = parse_time_us(call.value("submitted_at", ""));
      entry->recorded_us = parse_time_us(recorded.get<std::string>());
    }
    page_read();
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

Result<std::uint64_t> read_recorded(HttpClient& client, const std::vector<std::string>& sessions,
                                    Ledger& ledger,
                                    const std::function<void(const std::string&)>& progress) {
  using Steady = std::chrono::steady_clock;
  auto missing = missing_of(ledger);
  auto changed = Steady::now();
  auto said = changed;
  while (missing > 0) {
    for (const auto& session : sessions) {
      auto read = read_session(client, session, ledger, [&] {
        if (Steady::now() - said < std::chrono::seconds(1)) return;
        said = Steady::now();
        progress(fmt::format("reading from Postgres when each call was recorded, {} to go",
                             missing_of(ledger)));
      });
      if (!read) return fail(read.error());
    }
    const auto left = missing_of(ledger);
    if (left < missing) changed = Steady::now();
    if (left == 0 || Steady::now() - changed > std::chrono::seconds(30)) return left;
    missing = left;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return missing;
}

}  // namespace toolway::cli
