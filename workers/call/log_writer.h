#pragma once

#include <chrono>
#include <cstdint>

#include "base/back_off.h"
#include "base/clock.h"
#include "workers/call/alarm.h"
#include "workers/call/log_check.h"
#include "workers/call/step.h"
#include "workers/log/call_log.h"

namespace toolway::workers::call {

/// A call's log as its turn writes it: orders one event after the other, looks at the log's end
/// before that where others may have written, and asks again what the bus did not answer.
/// Part of a call's turn. Pure; not thread-safe.
class LogWriter {
 public:
  struct Subject {
    log::EventOrigin origin;
    log::Rerun rerun;
    log::DeliveryAge age;
  };

  /// `hold`, `options` and `alarm` must outlive it.
  LogWriter(const Subject& subject, const DeliveryHold& hold, const WorkerOptions& options,
            Alarm& alarm, MonotonicTime now);
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  log::CallLog& log() { return log_; }
  const log::CallLog& log() const { return log_; }
  LogCheck& check() { return check_; }

  /// Publishes what comes next, if there is something and nothing must be known or answered first.
  void pump(Step& step);
  /// Errors: of `CallLog::ask`.
  Result<void> ask(std::vector<v1::Question> questions, Step& step);
  /// No event of the call has left the stream unseen: continues.
  void end_is_known(Step& step);
  /// Another writer wrote to it: reads the last event as soon as nothing of its own is in flight.
  void look(Step& step);
  /// The event in flight is stored. Returns what it was.
  log::CallLog::Kind acked(std::uint64_t sequence);

  void redo_later(Redo what, Step& step);
  bool redo_due(MonotonicTime now) const { return redo_ != Redo::kNone && now >= redo_at_; }
  /// When `redo_due`; max: never.
  MonotonicTime redo_at() const { return redo_at_; }
  void redo(Step& step);

 private:
  void send(log::CallLog::Publish event, Step& step);

  log::CallLog log_;
  LogCheck check_;
  Alarm& alarm_;
  bool look_due_ = false;  ///< the last event must be read
  Redo redo_ = Redo::kNone;
  BackOff back_off_;
  MonotonicTime redo_at_ = MonotonicTime::max();
};

}  // namespace toolway::workers::call
