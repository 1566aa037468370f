#include "persistence/reaper/seal_note.h"

#include <fmt/format.h>

#include <chrono>

#include "base/try.h"
#include "bus/answer.h"
#include "bus/server_time.h"
#include "proto/seal_bucket.h"
#include "proto/subjects.h"

namespace toolway::persistence::reaper {
namespace {

constexpr std::chrono::seconds kNatsTimeout{2};
constexpr std::string_view kKey = "last_audit_seal";

}  // namespace

Result<std::optional<audit::Anchor>> SealNote::read() {
  ASSIGN_OR_RETURN(auto noted, read(proto::kSealsStream, proto::kSealsBucket));
  if (noted) return noted;
  // Until they were in a bucket of their own, notes were there.
  return read(bus::kClocksStream, bus::kClocksBucket);
}

Result<std::optional<audit::Anchor>> SealNote::read(std::string_view stream,
                                                    std::string_view bucket) {
  auto found = bus::answer_within<bus::StoredMessage>(kNatsTimeout, [&](auto handler) {
    bus_.last_message(stream, proto::bucket_subject(bucket, kKey), bus::ReadFrom::kLeader,
                      std::move(handler));
  });
  if (!found && found.error().code == ErrorCode::kNotFound) return std::optional<audit::Anchor>();
  RETURN_IF_ERROR(found);
  auto noted = audit::parse_anchor(found->payload);
  if (!noted)
    return fail(ErrorCode::kInternal,
                fmt::format("what bucket {} has under {} is not a seal", bucket, kKey));
  return std::optional(*std::move(noted));
}

Result<void> SealNote::write(const audit::Anchor& last) {
  RETURN_IF_ERROR(bus::answer_within<bus::PubAck>(kNatsTimeout, [&](auto handler) {
    bus_.publish({.subject = proto::bucket_subject(proto::kSealsBucket, kKey),
                  .payload = audit::text_of(last)},
                 std::move(handler));
  }));
  return {};
}

}  // namespace toolway::persistence::reaper
