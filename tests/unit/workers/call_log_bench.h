#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "base/ids.h"
#include "proto/codec.h"
#include "proto/questions.h"
#include "workers/log/call_log.h"
#include "workers/log/completion.h"

/// What the tests of the call log share: a subject as the server keeps it, and writers.
namespace toolway::workers::test {

inline constexpr MonotonicTime kNow{std::chrono::hours(1)};
inline const WallTime kWall = from_unix_us(1763668800000000);

inline v1::CallRequest request() {
  v1::CallRequest made;
  made.set_call_id(CallId::make(kWall).text());
  made.set_session_key(SessionKey::make().text());
  made.mutable_labels()->set_tool("tool");
  made.set_submitted_at_us(to_unix_us(kWall));
  return made;
}

/// A stream subject as the server keeps it: what follows is stored, all else refused.
class Subject {
 public:
  /// The new sequence, or 0: refused.
  std::uint64_t offer(const log::CallLog::Publish& publish) {
    if (publish.expected_last != sequence()) return 0;
    events_.push_back({publish.payload, next_++, *proto::decode_event(publish.payload)});
    return events_.back().sequence;
  }
  std::uint64_t sequence() const { return events_.empty() ? 0 : events_.back().sequence; }
  std::optional<log::LastEvent> last() const {
    if (events_.empty()) return std::nullopt;
    return events_.back();
  }
  void cancel(const v1::CallRequest& call) {
    v1::CallEvent event;
    event.set_call_id(call.call_id());
    event.set_session_key(call.session_key());
    event.set_seq(events_.empty() ? 1 : events_.back().event.seq() + 1);
    event.set_attempt(events_.empty() ? 0 : events_.back().event.attempt());
    const bool runs = !events_.empty() && !events_.back().event.has_retry_at() &&
                      !proto::is_parked(events_.back().event);
    if (runs) event.set_worker_id(events_.back().event.worker_id());
    event.mutable_cancel_requested();
    if (!events_.empty() && events_.back().event.has_input_provided())
      event.mutable_cancel_requested()->set_follows(proto::followed_by(events_.back().event));
    events_.push_back({proto::encode(event), next_++, event});
  }
  /// As a gateway does, after the last event; `key` is one of its questions.
  void answer(const std::string& key, const std::string& answer) {
    auto event = events_.back().event;
    const auto followed = proto::followed_by(event);
    event.set_seq(event.seq() + 1);
    event.mutable_input_provided()->set_follows(followed);
    event.mutable_input_provided()->add_keys(key);
    for (auto& question : *event.mutable_questions())
      if (question.key() == key) question.set_answer(answer);
    events_.push_back({proto::encode(event), next_++, event});
  }
  const std::vector<log::LastEvent>& events() const { return events_; }
  /// seq is 1, 2, 3 … and a merged completion takes two numbers.
  bool contiguous() const {
    std::uint32_t seq = 0;
    for (const auto& event : events_) {
      seq += event.event.completed().merged_start() ? 2 : 1;
      if (event.event.seq() != seq) return false;
    }
    return true;
  }

 private:
  std::vector<log::LastEvent> events_;
  std::uint64_t next_ = 100;
};

inline v1::Completed done() { return log::ending_of(Json("done"), {}).completed; }

struct Writer {
  explicit Writer(const v1::CallRequest& call, std::string name,
                  log::DeliveryAge age = log::DeliveryAge::kFirst,
                  log::Rerun rerun = log::Rerun::kAllowed)
      : id(std::move(name)), log({call, id}, rerun, age) {}
  /// Publishes what is next; false: nothing is, or it was refused.
  bool write(Subject& subject) {
    const auto publish = log.next(kWall + std::chrono::microseconds(++time), kNow);
    if (!publish) return false;
    const std::uint64_t sequence = subject.offer(*publish);
    if (sequence != 0) log.acked(sequence);
    return sequence != 0;
  }
  void write_all(Subject& subject) {
    while (write(subject)) {
    }
  }
  std::string id;
  int time = 0;
  log::CallLog log;
};

}  // namespace toolway::workers::test
