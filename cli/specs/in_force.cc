#include "cli/specs/in_force.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/try.h"
#include "cli/client/operator_client.h"
#include "cli/client/reporting.h"
#include "cli/terminal/progress_line.h"

namespace toolway::cli::specs {
namespace {

constexpr std::chrono::milliseconds kPollInterval{50};

/// `waits` is called when the gateway has not read them yet.
template <typename Waits>
Result<TakenUp> look(const client::ClientOptions& gateway, const std::vector<std::string>& names,
                     const Clock& clock, MonotonicTime deadline, Waits waits) {
  ASSIGN_OR_RETURN(const auto client, client::HttpClient::create(gateway));
  for (bool read_before = false;;) {
    ASSIGN_OR_RETURN(const auto list, client::json_answer(*client, "GET", "/v1/specs"));
    auto now = taken_up(list, names);
    // It offers them some milliseconds after it has read them.
    if (now.read && (read_before || now.not_in_force.empty())) return now;
    if (clock.monotonic() >= deadline)
      return fail(ErrorCode::kTimeout,
                  fmt::format("the change is in the database, and {} has not taken it up in time: "
                              "its log and `toolway specs list` say more",
                              gateway.url));
    if (!now.read) waits();
    read_before = now.read;
    std::this_thread::sleep_for(kPollInterval);
  }
}

}  // namespace

TakenUp taken_up(const OrderedJson& list, const std::vector<std::string>& names) {
  TakenUp taken{.read = true};
  const auto read_up_to = list.value("read_up_to", std::int64_t{0});
  for (const auto& row : list.value("specs", OrderedJson::array())) {
    const auto name = client::cell(row, "namespace") + "." + client::cell(row, "name");
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    if (row.value("in_force", false)) continue;
    if (row.value("revision", std::int64_t{0}) > read_up_to) taken.read = false;
    if (taken.not_in_force.empty() || taken.not_in_force.back() != name)
      taken.not_in_force.push_back(name);
  }
  return taken;
}

Result<std::vector<std::string>> await_in_force(const std::vector<client::ClientOptions>& gateways,
                                                const std::vector<std::string>& names,
                                                std::chrono::milliseconds patience, Tells tells) {
  const SystemClock clock;
  const auto deadline = clock.monotonic() + patience;
  const terminal::ProgressLine progress;
  std::set<std::string> left_out;
  for (const auto& gateway : gateways) {
    bool told = tells == Tells::kNo;
    const auto tell = [&] {
      if (!std::exchange(told, true))
        progress(fmt::format("waiting until {} has taken it up (--no-wait: does not wait) ...",
                             gateway.url));
    };
    const auto taken = look(gateway, names, clock, deadline, tell);
    if (tells == Tells::kYes) progress.clear();
    RETURN_IF_ERROR(taken);
    left_out.insert(taken->not_in_force.begin(), taken->not_in_force.end());
  }
  return std::vector<std::string>(left_out.begin(), left_out.end());
}

}  // namespace toolway::cli::specs
