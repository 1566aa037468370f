#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "proto/toolway/v1/audit.pb.h"
#include "proto/toolway/v1/call.pb.h"

/// What messages say for the audit. Pure.
namespace toolway::proto {

/// What `admission` of a call or a completion says. Bytes that are none say nothing.
v1::Admission admission_of(std::string_view bytes);

/// `sha256:<hex>` of the arguments that were let in; empty: nothing was decided.
std::string arguments_digest(const v1::Admission& admission);

/// For the completion of a call: why it was let in, and how who asked was known; the bytes of a
/// v1::Admission.
std::string admission_to_tell(const v1::CallRequest& request);

/// A record of something that happens now, with an id of its own.
v1::AuditRecord audit_record(std::string_view what, WallTime now);

std::string encode(const v1::AuditRecord& record);
/// Into `record`, whose memory is used again. Errors: as proto::decode_call.
Result<void> decode(std::string_view bytes, v1::AuditRecord& record);

}  // namespace toolway::proto
