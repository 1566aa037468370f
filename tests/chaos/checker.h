#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/chaos/final_state.h"
#include "tests/chaos/history.h"
#include "tests/chaos/verdicts.h"

/// Judges a finished run. Pure: what happened goes in, verdicts come out.
namespace toolway::chaos {

/// One session at a time: what its gateways, Postgres, its followers and its mailbox's readers say.
void check_session(const SessionEnd& end, const std::vector<const Stretch*>& stretches,
                   const std::vector<const MailPage*>& pages, Verdicts& verdicts);

/// The parts of the above. The record is the events that the first gateway shows.
void check_agreement(const SessionEnd& end, Verdicts& verdicts);
void check_chains(const SessionEnd& end, Verdicts& verdicts);
void check_stretches(const SessionEnd& end, const std::vector<const Stretch*>& stretches, Verdicts& verdicts);
void check_mailbox(const SessionEnd& end, const std::vector<const MailPage*>& pages, Verdicts& verdicts);

/// All requests against all calls that there are: what was accepted, refused, unknown, and what ran.
struct Everything {
  const std::vector<Post>& posts;
  const std::vector<CallRow>& calls;  ///< of all sessions
  const std::vector<Trace>& traces;
};
void check_requests(const Everything& all, Verdicts& verdicts);
void check_traces(const Everything& all, Verdicts& verdicts);
/// What was seen of calls at some moment: by their owners, and by those who had no right.
void check_looks(const std::vector<Look>& looks, const std::vector<CallRow>& calls, Verdicts& verdicts);

/// From the last kill behind an attempt's last sign of life to the next one's first, in microseconds, sorted.
/// `kills_us` is sorted.
std::vector<std::int64_t> recovery_times(const std::vector<EventSeen>& record, const std::vector<std::int64_t>& kills_us);

}  // namespace toolway::chaos
