#include "gateway/admission/waiting_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ids.h"
#include "extensions/limits/bucket_key.h"
#include "monitoring/metric_names.h"
#include "proto/approvals.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::admission {
namespace {

using extensions::LimitKind;
using extensions::limits::bucket_key;

constexpr std::string_view kExtension = "limits";
/// Changes that follow each other are told of together.
constexpr std::chrono::milliseconds kTellInterval{2};
/// How often the queues are asked which of the counted calls a worker has got.
constexpr std::chrono::milliseconds kFollowInterval{100};
/// Calls under a limit that is full are refused without a question for so long.
constexpr std::chrono::milliseconds kAskInterval{20};
/// Shares that matter to no gateway are not told of.
constexpr std::uint64_t kLeastTold = 8;
constexpr std::size_t kHeldLooksASecond = 20;
constexpr std::size_t kHeldLooksForACall = 64;
constexpr std::size_t kMaxHeld = 100'000;

}  // namespace

Error too_many_wait(const extensions::Limit& limit) {
  return {ErrorCode::kRateLimited,
          fmt::format("limit {} lets {} calls wait, and as many do: send the call again when some "
                      "of them have started",
                      limit.name, limit.most),
          std::chrono::seconds(1)};
}

WaitingLimits::WaitingLimits(Parts parts)
    : parts_(std::move(parts)),
      subject_(proto::shares_subject(random_hex(8))),
      timer_(parts_.executor) {}

const extensions::Limit* WaitingLimits::full(std::span<const extensions::chain::LimitAsked> limits,
                                             const v1::CallRequest& call) const {
  for (const auto& asked : limits) {
    if (asked.limit.kind != LimitKind::kWaiting) continue;
    const auto key = bucket_key(asked.limit, call);
    if (parts_.counts.of(key) + parts_.fleet.of(key) >= asked.limit.most) return &asked.limit;
  }
  return nullptr;
}

loop::Task<wire::HttpResult<WaitingPlacePtr>> WaitingLimits::take(
    std::span<const extensions::chain::LimitAsked> limits, const v1::CallRequest& call) {
  std::vector<std::string> keys;
  for (const auto& asked : limits) {
    if (asked.limit.kind == LimitKind::kWaiting) keys.push_back(bucket_key(asked.limit, call));
  }
  if (keys.empty()) co_return WaitingPlacePtr();
  if (const auto* limit = full(limits, call)) co_await refresh(*limit, call);
  if (const auto* limit = full(limits, call)) {
    const auto now = parts_.clock.monotonic();
    parts_.refusals.note(bucket_key(*limit, call), now, parts_.clock.wall());
    parts_.chain_metrics.refused(kExtension);
    parts_.metrics.counter(monitoring::kLimited, "limit", limit->name).add();
    co_return wire::refuse(too_many_wait(*limit));
  }
  parts_.chain_metrics.allowed(kExtension);
  auto counted = std::make_unique<WaitingPlace>(parts_.counts, std::move(keys));
  begin_telling();
  co_return counted;
}

