#include "workers/log/event_writer.h"

#include "proto/codec.h"
#include "proto/trace.h"

namespace toolway::workers::log {
namespace {

/// One message per thread, reused: its strings keep their memory.
v1::CallEvent& fresh_event(const EventOrigin& origin, const EventPlace& place) {
  thread_local v1::CallEvent event;
  const v1::CallRequest& request = origin.request;
  event.clear_kind();
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
  event.clear_trace();
  if (place.span != nullptr && place.span->valid())
    proto::set_trace(*event.mutable_trace(), *place.span);
  return event;
}

}  // namespace

std::string write_started(const EventOrigin& origin, EventPlace place, std::int64_t started_at_us) {
  auto& event = fresh_event(origin, place);
  event.mutable_started()->set_started_at_us(started_at_us);
  return proto::encode(event);
}

std::string write_alive(const EventOrigin& origin, EventPlace place) {
  auto& event = fresh_event(origin, place);
  event.mutable_alive();
  return proto::encode(event);
}

std::string write_progress(const EventOrigin& origin, EventPlace place, v1::Progress& body) {
  auto& event = fresh_event(origin, place);
  event.set_allocated_progress(&body);
  std::string bytes = proto::encode(event);
  (void)event.release_progress();
  return bytes;
}

std::string write_log(const EventOrigin& origin, EventPlace place, v1::Log& body) {
  auto& event = fresh_event(origin, place);
  event.set_allocated_log(&body);
  std::string bytes = proto::encode(event);
  (void)event.release_log();
  return bytes;
}

std::string write_retry_at(const EventOrigin& origin, EventPlace place, v1::RetryAt& body) {
  auto& event = fresh_event(origin, place);
  event.set_allocated_retry_at(&body);
  std::string bytes = proto::encode(event);
  (void)event.release_retry_at();
  return bytes;
}

std::string write_completed(const EventOrigin& origin, EventPlace place, v1::Completed& body) {
  auto& event = fresh_event(origin, place);
  event.set_allocated_completed(&body);
  std::string bytes = proto::encode(event);
  (void)event.release_completed();
  return bytes;
}

}  // namespace toolway::workers::log
