#include "workers/log/event_writer.h"

#include "proto/audit.h"
#include "proto/codec.h"
#include "proto/trace.h"

namespace toolway::workers::log {
namespace {

/// One message per thread, reused: its strings keep their memory. Without a kind.
v1::CallEvent& fresh_event(const EventOrigin& origin, const EventPlace& place) {
  thread_local v1::CallEvent event;
  const v1::CallRequest& request = origin.request;
  event.set_call_id(request.call_id());
  event.set_tenant_id(request.tenant_id());
  event.set_session_key(request.session_key());
  *event.mutable_labels() = request.labels();
  event.set_attempt(place.attempt);
  event.set_seq(place.seq);
  event.set_time_us(to_unix_us(place.time));
  event.set_worker_id(origin.worker_id.data(), origin.worker_id.size());
  event.set_call_sequence(origin.call_sequence);
  event.set_submitted_at_us(request.submitted_at_us());
  event.set_user_id(request.user_id());
  event.set_session_id(request.session_id());
  event.set_failures(place.failures);
  event.set_approved(place.approved.data(), place.approved.size());
  event.mutable_questions()->Assign(place.questions.begin(), place.questions.end());
  event.clear_parked_for();
  event.set_parks(place.parks);
  event.clear_trace();
  event.clear_admission();
  if (place.span != nullptr && place.span->valid())
    proto::set_trace(*event.mutable_trace(), *place.span);
  return event;
}

/// The event borrows `body`, and gives it back even when there is no memory to write it: it would
/// free it otherwise.
template <typename Body>
std::string write(v1::CallEvent& event, Body& body, void (v1::CallEvent::*lend)(Body*),
                  Body* (v1::CallEvent::*give_back)()) {
  struct Lent {
    ~Lent() { (void)(event.*give_back)(); }
    v1::CallEvent& event;
    Body* (v1::CallEvent::*give_back)();
  };
  (event.*lend)(&body);
  const Lent lent{event, give_back};
  return proto::encode(event);
}

}  // namespace

std::string write_started(const EventOrigin& origin, EventPlace place, std::int64_t started_at_us) {
  v1::Started body;
  body.set_started_at_us(started_at_us);
  return write(fresh_event(origin, place), body, &v1::CallEvent::set_allocated_started,
               &v1::CallEvent::release_started);
}

std::string write_alive(const EventOrigin& origin, EventPlace place) {
  v1::Alive body;
  return write(fresh_event(origin, place), body, &v1::CallEvent::set_allocated_alive,
               &v1::CallEvent::release_alive);
}

std::string write_progress(const EventOrigin& origin, EventPlace place, v1::Progress& body) {
  return write(fresh_event(origin, place), body, &v1::CallEvent::set_allocated_progress,
               &v1::CallEvent::release_progress);
}

std::string write_log(const EventOrigin& origin, EventPlace place, v1::Log& body) {
  return write(fresh_event(origin, place), body, &v1::CallEvent::set_allocated_log,
               &v1::CallEvent::release_log);
}

std::string write_retry_at(const EventOrigin& origin, EventPlace place, v1::RetryAt& body) {
  return write(fresh_event(origin, place), body, &v1::CallEvent::set_allocated_retry_at,
               &v1::CallEvent::release_retry_at);
}

std::string write_input_requested(const EventOrigin& origin, EventPlace place,
                                  std::span<const v1::Question> asked) {
  v1::CallEvent& event = fresh_event(origin, place);
  v1::InputRequested body;
  for (const auto& question : asked) {
    *event.add_questions() = question;
    body.add_keys(question.key());
  }
  return write(event, body, &v1::CallEvent::set_allocated_input_requested,
               &v1::CallEvent::release_input_requested);
}

std::string write_parked(const EventOrigin& origin, EventPlace place,
                         std::span<const std::string> keys) {
  v1::CallEvent& event = fresh_event(origin, place);
  event.mutable_parked_for()->Assign(keys.begin(), keys.end());
  v1::InputRequested body;
  return write(event, body, &v1::CallEvent::set_allocated_input_requested,
               &v1::CallEvent::release_input_requested);
}

std::string write_completed(const EventOrigin& origin, EventPlace place, v1::Completed& body) {
  v1::CallEvent& event = fresh_event(origin, place);
  event.set_admission(proto::admission_to_tell(origin.request));
  return write(event, body, &v1::CallEvent::set_allocated_completed,
               &v1::CallEvent::release_completed);
}

}  // namespace toolway::workers::log
