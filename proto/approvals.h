#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "proto/toolway/v1/call.pb.h"

/// Calls that wait for a person (docs/approvals.md): what their messages and the ends of their logs
/// mean, for gateways, workers and the reaper alike. Pure.
namespace toolway::proto {

inline constexpr unsigned kMaxQuorum = 5;

/// Published to wait, and not yet to run.
inline bool waits_for_approval(const v1::CallRequest& request) {
  return request.has_hold() && request.released_at_us() == 0;
}

/// Whether it must show an approval in its log before it runs.
inline bool must_be_approved(const v1::CallRequest& request) {
  return request.has_hold() || request.has_approval();
}

/// When a call's clocks began: limits do not count the time for which it was held.
inline std::int64_t clocks_began_us(const v1::CallRequest& request) {
  return request.released_at_us() != 0 ? request.released_at_us() : request.submitted_at_us();
}

/// `sha256:…` of what an approval is about: this call, its tool and spec, arguments (their
/// canonical digest), session, tenant, user and who asked.
std::string approval_digest(const v1::CallRequest& request, std::string_view arguments_digest);

/// What the last event of a held call says.
enum class ApprovalState {
  kNone,      ///< nothing about an approval: it has begun, or ended
  kWaiting,   ///< more must decide
  kApproved,  ///< it may be published to run
  kDenied,    ///< it ends as rejected
};
ApprovalState approval_state(const v1::CallEvent& last);
/// What has become of a held call's approval, as the record and its readers name it.
namespace held_state {
inline constexpr std::string_view kWaiting = "waiting";
inline constexpr std::string_view kApproved = "approved";
inline constexpr std::string_view kDenied = "denied";
inline constexpr std::string_view kExpired = "expired";
inline constexpr std::string_view kStale = "stale";  ///< its tool had changed
inline constexpr std::string_view kCancelled = "cancelled";
}  // namespace held_state
/// What an event makes of it; empty: the event says nothing about it. That a denied call has ended
/// says nothing new.
std::string_view held_state_after(const v1::CallEvent& event);

/// How many have approved.
unsigned approvals_of(const v1::ApprovalDecided& decided);
/// Null while no one has decided.
const v1::Vote* newest_vote(const v1::CallEvent& last);
/// The hold that an event of kWaiting, kApproved or kDenied is about.
const v1::Hold& hold_of(const v1::CallEvent& last);

/// An event of a call without a kind, which follows `last` (null: none).
v1::CallEvent event_after(const v1::CallRequest& request, const v1::CallEvent* last, WallTime now);
/// The first event of a held call. `digest`: its approval_digest.
v1::CallEvent approval_request(const v1::CallRequest& request, std::string digest, WallTime now);
/// The event of a vote after `last`, which is kWaiting.
v1::CallEvent approval_decided(const v1::CallRequest& request, const v1::CallEvent& last,
                               v1::Vote vote, WallTime now);
/// The end of a held call after `last` (null: it has no event): approval_denied, _expired, _stale.
v1::CallEvent rejected_completion(const v1::CallRequest& request, const v1::CallEvent* last,
                                  ErrorCode code, WallTime now);
/// The call as it is published to run, after `last`, which is kApproved: always the same bytes.
v1::CallRequest released(v1::CallRequest request, const v1::CallEvent& last);

}  // namespace toolway::proto
