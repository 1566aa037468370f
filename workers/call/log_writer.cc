#include "workers/call/log_writer.h"

#include <utility>

#include "base/try.h"

namespace toolway::workers::call {
namespace {

constexpr std::chrono::milliseconds kFirstRedoDelay{50};
constexpr std::chrono::milliseconds kMaxRedoDelay{1000};

}  // namespace

LogWriter::LogWriter(const Subject& subject, const DeliveryHold& hold, const WorkerOptions& options,
                     Alarm& alarm, MonotonicTime now)
    : log_(subject.origin, subject.rerun, subject.age,
           options.progress_rate.value_or(log::Backlog::kProgressRate)),
      check_({log_, hold, subject.origin.request, options}, now),
      alarm_(alarm),
      back_off_(kFirstRedoDelay, kMaxRedoDelay) {}

void LogWriter::pump(Step& step) {
  if (redo_ != Redo::kNone || check_.asking()) return;
  if (look_due_ && !log_.in_flight()) {
    look_due_ = false;
    return check_.read_last(step);
  }
  if (auto next = log_.next(step.wall, step.now)) return send(*std::move(next), step);
  const MonotonicTime at = log_.report_ready_at(step.now);
  if (at != MonotonicTime::max()) alarm_.set(at, step);
}

/// The server accepts a first event even when earlier ones have left the stream: a worker that
/// slept, or was cut off, looks first.
void LogWriter::send(log::CallLog::Publish event, Step& step) {
  const bool known = check_.known(step.now);
  if (event.expected_last == 0 && !known) return check_.read_last(step);
  step.orders.publish = std::move(event);
}

void LogWriter::end_is_known(Step& step) {
  log_.in_flight() ? send(log_.again(), step) : pump(step);
}

Result<void> LogWriter::ask(std::vector<v1::Question> questions, Step& step) {
  RETURN_IF_ERROR(log_.ask(std::move(questions)));
  pump(step);
  return {};
}

void LogWriter::look(Step& step) {
  look_due_ = true;
  pump(step);
}

log::CallLog::Kind LogWriter::acked(std::uint64_t sequence) {
  back_off_.succeeded();
  return log_.acked(sequence);
}

void LogWriter::redo_later(Redo what, Step& step) {
  redo_ = what;
  redo_at_ = step.now + back_off_.failed();
  alarm_.set(redo_at_, step);
}

void LogWriter::redo(Step& step) {
  const Redo what = std::exchange(redo_, Redo::kNone);
  redo_at_ = MonotonicTime::max();
  switch (what) {
    case Redo::kNone: break;
    case Redo::kPublish: send(log_.again(), step); break;
    case Redo::kRead: check_.read_last(step); break;
    case Redo::kWindow: check_.ask_window(step); break;
    case Redo::kLookup: check_.ask_collectors(step); break;
  }
}

}  // namespace toolway::workers::call
