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
  (void)toolway::proto::decode_call(input);
  (void)toolway::proto::decode_session(input);
  if (const auto event = toolway::proto::decode_event(input)) {
    if (!toolway::CallId::parse(event->call_id())) __builtin_trap();
  }
  if (const auto subject = toolway::proto::parse_event_subject(input)) {
    if (!toolway::SessionKey::parse(subject->session.text())) __builtin_trap();
  }
  (void)toolway::bus::api::parse_delivery_subject(input);
  (void)toolway::bus::api::parse_pub_ack(input);
  (void)toolway::bus::api::parse_stream_info(input);
  (void)toolway::bus::api::parse_consumer_info(input);
  (void)toolway::bus::api::parse_stored_message(input);
  (void)toolway::bus::api::parse_time(input);
  (void)toolway::bus::subject_matches("a.*.>", input);
  if (toolway::valid_opaque(input) && !toolway::valid_utf8(input)) __builtin_trap();
  return 0;
}
