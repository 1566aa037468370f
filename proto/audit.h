#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "proto/toolway/v1/audit.pb.h"
#include "proto/toolway/v1/call.pb.h"

/// What messages say for the audit. Pure.
namespace toolway::proto {

/// Into the completion of a call: why it was let in, and how who asked was known.
void write_admission(const v1::CallRequest& request, v1::Admission& admission);

/// A record of something that happens now, with an id of its own.
v1::AuditRecord audit_record(std::string_view what, WallTime now);

std::string encode(const v1::AuditRecord& record);
/// Into `record`, whose memory is used again. Errors: as proto::decode_call.
Result<void> decode(std::string_view bytes, v1::AuditRecord& record);

}  // namespace toolway::proto
