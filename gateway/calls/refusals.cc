#include "gateway/calls/refusals.h"

#include <fmt/format.h>

#include <utility>

#include "proto/audit.h"

namespace toolway::gateway::calls {
namespace {

std::int64_t minute_of(WallTime time) {
  return std::chrono::floor<std::chrono::minutes>(time).time_since_epoch().count();
}

}  // namespace

bool Refusals::counts(ErrorCode code) {
  return code == ErrorCode::kUnauthenticated || code == ErrorCode::kPermissionDenied ||
         code == ErrorCode::kRateLimited || code == ErrorCode::kToolDisabled ||
         code == ErrorCode::kApprovalDecided;
}

void Refusals::note(const wire::Caller& caller, ErrorCode code) {
  if (!counts(code)) return;
  const WallTime now = clock_.wall();
  if (minute_of(now) != minute_) close_minute(now);
  Who who{caller.tenant_id, caller.user_id, caller.method, caller.key_id, code};
  if (counts_.size() >= kUsers && !counts_.contains(who))
    who = {caller.tenant_id, {}, {}, {}, code};
  auto& count = counts_[std::move(who)];
  if (count.count++ == 0) count.first = now;
  count.last = now;
}

std::vector<v1::AuditRecord> Refusals::take(Which which) {
  const WallTime now = clock_.wall();
  if (which == Which::kAll || minute_of(now) != minute_) close_minute(now);
  return std::exchange(waiting_, {});
}

void Refusals::put_back(v1::AuditRecord record) {
  if (waiting_.size() < kWaiting) waiting_.push_back(std::move(record));
}

void Refusals::close_minute(WallTime now) {
  for (const auto& [who, count] : std::exchange(counts_, {})) {
    auto record = proto::audit_record("refused", now);
    record.set_tenant_id(who.tenant_id);
    record.set_user_id(who.user_id);
    record.set_method(who.method);
    record.set_key_id(who.key_id);
    record.set_code(std::string(code_name(who.code)));
    record.set_details(fmt::format(R"({{"count":{},"first_us":{},"last_us":{}}})", count.count,
                                   to_unix_us(count.first), to_unix_us(count.last)));
    put_back(std::move(record));
  }
  minute_ = minute_of(now);
}

}  // namespace toolway::gateway::calls
