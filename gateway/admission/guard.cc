#include "gateway/admission/guard.h"

#include <fmt/format.h>

#include "base/error.h"

namespace toolway::gateway::admission {

using std::chrono::seconds;

std::optional<Error> refuse_call(const BusFacts& facts, const GuardCaps& caps,
                                 std::string_view pool, BusHealth bus, MonotonicTime now) {
  // Publishing would leave the client unable to tell whether its call runs.
  if (bus.silent >= kSilenceLasts)
    return Error{ErrorCode::kBusUnavailable, "JetStream does not answer: send the call again",
                 seconds(1)};
  if (!facts.at) return std::nullopt;
  if (now - *facts.at > kFactsLast) {
    // Facts from before an outage refuse nothing: the publication itself shows how the bus is.
    if (bus.connection == bus::Connection::kConnected) return std::nullopt;
    return Error{ErrorCode::kBusUnavailable, "the message bus does not answer: send the call again",
                 seconds(1)};
  }
  for (const auto& [stream, part] : facts.unrecorded) {
    if (part <= caps.unrecorded) continue;
    return Error{
        ErrorCode::kCollectorBehind,
        fmt::format("{:.0f} % of what stream {} keeps is not recorded in Postgres yet, and calls "
                    "are refused above {:.0f} %: send the call again later",
                    part * 100, stream, caps.unrecorded * 100),
        seconds(5)};
  }
  if (facts.queues_of(pool) == nullptr) {
    return Error{ErrorCode::kPoolUnavailable,
                 fmt::format("pool \"{}\" has no queue: create it with `toolway migrate --pool {}`",
                             pool, pool),
                 seconds(10)};
  }
  if (const auto waiting = facts.waiting_in(pool); waiting >= caps.pool_queue) {
    return Error{
        ErrorCode::kQueueFull,
        fmt::format(
            "{} calls are waiting in pool \"{}\", the limit is {}: send the call again later",
            waiting, pool, caps.pool_queue),
        seconds(2)};
  }
  return std::nullopt;
}

std::optional<Error> refuse_share(Shares::Placement verdict, const ShareCaps& caps) {
  switch (verdict) {
    case Shares::Placement::kNormal:
    case Shares::Placement::kBulk: return std::nullopt;
    case Shares::Placement::kSessionFull:
      return Error{
          ErrorCode::kTooManyCalls,
          fmt::format(
              "this session already has {} calls queued, the limit; wait for some to finish",
              caps.session_most),
          seconds(2)};
    case Shares::Placement::kUserFull:
      return Error{
          ErrorCode::kTooManyCalls,
          fmt::format("you already have {} calls queued, the limit; wait for some to finish",
                      caps.user_most),
          seconds(2)};
  }
  return std::nullopt;
}

Error refused_by_stream(Error error) {
  // The bus hands on the server's own words: a full stream that discards new messages, no
  // storage left, a stream without a leader. None of them is this gateway's fault or the client's.
  if (error.code == ErrorCode::kInternal) {
    error.code = ErrorCode::kBusUnavailable;
    error.message = "the message bus did not store the call: " + error.message;
    error.retry_after = seconds(2);
  }
  return error;
}

}  // namespace toolway::gateway::admission
