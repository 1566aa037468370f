#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/chaos/final_state.h"
#include "tests/chaos/history.h"
#include "tests/chaos/operator.h"
#include "tests/chaos/outages.h"
#include "tests/chaos/verdicts.h"

/// Judges a finished run. Pure: what happened goes in, verdicts come out.
namespace toolway::chaos {

/// One session at a time: what its gateways, Postgres, its followers and its mailbox's readers say.
void check_session(const SessionEnd& end, const std::vector<const Stretch*>& stretches,
                   const std::vector<const MailPage*>& pages, Verdicts& verdicts);

/// The parts of the above. The record is the events that the first gateway shows.
void check_agreement(const SessionEnd& end, Verdicts& verdicts);
void check_chains(const SessionEnd& end, Verdicts& verdicts);
void check_stretches(const SessionEnd& end, const std::vector<const Stretch*>& stretches,
                     Verdicts& verdicts);
void check_mailbox(const SessionEnd& end, const std::vector<const MailPage*>& pages,
                   Verdicts& verdicts);

/// All requests against all calls that there are: what was accepted, refused, unknown, and what
/// ran.
struct Everything {
  const std::vector<Post>& posts;
  const std::vector<CallRow>& calls;  ///< of all sessions
  const std::vector<Trace>& traces;
};
void check_requests(const Everything& all, Verdicts& verdicts);
void check_traces(const Everything& all, Verdicts& verdicts);
/// `crowd`: the starts that found as many running as the limit on running calls allows.
void check_crowd(const std::vector<Trace>& crowd, const std::vector<CallRow>& calls,
                 Verdicts& verdicts);
/// Against what the audit and its neighbours say. `verified`: how `toolway audit verify` ended.
struct Audited {
  const Decided& decided;
  const std::vector<CallRow>& calls;
  const OperatorDeeds& deeds;
  const VerbEnd& verified;
  std::uint64_t unsealed = 0;
};
void check_audit(const Audited& seen, Verdicts& verdicts);
/// Keys that an operator made and revoked, against every request that was made with them.
void check_keys(const std::vector<KeyLife>& keys, const std::vector<KeyUse>& uses,
                const Outages& outages, Verdicts& verdicts);
/// `puts`: in their order, beginning with what was in force at first. Judges the calls of
/// kBarredTool.
void check_policies(const std::vector<PolicyPut>& puts, const std::vector<Post>& posts,
                    const Outages& outages, Verdicts& verdicts);
/// What was only refused left no trace.
void check_refused_traces(const std::vector<Post>& posts, const std::vector<Trace>& traces,
                          Verdicts& verdicts);
/// What was seen of calls at some moment: by their owners, and by those who had no right.
void check_looks(const std::vector<Look>& looks, const std::vector<CallRow>& calls,
                 Verdicts& verdicts);

/// An attempt that neither ended nor was told to wait, and what came next in its call.
struct Broken {
  std::string worker;
  std::int64_t last_us = 0;  ///< its last event
  std::int64_t next_us = 0;  ///< the next attempt's first event, or the completion as `unknown`
  std::string call_id{};
  std::string tool{};  ///< without its namespace
};
std::vector<Broken> broken_attempts(const std::vector<EventSeen>& record);

/// When each worker wrote its last event; `seen` grows by a record.
using LastSeen = std::map<std::string, std::int64_t>;
void see_workers(const std::vector<EventSeen>& record, LastSeen& seen);

/// From the kill of an attempt's worker to what came next, in microseconds, sorted. A worker was
/// killed by the first kill after its last event; attempts that broke off for another reason (a
/// pause) are left out. `kills_us` is sorted.
std::vector<std::int64_t> recovery_times(const std::vector<Broken>& broken, const LastSeen& seen,
                                         const std::vector<std::int64_t>& kills_us);

}  // namespace toolway::chaos
