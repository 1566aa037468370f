#include "cli/bench/load/group_run.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "cli/bench/connections/exchange.h"
#include "cli/bench/connections/sockets.h"
#include "cli/bench/connections/wire.h"
#include "cli/bench/load/refusal.h"

namespace toolway::cli::bench::load {

using connections::next_text_field;
using connections::WireEvents;
using scenario::Pace;
using scenario::Repeat;

namespace {

constexpr std::int64_t kMs = 1'000'000;

}  // namespace

GroupRun::GroupRun(const scenario::LoadGroup& group, const LoadTarget& target, Epoll epoll,
                   const KindCall& kind_call)
    : group_(group),
      target_(target),
      epoll_(epoll),
      schedule_(group, target.warm_up),
      texts_(group, kind_call),
      caller_{group.user, group.tokens},
      followers_(target.gateways, caller_, epoll.fd, epoll.tag | kFollowerBit) {
  for (unsigned i = 0; i < group.followed(); ++i)
    followed_.push_back(fmt::format("{}-{}-{}", target.run, group.name, i));
  for (const auto& gateway : target.gateways)
    gateway_headers_.push_back(connections::json_head(gateway));
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
  return connections::ask_all(target_.gateways.front(), group_.sessions, [&](std::size_t i) {
    const OrderedJson body = {{"session_id", fmt::format("{}-{}-{}", target_.run, group_.name, i)},
                              {"namespaces", namespaces}};
    return connections::bytes_of({.method = "POST", .path = "/v1/sessions", .body = to_text(body)},
                                 target_.gateways.front(), caller_, i);
  });
}

Result<void> GroupRun::connect() {
  // Of an open loop a constant number, so that what a gateway holds does not follow our own stalls.
  const auto count = group_.pace == Pace::kRate ? group_.connections : schedule_.most_at_once();
  for (std::size_t index = 0; index < count; ++index) {
    lanes_.push_back({.index = index, .gateway = index % target_.gateways.size()});
    if (!dial_any(lanes_.back()))
      return fail(ErrorCode::kBusUnavailable, "no gateway takes a connection");
    free_.push_back(&lanes_.back());
  }
  return {};
}

void GroupRun::begin(std::int64_t now, std::int64_t zero) {
  began_ = now;
  zero_ = zero;
  next_due_ = now;
  settled_ = !target_.settle;
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

/// Whether the first stage has to wait for the warm-up's calls. It begins when none is left.
bool GroupRun::settling(std::int64_t now) {
  if (settled_ || now < zero_) return false;
  if (!idle()) {
    next_due_ = now + 20 * kMs;
    return true;
  }
  settled_ = true;
  began_ += now - zero_;
  zero_ = now;
  return false;
}

/// Open loop: everything that is due goes out, or waits with its own time.
void GroupRun::start_due(std::int64_t now) {
  while (!sent_all_) {
    const double due = schedule_.due(number_);
    if (due < 0) {
      sent_all_ = true;
      return;
    }
    const auto after = static_cast<std::int64_t>(due * 1e9);
    if (began_ + after >= zero_ && settling(now)) return;
    next_due_ = began_ + after;
    if (next_due_ > now) return;
    start(next_due_, now);
  }
}

void GroupRun::start_at_once(std::int64_t now) {
  if (settling(now)) return;
  const double t = static_cast<double>(now - began_) / 1e9;
  sent_all_ = t >= schedule_.seconds();
  for (const auto wanted = schedule_.at_once(t); busy_ < wanted && !sent_all_;) start(now, now);
  next_due_ = now + 20 * kMs;
}

void GroupRun::start(std::int64_t due, std::int64_t now) {
  ++number_;
  if (at(due) >= 0) {
    record_.asked(at(due), group_.batch);
    counted_ += group_.batch;
    sent_all_ = group_.most != 0 && counted_ >= group_.most;
  }
  if (free_.empty()) return waiting_.push_back(due);
  assign(due, now);
}

/// The next request, on a lane that is free.
void GroupRun::assign(std::int64_t due, std::int64_t now) {
  auto& lane = *free_.front();
  free_.pop_front();
  lane.request = {.due = due,
                  .give_up_at = now + kRepeatTimeout,
                  .session = assigned_ % followed_.size(),
                  .choice = texts_.next(),
                  .number = assigned_};
  ++assigned_;
  ++busy_;
  send(lane, now);
}

bool GroupRun::dial_any(Lane& lane) {
  for (std::size_t tried = 0; lane.fd < 0 && tried < target_.gateways.size(); ++tried) {
    if (auto fd = connections::dial(target_.gateways[lane.gateway]))
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
  lane.waiting = true;
  if (!connections::write_all(lane.fd, request_bytes(lane)))
    not_taken(lane, now, true, "a connection broke while sending");
}

/// Put together from parts that are always the same: this shares its cores with what it measures.
const std::string& GroupRun::request_bytes(const Lane& lane) {
  request_.assign("POST /v1/sessions/").append(followed_[lane.request.session]);
  request_.append(group_.batch > 1 ? "/calls:batch HTTP/1.1\r\n" : "/calls HTTP/1.1\r\n");
  caller_.append_to(request_.append(gateway_headers_[lane.gateway]), requests_++);
  if (group_.repeat == Repeat::kSameKey)
    request_ +=
        fmt::format("Idempotency-Key: {}-{}-{}\r\n", target_.run, group_.name, lane.request.number);
  return request_.append(texts_.ending(lane.request.choice));
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
  const bool alive = connections::receive(lane.fd, lane.in);
  const auto answer = connections::parse_answer(lane.in);
  if (answer.size == 0) {
    if (alive) return;
    if (lane.waiting)
      return not_taken(lane, now, true, "a gateway closed the connection without an answer");
    return hang_up(lane);  // idle: made again when it is needed
  }
  if (!lane.waiting) return hang_up(lane);
  lane.waiting = false;
  // Its next request may go out, and on a new connection, before this one's answer is done with.
  const auto body_at = static_cast<std::size_t>(answer.body.data() - lane.in.data());
  answer_.swap(lane.in);
  lane.in.assign(answer_, answer.size);
  if (!alive) hang_up(lane);
  on_answer(lane, answer.status, std::string_view(answer_).substr(body_at, answer.size - body_at),
            now);
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
    const auto key = parse_call_key(id);
    if (!key) break;
    auto& call = book_.of(*key);
    ++taken;
    if (call.accepted != 0) {
      record_.repeated(1, fmt::format("two requests were answered with the call {}", id));
      continue;
    }
    ++accepted_[lane.request.session];
    call.due = lane.request.due;
    call.accepted = now;
    if (call.completed != 0) {
      count(call, *key, now);
    } else {
      call.lane = static_cast<std::int32_t>(lane.index);
      ++lane.outstanding;
      ++open_calls_;
    }
  }
  return taken;
}

void GroupRun::lane_done(Lane& lane, std::int64_t now) {
  --busy_;
  if (group_.next_connection == scenario::NextConnection::kLastUsed)
    free_.push_front(&lane);
  else
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
  const auto key = parse_call_key(next_text_field(event.data, "\"call_id\"", from));
  if (!key) return;
  auto& call = book_.of(*key);
  if (call.first == 0) call.first = now;
  events_ += settled_ && now >= zero_ ? 1 : 0;
  bool unknown = false;
  switch (judge_event(call, event.type, event.data.substr(from))) {
    case Seen::kProgress: return;
    case Seen::kStartedAgain: attempts_.started_again(at(now)); [[fallthrough]];
    case Seen::kStarted:
      if (target_.keep_starts)
        attempts_.started(next_text_field(event.data, "\"worker_id\"", from), at(now));
      return;
    case Seen::kRanTwice:
      ++errors_;
      return record_.repeated(1, fmt::format("ran twice: {}", event.data.substr(0, 200)));
    case Seen::kRepeated:
      ++errors_;
      return record_.repeated(1, fmt::format("seen a second time: {}", event.data.substr(0, 200)));
    case Seen::kEndedUnknown: unknown = true; break;
    case Seen::kCompleted: break;
  }
  call.completed = now;
  const auto outcome = next_text_field(event.data, "\"outcome\"", from);
  call.succeeded = outcome == "succeeded";
  if (unknown) {
    attempts_.ended_unknown(at(now));
  } else if (!call.succeeded) {
    ++errors_;
    record_.failed(fmt::format("a call ended as {}: {}", outcome, event.data.substr(0, 300)));
  }
  if (call.accepted == 0) return;  // the answer is still on its way
  --open_calls_;
  auto& lane = lanes_[static_cast<std::size_t>(call.lane)];
  count(call, *key, now);
  if (group_.pace == Pace::kConcurrency && lane.outstanding > 0 && --lane.outstanding == 0 &&
      !lane.waiting)
    lane_done(lane, now);
}

void GroupRun::count(const CallBook::Call& call, const CallKey& key, std::int64_t now) {
  ++seen_;
  book_.done(key, now);
  if (at(call.due) < 0) return;
  if (target_.keep_ids) ids_.push_back(key);
  if (call.succeeded) record_.completed(at(call.due), times_of(call));
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

}  // namespace toolway::cli::bench::load
