#include "cli/client/call_wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/try.h"
#include "cli/client/reporting.h"

namespace toolway::cli::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

constexpr seconds kMaxRequest{60};
constexpr seconds kSilence{60};

}  // namespace

seconds WaitPlan::first() const {
  return timeout_.count() == 0 ? kSilence : std::min(timeout_, kSilence);
}

seconds WaitPlan::next(milliseconds waited) const {
  if (timeout_.count() == 0) return kMaxRequest;
  return std::clamp(std::chrono::ceil<seconds>(timeout_ - waited), seconds(1), kMaxRequest);
}

bool WaitPlan::says(milliseconds waited) {
  if (waited < said_) return false;
  while (said_ <= waited) said_ *= 2;
  return true;
}

std::string still_running(const std::string& call_id, std::optional<seconds> waited,
                          std::string_view status) {
  return fmt::format("{}{}\n  show it: toolway calls show {}\n  end it: toolway calls cancel {}",
                     status == kAwaitingApproval ? "the call waits for approval" : "still running",
                     waited ? fmt::format(" after {} s", waited->count()) : "", call_id, call_id);
}

Result<HttpAnswer> submit_call(HttpClient& client, const std::string& target,
                               const std::string& body, const HttpClient::Headers& headers,
                               seconds patience, const std::function<void(milliseconds)>& pause) {
  constexpr milliseconds kRetryInterval{500};
  const auto begun = Steady::now();
  for (bool said = false;; said = true) {
    auto answer = client.request("POST", target, body, headers);
    const auto code = answer && !answer->ok() ? cell(answer->json(), "code") : std::string();
    // What was sent before may be what is in flight.
    const bool again = code == code_name(ErrorCode::kBusUnavailable) ||
                       (said && code == code_name(ErrorCode::kRequestInFlight));
    if (!again || Steady::now() - begun >= patience) return answer;
    if (!said) fmt::print(stderr, "toolway: the gateway gets no answer from NATS; trying again\n");
    pause(kRetryInterval);
  }
}

Result<std::optional<HttpAnswer>> wait_for_completion(
    HttpClient& client, const std::string& target, const std::string& body,
    const HttpClient::Headers& headers, const std::string& call_id, WaitPlan plan,
    const std::function<void(milliseconds)>& pause) {
  const auto begun = Steady::now();
  auto last_received = begun;
  auto delay = milliseconds(100);
  for (;;) {
    const auto sent = Steady::now();
    auto asking = headers;
    const auto wait = plan.next(std::chrono::duration_cast<milliseconds>(sent - begun));
    asking["Prefer"] = fmt::format("wait={}", wait.count());
    auto answer = client.request("POST", target, body, asking);
    const auto now = Steady::now();
    const auto waited = std::chrono::duration_cast<milliseconds>(now - begun);
    // 409 request_in_flight: a gateway died over the first request, and another takes it up.
    const bool goes_on =
        answer &&
        (answer->status == 202 || answer->status == 503 ||
         (answer->status == 409 && answer->json().value("code", "") == "request_in_flight"));
    if (answer && !goes_on) return std::move(*answer);
    if (answer && answer->status == 202) last_received = now;
    if (plan.over(waited)) return std::optional<HttpAnswer>();
    if (now - last_received > kSilence) {
      RETURN_IF_ERROR(answer);
      return std::move(*answer);
    }
    if (plan.says(waited))
      fmt::print(stderr, "toolway: {}\n",
                 still_running(call_id, std::chrono::floor<seconds>(waited),
                               answer ? cell(answer->json(), "status") : std::string()));
    // Answered early: that gateway ends, or is gone.
    if (now - sent >= wait) {
      delay = milliseconds(100);
      continue;
    }
    pause(delay);
    delay = std::min(delay * 2, milliseconds(3'000));
  }
}

}  // namespace toolway::cli::client
