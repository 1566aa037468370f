#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "monitoring/tracer.h"
#include "proto/toolway/v1/call.pb.h"
#include "workers/call/step.h"

namespace toolway::workers::call {

/// The spans of one held call: its delivery (`process call.<pool>`), below it the attempt that is
/// run from it (`execute_tool <tool>`), and below that the publication of its completion (`send
/// EVENTS`). Follows the call's turn by its orders. Ended spans are put into `Spans`: the holder of
/// the call's lock passes them on after releasing it. Not thread-safe, except the contexts, which
/// never change.
class CallSpans {
 public:
  using Spans = std::vector<monitoring::Span>;

  /// What an attempt's span says besides its call.
  struct Attempt {
    unsigned number = 1;
    std::string_view kind{};  ///< of the tool
    std::string_view worker_id{};
  };

  /// Begins the delivery's. `call` must outlive it. For a call that is not traced it only passes on
  /// what the client sent.
  CallSpans(monitoring::Tracer& tracer, const v1::CallRequest& call, std::uint64_t delivery_count,
            WallTime now);

  /// Whether it makes spans at all.
  bool recorded() const { return records_ && attempt_.sampled; }
  /// The context of the attempt, begun or not: what its tool is given.
  const TraceContext& attempt() const { return attempt_; }
  /// The context of its completion's publication, begun or not: what the completion carries.
  const TraceContext& publication() const { return publication_; }

  void attempt_began(const Attempt& attempt, WallTime now);
  /// Ends the attempt's and begins the publication's, ends that, and ends all that has begun when
  /// the delivery is settled or left to another worker: as the orders say.
  void follow(const Orders& orders, WallTime now, Spans& ended);

 private:
  struct StartedSpan {
    monitoring::Span span;
    bool open = true;
  };
  /// Once; nothing when none has begun.
  void end_attempt(const AttemptEnd& how, WallTime now, Spans& ended);
  void begin_publication(WallTime now);
  void end_publication(v1::Outcome outcome, WallTime now, Spans& ended);
  void end(std::optional<StartedSpan>& which, std::string_view error_type, WallTime now,
           Spans& ended) const;
  monitoring::Span& begin(std::optional<StartedSpan>& which, monitoring::Span span,
                          const TraceContext& context, const TraceContext& parent,
                          WallTime now) const;

  const v1::CallRequest& call_;
  const bool records_;
  TraceContext delivery_;
  TraceContext attempt_;
  TraceContext publication_;
  std::optional<StartedSpan> delivery_span_;
  std::optional<StartedSpan> attempt_span_;
  std::optional<StartedSpan> publication_span_;
};

}  // namespace toolway::workers::call
