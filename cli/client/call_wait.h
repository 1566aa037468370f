#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "cli/client/verbs.h"

namespace toolway::cli::client {

/// How a wait for a call continues: how long the next request waits, and when to say that it still
/// runs. Decides only; the time since the wait began goes in.
class WaitPlan {
 public:
  /// `timeout` 0: until the call ends.
  explicit WaitPlan(std::chrono::seconds timeout) : timeout_(timeout) {}

  bool over(std::chrono::milliseconds waited) const {
    return timeout_.count() > 0 && waited >= timeout_;
  }
  /// How long a request may be repeated before the call is accepted.
  std::chrono::seconds first() const;
  /// Of the next request: a gateway waits for 60 s at most.
  std::chrono::seconds next(std::chrono::milliseconds waited) const;
  /// Whether it is time to say that it still runs: after a minute, and then each time twice as
  /// long.
  bool says(std::chrono::milliseconds waited);

 private:
  const std::chrono::seconds timeout_;
  std::chrono::seconds said_{60};
};

/// The status of a call that someone has to approve first.
inline constexpr std::string_view kAwaitingApproval = "awaiting_approval";

/// `still running after 60 s`, and a line for each of the verbs that show and end it; of a call
/// with status kAwaitingApproval that it waits for approval.
std::string still_running(const std::string& call_id,
                          std::optional<std::chrono::seconds> waited = std::nullopt,
                          std::string_view status = {});

/// The request that a call begins with. `patience`: for how long it is sent again while the gateway
/// has no answer from NATS (503 bus_unavailable), and so cannot tell whether it has the call.
Result<HttpAnswer> submit_call(
    HttpClient& client, const std::string& target, const std::string& body,
    const HttpClient::Headers& headers, std::chrono::seconds patience,
    const std::function<void(std::chrono::milliseconds)>& pause =
        [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); });

/// Sends the same request, with its Idempotency-Key, until its answer has the completion (200). A
/// gateway that ends or does not answer is tried again, as any other, for 60 s. Nothing: the
/// timeout has passed. `pause` is between tries.
Result<std::optional<HttpAnswer>> wait_for_completion(
    HttpClient& client, const std::string& target, const std::string& body,
    const HttpClient::Headers& headers, const std::string& call_id, WaitPlan plan,
    const std::function<void(std::chrono::milliseconds)>& pause =
        [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); });

}  // namespace toolway::cli::client