loop::Task<void> WaitingLimits::refresh(const extensions::Limit& limit,
                                        const v1::CallRequest& call) {
  const auto key = bucket_key(limit, call);
  if (parts_.counts.of(key) == 0) co_return;  // they wait at other gateways
  const auto now = parts_.clock.monotonic();
  const auto asked = asked_.find(key);
  if (asked != asked_.end() && now < asked->second) co_return;
  (void)co_await parts_.queues.ask_queues_in_use();  // without an answer they still wait
  co_await look_at(key, kHeldLooksForACall);
  const auto after = parts_.clock.monotonic();
  if (asked_.size() > 10'000)
    std::erase_if(asked_, [after](const auto& one) { return one.second <= after; });
  asked_[key] = after + kAskInterval;
}

void WaitingLimits::held(const v1::CallRequest& call, WaitingPlacePtr counted) {
  if (!counted || held_.size() >= kMaxHeld) return;
  held_.push_back(std::make_shared<Undecided>(
      Undecided{.call_id = call.call_id(),
                .subject = proto::event_subject(*SessionKey::parse(call.session_key()),
                                                *CallId::parse(call.call_id())),
                .expires = from_unix_us(call.hold().expires_at_us()),
                .counted = std::move(counted)}));
}

loop::Task<void> WaitingLimits::look_at(std::string key, std::size_t most) {
  std::vector<std::shared_ptr<Undecided>> chosen;
  for (const auto& one : held_) {
    if (chosen.size() == most) break;
    if (key.empty() || std::ranges::find(one->counted->keys(), key) != one->counted->keys().end())
      chosen.push_back(one);
  }
  for (const auto& one : chosen) {
    const bool waits = co_await still_waits(*one);
    // Another look may have taken it out; what waits is looked at last.
    const auto at = std::ranges::find(held_, one);
    if (at == held_.end()) continue;
    held_.erase(at);
    if (waits)
      held_.push_back(one);
    else
      one->counted.reset();
  }
}

loop::Task<void> WaitingLimits::look_at_some() {
  co_await look_at(std::string(), kHeldLooksASecond);
  looking_ = false;
}

loop::Task<bool> WaitingLimits::still_waits(const Undecided& held) {
  if (parts_.clock.wall() > held.expires) co_return false;
  const auto last = co_await parts_.bus.last_message(proto::kEventsStream, held.subject);
  if (!last) co_return true;  // its first event may not be written yet
  const auto event = proto::decode_event(last->payload);
  co_return event&& proto::approval_state(*event) == proto::ApprovalState::kWaiting;
}

void WaitingLimits::every_second() {
  const auto now = parts_.clock.monotonic();
  parts_.fleet.expire(now);
  if (!subscription_) {
    auto handler = [this, io_post = parts_.io_post](bus::Request request) {
      v1::SharesTold told;
      if (!told.ParseFromString(request.payload)) return;
      io_post->run([this, gateway = std::move(request.subject), told = std::move(told)] {
        heard(gateway, told);
      });
    };
    auto serving =
        parts_.messenger.serve(std::string(proto::kSharesFilter), "", std::move(handler));
    if (serving) subscription_ = std::move(*serving);
  }
  if (!held_.empty() && !looking_ && !stopped_) {
    looking_ = true;
    asio::co_spawn(parts_.executor, look_at_some(), asio::detached);
  }
  (void)parts_.counts.take_changed();
  std::vector<std::pair<std::string, std::uint64_t>> shares(parts_.counts.all().begin(),
                                                            parts_.counts.all().end());
  for (const auto& [name, waiting] : parts_.queues.shares().sessions_waiting(kLeastTold))
    shares.emplace_back(session_share(name), waiting);
  for (const auto& [name, waiting] : parts_.queues.shares().users_waiting(kLeastTold))
    shares.emplace_back(user_share(name), waiting);
  if (shares.empty() && !told_something_) return;
  told_something_ = !shares.empty();
  tell(whole_message(std::move(shares)));
}

void WaitingLimits::heard(const std::string& gateway, const v1::SharesTold& told) {
  if (gateway != subject_) parts_.fleet.heard(gateway, told, parts_.clock.monotonic());
}

void WaitingLimits::begin_telling() {
  if (resting_) timer_.cancel();
  if (telling_ || stopped_) return;
  telling_ = true;
  asio::co_spawn(parts_.executor, keep_telling(), asio::detached);
}

loop::Task<void> WaitingLimits::keep_telling() {
  MonotonicTime asked = parts_.clock.monotonic();
  while (!stopped_ && (parts_.counts.changed() || !parts_.counts.all().empty())) {
    resting_ = !tell_changes();
    timer_.expires_after(resting_ ? kFollowInterval : kTellInterval);
    co_await loop::wait_on(timer_);
    resting_ = false;
    if (stopped_ || parts_.clock.monotonic() - asked < kFollowInterval) continue;
    asked = parts_.clock.monotonic();
    (void)co_await parts_.queues.ask_queues_in_use();
  }
  telling_ = false;
}

bool WaitingLimits::tell_changes() {
  const auto changes = parts_.counts.take_changed();
  if (changes.empty()) return false;
  told_something_ = true;
  tell(change_message(changes));
  return true;
}

void WaitingLimits::stop() {
  stopped_ = true;
  timer_.cancel();
}

void WaitingLimits::tell(const v1::SharesTold& told) {
  parts_.messenger.tell(subject_, told.SerializeAsString());
}

}  // namespace toolway::gateway::admission
