#include "proto/audit.h"

#include <fmt/format.h>

#include "base/ids.h"
#include "base/sha256.h"
#include "base/try.h"

namespace toolway::proto {

v1::Admission admission_of(std::string_view bytes) {
  v1::Admission admission;
  if (!admission.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) admission.Clear();
  return admission;
}

std::string arguments_digest(const v1::Admission& admission) {
  const auto& sum = admission.arguments_sha256();
  return sum.empty() ? admission.arguments_digest() : digest_text(sum);
}

std::string admission_to_tell(const v1::CallRequest& request) {
  v1::Admission caller;
  caller.set_method(request.principal().method());
  caller.set_key_id(request.principal().key_id());
  // Messages in bytes that follow one another are read as one.
  std::string bytes = request.admission();
  caller.AppendToString(&bytes);
  return bytes;
}

v1::AuditRecord audit_record(std::string_view what, WallTime now) {
  v1::AuditRecord record;
  record.set_id(CallId::make(now).text());
  record.set_tenant_id("default");
  record.set_what(std::string(what));
  record.set_at_us(to_unix_us(now));
  return record;
}

std::string encode(const v1::AuditRecord& record) { return record.SerializeAsString(); }

Result<void> decode(std::string_view bytes, v1::AuditRecord& record) {
  if (!record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return fail(ErrorCode::kInternal,
                fmt::format("{} bytes that are not an AuditRecord", bytes.size()));
  RETURN_IF_ERROR(CallId::parse(record.id()));
  if (!valid_name(record.what()))
    return fail(ErrorCode::kInternal, "an AuditRecord that does not say what it records");
  return {};
}

}  // namespace toolway::proto
