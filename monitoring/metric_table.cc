#include "monitoring/metric_table.h"

#include "monitoring/metric_names.h"

namespace toolway::monitoring {
namespace {

// clang-format off: it would break the declaration to save a column of a sentence.
constexpr MetricDescription kTable[]{
    // Calls, as gateway and worker see them.
    {kCallsAccepted, "tool,pool", "Calls acknowledged by the bus, by tool and pool."},
    {kCallsRefused, "code", "Requests for a call that were refused, by error code."},
    {kCallsCompleted, "tool,pool,outcome",
     "Completions published, by tool, pool and outcome: by workers, by gateways (cancelled before the start) and by the reaper (what no other process ended)."},
    {kSubmitToStarted, "tool,pool", "From submission to the start of an attempt."},
    {kRun, "tool,pool", "One attempt, from start to end."},
    {kSubmitToCompleted, "tool,pool",
     "From submission to the completion's PubAck, for completions that a worker published."},
    {kSubmitToRecorded, "tool", "From submission to the completion's COMMIT."},
    {kAttemptErrors, "tool,pool,code",
     "Attempts that ended with an error or could not begin, by its code; a tool's own codes count as tool_error."},
    {kRetries, "tool,pool",
     "Attempts that failed and are followed by another one, as the call's log says."},
    {kExtensionDecisions, "extension,decision",
     "What the extensions of the chain said about calls before they ran: allow, refuse, hold, or failed (could not decide, or not in time; its on_failure did). Of http also what services said about results."},
    {kLimited, "limit",
     "Calls refused because a limit of the policy had no token left, by the rule that sets it."},
    {kExtensionTime, "extension,phase",
     "What an extension took for one call, before it runs or after; of http, until the service has answered."},
    // Gateway.
    {kAuth, "method,result",
     "Requests by how their caller said who it is (key, jwt, operator, or none) and what came of it: ok, missing, invalid, expired, revoked, limited (too many wrong tokens from one address) or unavailable."},
    {kSessionsOpen, "", "Open sessions known to this gateway."},
    {kSessionRequests, "action,result",
     "Requests to open, close or restore a session, by how they ended: ok, refused (the client's mistake, 4xx) or failed (ours, 5xx). Opening one that is closed restores it, and counts as open."},
    {kSessionMemory, "",
     "Memory this gateway keeps for the sessions it remembers and for the SSE streams that follow them, all together; an estimate from the sizes of what it holds, made every second."},
    {kIncompleteCalls, "calls",
     "Sessions by how many of their calls older than 15 s are not completed: 1, 2-5, 6-20, 21-100, 101-1000 or 1001+. From the collector that is the reaper, every 15 s; 0 in the others."},
    {kMemoryHeld, "",
     "Memory that clients make this gateway hold and that --memory-budget counts: requests, answers on their way, events that followers have not read."},
    {kLoopDelay, "loop",
     "The longest delay of a timer on this loop in the last 30 s: everything else waits as long."},
    {kFollowers, "", "SSE streams being followed."},
    {kRequestsInFlight, "", "HTTP requests being answered, SSE streams excluded."},
    {kConnections, "", "Connections of HTTP clients."},
    {kConnectionsEvicted, "",
     "Idle connections closed early, to make room for others: all of --connections were in use."},
    {kRequestBytes, "",
     "Bytes held for HTTP requests of more than 8 KiB being read or answered, their buffers included; --request-mib bounds it."},
    {kHttpRequest, "route", "HTTP requests by route, SSE streams excluded."},
    {kHttpRequests, "route,status",
     "HTTP requests answered, by route and class of status (2xx, 4xx, 5xx, …), SSE streams included, when their head is sent. Route none: no route matched, the request could not be read, or there were too many connections (5xx)."},
    {kGapsFilled, "", "Live events that were missed and fetched from the stream or the store."},
    {kCloseTimeouts, "",
     "Calls that were still in progress when closing their session stopped waiting for them."},
    {kCancels, "result", "Cancellations requested, by what became of them."},
    {kReplays, "", "Calls answered by their Idempotency-Key, having been accepted before."},
    {kRefusing, "reason", "1 while this gateway refuses calls for that reason, else 0."},
    {kUnrecorded, "stream",
     "What is not recorded yet, as a fraction of what the stream keeps; at 0.5, calls are refused."},
    {kLaneCalls, "lane", "Calls acknowledged by the bus, by lane."},
    {kSharesWaiting, "", "Calls accepted by this gateway that have not been delivered yet."},
    {kQueueDepth, "pool,state",
     "Calls of a pool that are not finished: pending (not given to a worker) or held (given to one, not acknowledged; a call that waits up to 5 s for its next try counts as held). All gateways report the same value, every second."},
    {kQueueOldest, "pool,lane",
     "Age of the oldest call of a pool's lane (normal; bulk: of those with more than their share waiting, and so longer) not yet given to a worker, looked up every 5 s at most; 0: none is waiting. A call 10,000 or more messages after those of other pools counts from when this gateway saw it waiting."},
    // Gateway: where specs come from.
    {kSpecSourceUp, "source",
     "1 when the spec sources of a kind answer and hold no mistakes, else 0."},
    {kSpecs, "source", "Specs in force, by kind of source."},
    {kSpecMistakes, "source", "Mistakes found in specs, by kind of source."},
    // Worker.
    {kSlots, "pool", "Calls this worker may hold at once."},
    {kSlotsUsed, "pool", "Calls this worker holds."},
    {kTakeovers, "", "Calls taken over from another attempt."},
    {kPaused, "pool",
     "1 while a worker pulls nothing, because too much of a stream is not recorded, else 0."},
    {kAbandoned, "pool", "Attempts past their limit whose tool has not returned yet."},
    // Collector.
    {kCollectorLag, "stream",
     "Messages stored and not yet recorded, by stream. All collectors report the same value, every 5 s."},
    {kCollectorLagTime, "stream",
     "Age of the oldest message that is not recorded, by stream; 0: all are. All collectors report the same value, every 5 s."},
    {kBatchSize, "stream", "Messages recorded, by stream."},
    {kBatches, "", "Transactions committed."},
    {kBatchTime, "", "One batch, from its first statement to COMMIT."},
    {kDeadEvents, "", "Messages set aside in dead_events."},
    {kStoreErrors, "", "Failed Postgres operations, each tried again."},
    {kStoreSize, "table",
     "Size of a table in Postgres with its partitions, indexes and TOAST. From the collector that is the reaper, every 15 s; 0 in the others."},
    {kStoreConnections, "state",
     "Connections to the database by state: active, idle, idle_in_transaction, or hidden (of a role that ours may not inspect). From the reaper, every 15 s; 0 in the other collectors."},
    {kStoreOldest, "",
     "Age of the oldest transaction that has written something and is still open, anywhere on the database server: the mailbox shows nothing newer. From the reaper, every 15 s; 0 in the other collectors."},
    // Collector: the reaper.
    {kReaped, "action", "What the reaper did, by action."},
    {kReaperLeader, "", "1 in the collector that is the reaper, else 0."},
    {kReaperWatched, "",
     "Calls older than 15 s that are not completed, in the reaper; 0 in the other collectors."},
    {kReaperOldest, "",
     "Age of the oldest of them that does not wait for approval; 0: there are none."},
    {kApprovalsWaiting, "",
     "Calls older than 15 s that wait for approval. From the reaper, every 15 s; 0 in the other collectors."},
    {kApprovalsOldest, "", "For how long the oldest of them has waited; 0: there are none."},
    // Collector: the sealer.
    {kAuditUnsealed, "",
     "Age of the oldest record of the audit that no seal covers yet; 0: all are sealed. From the collector that seals; 0 in the others."},
    // Bus, in every process.
    {kBusConnected, "", "1 while connected to NATS, else 0; with several loops: all of them."},
    {kReconnects, "", "Times the connection to NATS came back."},
    {kPublish, "stream", "From publishing to the PubAck, by stream."},
    {kPublishErrors, "code",
     "Publications that failed, by error code; wrong_last_sequence: another process had written first, which happens in a healthy fleet too."},
    {kStreamMessages, "stream",
     "Messages that CALLS, EVENTS, BLOBS and the buckets (KV_…) keep. All gateways report the same value, every second."},
    {kStreamBytes, "stream", "Bytes they keep. All gateways report the same value, every second."},
    {kStreamLimit, "stream",
     "Bytes they may keep before a stream discards its oldest and a bucket refuses new entries; +Inf: without a limit."},
    {kDurability, "survives",
     "1, with what accepted calls survive as its label: process or power, as --durability says. Only of gateways that were told."},
    // The event loop, in every process.
    {kLongestTurn, "loop", "The longest turn of each loop in the last 30 to 60 s."},
    {kLongTurns, "", "Turns of event loops that took more than 10 ms of CPU time."},
    // Clock, in every process.
    {kClockOffset, "", "How far the clock of this process is ahead of the NATS server's, negative when it is slow; read every 5 s. NaN until the first reading."},
    // Telemetry itself.
    {kSpansExported, "result",
     "Spans: exported, dropped (the queue was full) or failed (the receiver did not accept them)."},
    {kScrape, "", "Time it took to write the last scrape of this process."},
    {kSeriesDropped, "metric",
     "Label sets requested that are counted under the label value `other`, because their metric had too many series."},
    {kBuildInfo, "version,process", "1, with the version and the process as labels."},
    // Process, as Prometheus' clients name them.
    {kProcessCpu, "", "User and system time."},
    {kProcessResident, "", "Resident memory."},
    {kProcessVirtual, "", "Virtual memory."},
    {kProcessFds, "", "Open file descriptors."},
    {kProcessMaxFds, "", "How many file descriptors may be open."},
    {kProcessThreads, "", "Threads."},
    {kProcessStart, "", "When the process started, Unix time."},
};
// clang-format on

}  // namespace

std::span<const MetricDescription> metric_table() { return kTable; }

}  // namespace toolway::monitoring
