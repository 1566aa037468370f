// What arrives over NATS: messages, subjects, and JetStream's own answers.
#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "base/utf8.h"
#include "bus/jetstream_api.h"
#include "bus/subject_filter.h"
#include "proto/codec.h"
#include "proto/subjects.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace toolway;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  (void)proto::decode_call(input);
  (void)proto::decode_session(input);
  if (const auto event = proto::decode_event(input)) {
    if (!CallId::parse(event->call_id())) __builtin_trap();
  }
  if (const auto subject = proto::parse_event_subject(input)) {
    if (!SessionKey::parse(subject->session.text())) __builtin_trap();
  }
  (void)bus::api::parse_delivery_subject(input);
  (void)bus::api::parse_pub_ack(input);
  (void)bus::api::parse_stream_info(input);
  (void)bus::api::parse_consumer_info(input);
  (void)bus::api::parse_stored_message(input);
  (void)bus::api::parse_time(input);
  (void)bus::subject_matches("a.*.>", input);
  if (valid_opaque(input) && !valid_utf8(input)) __builtin_trap();
  return 0;
}
