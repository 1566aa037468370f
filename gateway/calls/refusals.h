#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "gateway/wire/caller.h"
#include "proto/toolway/v1/audit.pb.h"

namespace toolway::gateway::calls {

/// What this gateway has refused because someone may not do it, for the audit: one record per
/// minute, user and code. On the io_context's thread. Pure; the clock must outlive it.
class Refusals {
 public:
  /// Of one minute; what is refused to more users than that is counted as of no user.
  static constexpr std::size_t kUsers = 5'000;
  /// Records that no one has taken yet, at most: the oldest are kept.
  static constexpr std::size_t kWaiting = 20'000;

  explicit Refusals(const Clock& clock) : clock_(clock) {}

  /// Whether the audit records refusals of this code: not what was merely wrong, in excess of the
  /// platform's own limits, or refused because an extension failed (kInternal, kTimeout), which
  /// decides nothing about the caller.
  static bool counts(ErrorCode code);
  void note(const wire::Caller& caller, ErrorCode code);

  enum class Which : std::uint8_t { kOfPastMinutes, kAll };
  /// Each once.
  std::vector<v1::AuditRecord> take(Which which);
  /// What could not be told comes once more, as it is.
  void put_back(v1::AuditRecord record);

 private:
  struct Who {
    std::string tenant_id;
    std::string user_id;
    std::string method;
    std::string key_id;
    ErrorCode code = ErrorCode::kInternal;
    auto operator<=>(const Who&) const = default;
  };
  struct Count {
    std::uint64_t count = 0;
    WallTime first{};
    WallTime last{};
  };
  void close_minute(WallTime now);

  const Clock& clock_;
  std::int64_t minute_ = 0;
  std::map<Who, Count> counts_;
  std::vector<v1::AuditRecord> waiting_;
};

}  // namespace toolway::gateway::calls
