#include "persistence/reaper/seal_note.h"

#include <chrono>

#include "base/try.h"
#include "bus/answer.h"
#include "bus/server_time.h"
#include "proto/subjects.h"

namespace toolway::persistence::reaper {
namespace {

constexpr std::chrono::seconds kNatsTimeout{2};
constexpr std::string_view kKey = "last_audit_seal";

std::string subject() { return proto::bucket_subject(bus::kClocksBucket, kKey); }

}  // namespace

Result<std::optional<audit::Anchor>> SealNote::read() {
  auto found = bus::answer_within<bus::StoredMessage>(kNatsTimeout, [&](auto handler) {
    bus_.last_message(bus::kClocksStream, subject(), bus::ReadFrom::kLeader, std::move(handler));
  });
  if (!found && found.error().code == ErrorCode::kNotFound) return std::optional<audit::Anchor>();
  RETURN_IF_ERROR(found);
  auto noted = audit::parse_anchor(found->payload);
  if (!noted)
    return fail(ErrorCode::kInternal, "what bucket clocks has under last_audit_seal is not a seal");
  return std::optional(*std::move(noted));
}

Result<void> SealNote::write(const audit::Anchor& last) {
  RETURN_IF_ERROR(bus::answer_within<bus::PubAck>(kNatsTimeout, [&](auto handler) {
    bus_.publish({.subject = subject(), .payload = audit::text_of(last)}, std::move(handler));
  }));
  return {};
}

}  // namespace toolway::persistence::reaper
