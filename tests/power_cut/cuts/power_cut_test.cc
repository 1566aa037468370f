// Power cuts under load: what was accepted must be there afterwards, where durability `power`
// promises it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "cli/client/http_client.h"
#include "tests/power_cut/cuts/machine.h"

namespace toolway::test {
namespace {

using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

std::unique_ptr<cli::client::HttpClient> client_of(const std::string& url) {
  auto made = cli::client::HttpClient::create({.url = url, .user = "power"});
  return made ? std::move(*made) : nullptr;
}

/// Clients that ask for one call after the other, and keep the ids of the accepted ones.
class Traffic {
 public:
  explicit Traffic(const std::string& url) {
    for (int i = 0; i < 8; ++i)
      clients_.emplace_back([this, url](const std::stop_token& stop) { ask(url, stop); });
  }

  void await_accepted(std::size_t calls) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, seconds(120), [&] { return ids_.size() >= calls; }))
        << ids_.size() << " calls accepted; " << refusal_;
  }

  std::vector<std::string> stop() {
    for (auto& client : clients_) client.request_stop();
    clients_.clear();
    return ids_;
  }

 private:
  void ask(const std::string& url, const std::stop_token& stop) {
    const auto client = client_of(url);
    const auto body = fmt::format(R"({{"tool":"bench.echo","arguments":{{"payload":"{}"}}}})",
                                  std::string(300, 'x'));
    while (client && !stop.stop_requested()) {
      const auto answer = client->request("POST", "/v1/sessions/cut/calls", body);
      const std::scoped_lock lock(mutex_);
      if (answer && answer->status == 202)
        ids_.push_back(answer->json().value("call_id", ""));
      else
        refusal_ = answer ? answer->body : answer.error().message;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> ids_;
  std::string refusal_;
  std::vector<std::jthread> clients_;
};

/// How often the call says that it is completed, as its events have it.
long completions(cli::client::HttpClient& client, const std::string& id) {
  const auto answer =
      client.request("GET", "/v1/calls/" + id + "/events", "", {{"Accept", "application/json"}});
  if (!answer || !answer->ok()) return 0;
  const auto events = answer->json()["events"];
  return std::ranges::count_if(
      events, [](const auto& event) { return event.value("type", "") == "completed"; });
}

/// Waits until every call is completed, but no longer than `patience` in all.
/// @returns those that were not completed once, each with what was answered last
std::vector<std::string> lost_of(const std::vector<std::string>& ids, const std::string& url,
                                 seconds patience) {
  const auto client = client_of(url);
  const auto deadline = Steady::now() + patience;
  std::vector<std::string> lost;
  for (const auto& id : ids) {
    std::string shown;
    const auto settled = [&] {
      const auto answer = client->request("GET", "/v1/calls/" + id);
      shown = answer ? answer->body : answer.error().message;
      return answer && answer->ok() && answer->json().value("state", "") == "completed";
    };
    while (!settled() && Steady::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (completions(*client, id) != 1) lost.push_back(id + ": " + shown);
  }
  return lost;
}

class PowerCut : public testing::Test {
 protected:
  void start(Durability durability) {
    url_ = machine_.start(durability);
    ASSERT_FALSE(url_.empty()) << machine_.log();
  }

  void open_session() {
    const auto answer = client_of(url_)->request("POST", "/v1/sessions",
                                                 R"({"session_id":"cut","namespaces":["bench"]})");
    ASSERT_TRUE(answer && answer->ok());
  }

  /// Takes the power away while calls are accepted.
  /// @returns the ids of all that were
  std::vector<std::string> cut_under_load() {
    Traffic traffic(url_);
    traffic.await_accepted(500);
    machine_.cut_power();
    return traffic.stop();
  }

  Machine machine_;
  std::string url_;
};

TEST_F(PowerCut, NoAcceptedCallIsLostInDurabilityPower) {
  start(Durability::kPower);
  if (HasFatalFailure()) return;
  open_session();
  std::vector<std::string> accepted;
  for (int cut = 1; cut <= 3; ++cut) {
    const auto more = cut_under_load();
    accepted.insert(accepted.end(), more.begin(), more.end());
    start(Durability::kPower);
    if (HasFatalFailure()) return;
    const auto lost = lost_of(accepted, url_, seconds(90));
    EXPECT_TRUE(lost.empty()) << lost.size() << " of " << accepted.size() << " calls after cut "
                              << cut << ", the first " << lost.front() << machine_.disk_log();
  }
}

// Else the test above would hold on any disk.
TEST_F(PowerCut, AcceptedCallsAreLostInDurabilityProcess) {
  start(Durability::kProcess);
  if (HasFatalFailure()) return;
  open_session();
  std::size_t lost = 0;
  for (int cut = 1; cut <= 5 && lost == 0; ++cut) {
    // So that streams and tables are there, and only what is accepted from now on can be lost.
    machine_.write_back();
    const auto accepted = cut_under_load();
    url_ = machine_.start(Durability::kProcess);
    // A stack that does not come up has lost them all.
    lost = url_.empty() ? accepted.size() : lost_of(accepted, url_, seconds(15)).size();
  }
  EXPECT_GT(lost, 0U) << machine_.disk_log();
}

}  // namespace
}  // namespace toolway::test
