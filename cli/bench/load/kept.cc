#include "cli/bench/load/kept.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "base/try.h"
#include "cli/client/http_client.h"

namespace toolway::cli::bench::load {
namespace {

using Steady = std::chrono::steady_clock;

/// Completed calls of a session; nothing while Postgres is away, or no gateway answers.
std::optional<std::uint64_t> completed_of(std::vector<std::unique_ptr<client::HttpClient>>& clients,
                                          const std::string& session) {
  for (auto& client : clients) {
    const auto answer = client->request("GET", "/v1/sessions/" + session);
    if (!answer || !answer->ok()) continue;
    const auto json = answer->json();
    if (json.contains("counts") && json["counts"].is_object())
      return json["counts"].value("completed", std::uint64_t{0});
  }
  return std::nullopt;
}

}  // namespace

Result<std::uint64_t> compare_with_postgres(
    GroupRun& group, const std::vector<process::HostPort>& gateways,
    const std::function<void(const std::string&)>& progress) {
  constexpr std::chrono::seconds kStandstillTimeout{60};
  std::vector<std::unique_ptr<client::HttpClient>> clients;
  for (const auto& gateway : gateways) {
    ASSIGN_OR_RETURN(auto client,
                     client::HttpClient::create({.url = "http://" + gateway.text(),
                                                 .user = group.group().user,
                                                 .timeout = std::chrono::seconds(10),
                                                 .reach = {.token = group.caller().token()}}));
    clients.push_back(std::move(client));
  }
  const auto& sessions = group.followed();
  std::vector<std::uint64_t> recorded(sessions.size(), 0);
  std::uint64_t missing = 0;
  std::uint64_t before = ~0ULL;
  for (auto changed = Steady::now();;) {
    missing = 0;
    bool answered = true;
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      if (recorded[i] >= group.accepted()[i]) continue;
      const auto count = completed_of(clients, sessions[i]);
      answered = answered && count;
      recorded[i] = std::max(recorded[i], count.value_or(0));
      if (recorded[i] < group.accepted()[i]) missing += group.accepted()[i] - recorded[i];
    }
    if (missing == 0) break;
    if (missing != before) changed = Steady::now();
    before = missing;
    if (Steady::now() - changed > kStandstillTimeout) {
      if (!answered)
        return fail(ErrorCode::kStoreUnavailable, "no gateway reports what is in Postgres");
      break;
    }
    progress(
        fmt::format("waiting for {} calls of {} to reach Postgres", missing, group.group().name));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  if (missing > 0)
    group.record().lost(missing, fmt::format("{} completed calls are not in Postgres", missing));
  std::uint64_t more = 0;
  for (std::size_t i = 0; i < sessions.size(); ++i)
    if (recorded[i] > group.accepted()[i]) more += recorded[i] - group.accepted()[i];
  // A call whose answer was lost may still have been made.
  if (more > group.unknown())
    group.record().repeated(more - group.unknown(),
                            fmt::format("Postgres has {} more calls than were accepted", more));
  return missing;
}

}  // namespace toolway::cli::bench::load
