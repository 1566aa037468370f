#include "cli/bench/group_run.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "cli/bench/exchange.h"
#include "cli/bench/sockets.h"
#include "cli/bench/wire.h"
#include "cli/client/http_client.h"

namespace toolway::cli {
namespace {

constexpr std::int64_t kMs = 1'000'000;
/// Connections of an open loop: a constant number, so that what a gateway holds does not follow our
/// own stalls.
constexpr std::size_t kLanes = 128;

/// What to do with an answer that is neither 200 nor 202.
enum class Refusal { kFinal, kElsewhere, kLater };

Refusal refusal(int status) {
  if (status == 503 || status == 502 || status == 504) return Refusal::kElsewhere;
  return status == 409 || status == 429 ? Refusal::kLater : Refusal::kFinal;
}

}  // namespace

GroupRun::GroupRun(const LoadGroup& group, const LoadTarget& target, Epoll epoll,
                   const KindCall& kind_call)
    : group_(group),
      target_(target),
      epoll_(epoll),
      schedule_(group, target.warm_up),
      texts_(group, kind_call),
      followers_(target.gateways, group.user, epoll.fd, epoll.tag | kFollowerBit) {
  for (unsigned i = 0; i < group.followed(); ++i)
    followed_.push_back(fmt::format("load-{}-{}-{}", target.run, group.name, i));
  accepted_.resize(followed_.size());
}

GroupRun::~GroupRun() {
  for (auto& lane : lanes_) hang_up(lane);
}

Result<void> GroupRun::open_sessions() {
  OrderedJson namespaces = {"bench"};
  for (const auto& call : group_.calls)
    if (const auto dot = call.tool.find('.'); dot != std::string::npos)
      namespaces.push_back(call.tool.substr(0, dot));
  return ask_all(target_.gateways.front(), group_.sessions, [&](std::size_t i) {
    const OrderedJson body = {
        {"session_id", fmt::format("load-{}-{}-{}", target_.run, group_.name, i)},
        {"namespaces", namespaces}};
    return bytes_of({.method = "POST", .path = "/v1/sessions", .body = to_text(body)},
                    target_.gateways.front(), group_.user);
  });
}

Result<void> GroupRun::connect() {
  const auto count = group_.pace == Pace::kRate ? kLanes : schedule_.most_at_once();
  for (std::size_t index = 0; index < count; ++index) {
    lanes_.push_back({.index = index, .gateway = index % target_.gateways.size()});
    if (!dial_any(lanes_.back()))
      return fail(ErrorCode::kBusUnavailable, "no gateway takes a connection");
    free_.push_back(&lanes_.back());
  }
  return followers_.connect(followed_);
}

void GroupRun::begin(std::int64_t now, std::int64_t zero) {
  began_ = now;
  zero_ = zero;
  next_due_ = now;
}

void GroupRun::last_until(std::int64_t at) {
  if (!sent_all_) schedule_.last_until(static_cast<double>(at - began_) / 1e9);
}

std::int64_t GroupRun::next_wake() const {
  std::int64_t wake = sent_all_ ? std::numeric_limits<std::int64_t>::max() : next_due_;
  for (const auto* lane : repeating_) wake = std::min(wake, lane->retry_at);
  return std::min(wake, healed_at_ + 100 * kMs);
}

void GroupRun::on_time(std::int64_t now) {
  if (now - healed_at_ >= 100 * kMs) {
    healed_at_ = now;
    followers_.heal();
    book_.forget(now);
  }
  std::vector<Lane*> due;
  std::erase_if(repeating_, [&](Lane* lane) {
    if (lane->retry_at > now) return false;
    due.push_back(lane);
    return true;
  });
  for (auto* lane : due) send(*lane, now);
  if (sent_all_) return;
  if (group_.pace == Pace::kRate)
    start_due(now);
  else
    start_at_once(now);
}

/// Open loop: everything that is due goes out, or waits with its own time.
void GroupRun::start_due(std::int64_t now) {
  for (;;) {
    const double due = schedule_.due(number_);
    if (due < 0) {
      sent_all_ = true;
      return;
    }
    next_due_ = began_ + static_cast<std::int64_t>(due * 1e9);
    if (next_due_ > now) return;
    start(next_due_, now);
  }
}

void GroupRun::start_at_once(std::int64_t now) {
  const double t = static_cast<double>(now - began_) / 1e9;
  sent_all_ = t >= schedule_.seconds();
  for (const auto wanted = schedule_.at_once(t); busy_ < wanted && !sent_all_;) start(now, now);
  next_due_ = now + 20 * kMs;
}

void GroupRun::start(std::int64_t due, std::int64_t now) {
  ++number_;
  if (at(due) >= 0) record_.asked(at(due), group_.batch);
  if (free_.empty()) return waiting_.push_back(due);
  assign(due, now);
}

/// The next request, on a lane that is free.
void GroupRun::assign(std::int64_t due, std::int64_t now) {
  // In turn, so that none idles until the gateway closes it: how many it holds does not follow our
  // own stalls.
  auto& lane = *free_.front();
  free_.pop_front();
  lane.request = {.due = due,
                  .give_up_at = now + kPatience,
                  .session = assigned_ % followed_.size(),
                  .choice = texts_.next(),
                  .number = assigned_};
  ++assigned_;
  ++busy_;
  send(lane, now);
}

bool GroupRun::dial_any(Lane& lane) {
  for (std::size_t tried = 0; lane.fd < 0 && tried < target_.gateways.size(); ++tried) {
    if (auto fd = dial(target_.gateways[lane.gateway]))
      lane.fd = *fd;
    else
      lane.gateway = (lane.gateway + 1) % target_.gateways.size();
  }
  if (lane.fd < 0) return false;
  lane.in.clear();
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = epoll_.tag | lane.index;
  epoll_ctl(epoll_.fd, EPOLL_CTL_ADD, lane.fd, &event);
  return true;
}

void GroupRun::hang_up(Lane& lane) {
  if (lane.fd >= 0) close(lane.fd);
  lane.fd = -1;
}

void GroupRun::send(Lane& lane, std::int64_t now) {
  lane.retry_at = 0;
  ++lane.request.attempts;
  if (lane.fd < 0 && !dial_any(lane))
    return not_taken(lane, now, false, "no gateway takes a connection");
  const auto& where = target_.gateways[lane.gateway];
  const std::string key = group_.repeat == Repeat::kSameKey
                              ? fmt::format("Idempotency-Key: {}-{}-{}\r\n", target_.run,
                                            group_.name, lane.request.number)
                              : std::string();
  lane.waiting = true;
  const auto bytes =
      bytes_of({.method = "POST",
                .path = fmt::format("/v1/sessions/{}/calls{}", followed_[lane.request.session],
                                    group_.batch > 1 ? ":batch" : ""),
                .body = texts_.body(lane.request.choice),
                .headers = key},
               where, group_.user);
  if (!write_all(lane.fd, bytes)) not_taken(lane, now, true, "a connection broke while sending");
}

/// A gateway did not answer, or not with the calls. Continues with the next one, if that cannot
/// make them twice.
void GroupRun::not_taken(Lane& lane, std::int64_t now, bool sent, const std::string& why) {
  lane.waiting = false;
  hang_up(lane);
  const bool repeat = (group_.repeat == Repeat::kSameKey || !sent) && now < lane.request.give_up_at;
  if (repeat) {
    record_.retried();
    lane.gateway = (lane.gateway + 1) % target_.gateways.size();
    // The first other gateway at once; then slower and slower.
    lane.retry_at =
        now + (lane.request.attempts == 1
                   ? 1
                   : std::min<std::int64_t>(20LL << std::min(lane.request.attempts, 5U), 500)) *
                  kMs;
    repeating_.push_back(&lane);
    return;
  }
  if (sent) unknown_ += group_.batch;
  errors_ += group_.batch;
  record_.refused(group_.batch, why);
  lane_done(lane, now);
}

void GroupRun::on_ready(std::uint64_t tag, std::int64_t now) {
  if ((tag & kFollowerBit) == 0) return on_lane(lanes_[tag & (kFollowerBit - 1)], now);
  auto read = followers_.read(tag & (kFollowerBit - 1),
                              [&](const WireEvents::Event& event) { on_event(event, now); });
  if (!read) record_.lost(0, read.error().message);
}

void GroupRun::on_lane(Lane& lane, std::int64_t now) {
  if (lane.fd < 0) return;
  const bool alive = receive(lane.fd, lane.in);
  const auto answer = parse_answer(lane.in);
  if (answer.size == 0) {
    if (alive) return;
    if (lane.waiting)
      return not_taken(lane, now, true, "a gateway closed the connection without an answer");
    return hang_up(lane);  // idle: made again when it is needed
  }
  if (!lane.waiting) return hang_up(lane);
  lane.waiting = false;
  const std::string body(answer.body);
  const int status = answer.status;
  lane.in.erase(0, answer.size);
  if (!alive) hang_up(lane);
  on_answer(lane, status, body, now);
}

void GroupRun::on_answer(Lane& lane, int status, std::string_view body, std::int64_t now) {
  const bool taken = status == 200 || status == 202;
  if (!taken && group_.repeat == Repeat::kSameKey && refusal(status) != Refusal::kFinal &&
      now < lane.request.give_up_at) {
    if (refusal(status) == Refusal::kElsewhere) return not_taken(lane, now, true, {});
    record_.retried();
    lane.retry_at = now + 200 * kMs;
    repeating_.push_back(&lane);
    return;
  }
  const unsigned accepted = taken ? take_ids(lane, body, now) : 0;
  if (accepted < group_.batch) {
    errors_ += group_.batch - accepted;
    record_.refused(group_.batch - accepted,
                    fmt::format("HTTP {}: {}", status, body.substr(0, 300)));
  }
  if (group_.pace == Pace::kRate || lane.outstanding == 0) lane_done(lane, now);
}

unsigned GroupRun::take_ids(Lane& lane, std::string_view body, std::int64_t now) {
  unsigned taken = 0;
  lane.outstanding = 0;
  for (std::size_t from = 0; taken < group_.batch;) {
    const auto id = next_text_field(body, "\"call_id\"", from);
    auto* call = id.empty() ? nullptr : book_.of(id);
    if (call == nullptr) break;
    ++taken;
    if (call->accepted != 0) {
      record_.repeated(1, fmt::format("two requests were answered with the call {}", id));
      continue;
    }
    ++accepted_[lane.request.session];
    call->due = lane.request.due;
    call->accepted = now;
    if (call->completed != 0) {
      count(*call, id, now);
    } else {
      call->lane = static_cast<std::int32_t>(lane.index);
      ++lane.outstanding;
      ++open_calls_;
    }
  }
  return taken;
}

void GroupRun::lane_done(Lane& lane, std::int64_t now) {
  --busy_;
  free_.push_back(&lane);
  if (!waiting_.empty()) {
    const auto due = waiting_.front();
    waiting_.pop_front();
    assign(due, now);
  } else if (group_.pace == Pace::kConcurrency && !sent_all_) {
    start_at_once(now);
  }
}

void GroupRun::on_event(const WireEvents::Event& event, std::int64_t now) {
  std::size_t from = 0;
  const auto id = next_text_field(event.data, "\"call_id\"", from);
  auto* call = book_.of(id);
  if (call == nullptr) return;
  if (call->first == 0) call->first = now;
  bool repeated = false;
  if (event.type == "completed") {
    repeated = call->completed != 0;
  } else if (event.type == "started") {
    const auto attempt = next_number_field(event.data, "\"attempt\"");
    repeated = attempt <= call->attempt;
    if (!repeated && call->attempt != 0) starts_again_.push_back(at(now));
    call->attempt = std::max(attempt, call->attempt);
    std::size_t behind = from;
    note_start(next_text_field(event.data, "\"worker_id\"", behind), now);
  } else {
    const auto seq = next_number_field(event.data, "\"seq\"");
    repeated = seq <= call->last_seq;
    call->last_seq = std::max(seq, call->last_seq);
  }
  if (repeated) {
    ++errors_;
    record_.repeated(1, fmt::format("seen a second time: {}", event.data.substr(0, 200)));
    return;
  }
  if (event.type != "completed") return;
  call->completed = now;
  const auto outcome = next_text_field(event.data, "\"outcome\"", from);
  call->succeeded = outcome == "succeeded";
  if (!call->succeeded) {
    ++errors_;
    record_.failed(fmt::format("a call ended as {}: {}", outcome, event.data.substr(0, 300)));
  }
  if (call->accepted == 0) return;  // the answer is still on its way
  --open_calls_;
  auto& lane = lanes_[static_cast<std::size_t>(call->lane)];
  count(*call, id, now);
  if (group_.pace == Pace::kConcurrency && lane.outstanding > 0 && --lane.outstanding == 0 &&
      !lane.waiting)
    lane_done(lane, now);
}

void GroupRun::note_start(std::string_view worker, std::int64_t now) {
  if (!target_.keep_starts || worker.empty()) return;
  const auto [known, fresh] = workers_.try_emplace(std::string(worker), workers_.size());
  starts_.push_back({at(now), known->second});
}

void GroupRun::count(CallBook::Call& call, std::string_view id, std::int64_t now) {
  ++seen_;
  book_.done(id, now);
  if (at(call.due) < 0 || !call.succeeded) return;
  const auto ms = [&](std::int64_t ns) {
    return static_cast<float>(static_cast<double>(ns - call.due) / 1e6);
  };
  record_.completed(at(call.due), {.accepted = ms(call.accepted),
                                   .first_event = ms(call.first),
                                   .completion = ms(call.completed)});
}

void GroupRun::give_up() {
  if (open_calls_ > 0)
    record_.lost(static_cast<std::uint64_t>(open_calls_),
                 fmt::format("{} calls were not seen completed", open_calls_));
  const auto unanswered = std::count_if(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
    return lane.waiting || lane.retry_at != 0;
  });
  const auto asked = static_cast<std::uint64_t>(unanswered) * group_.batch;
  if (const auto silent = asked + waiting_.size() * group_.batch; silent > 0) {
    unknown_ += asked;
    errors_ += silent;
    record_.refused(
        silent,
        fmt::format("{} calls were never answered, or not sent because others were not answered",
                    silent));
  }
  if (const auto strays = book_.strays(); strays > unknown_)
    record_.repeated(strays - unknown_,
                     fmt::format("{} calls were seen that no answer mentioned", strays));
}

}  // namespace toolway::cli
