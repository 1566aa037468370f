#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "monitoring/tracer.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::workers {

/// The spans of one held call: its delivery (`process call.<pool>`), below it the attempt that is
/// run from it (`execute_tool <tool>`), and below that the publication of its completion (`send
/// EVENTS`). Ended spans are put into `Spans`: the holder of the call's lock passes them on after
/// releasing it. Not thread-safe, except `attempt()`, which never changes.
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

  void attempt_began(const Attempt& attempt, WallTime now);
  /// Ends the attempt's, once; nothing when none has begun.
  void attempt_ended(const v1::Completed& how, WallTime now, Spans& ended);
  /// Begins the publication's, once; its context is what the completion carries.
  const TraceContext& completing(monitoring::Tracer& tracer, WallTime now);
  void completion_stored(v1::Outcome outcome, WallTime now, Spans& ended);
  /// The delivery is settled, or left to another worker: ends all that has begun.
  void over(WallTime now, Spans& ended);

 private:
  struct Begun {
    monitoring::Span span;
    bool open = true;
  };
  void end(std::optional<Begun>& which, std::string_view error_type, WallTime now,
           Spans& ended) const;
  monitoring::Span& begin(std::optional<Begun>& which, monitoring::Span span,
                          const TraceContext& context, const TraceContext& parent,
                          WallTime now) const;

  const v1::CallRequest& call_;
  const bool records_;
  TraceContext delivery_;
  TraceContext attempt_;
  TraceContext publication_;
  std::optional<Begun> delivery_span_;
  std::optional<Begun> attempt_span_;
  std::optional<Begun> publication_span_;
};

}  // namespace toolway::workers
