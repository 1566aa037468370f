#!/usr/bin/env python3
"""Writes the dashboards: dashboards.py [--docs URL] [--check] [DIRECTORY]

DIRECTORY is `dashboards`, next to this file. URL is where the repository's docs/ can be read; panels link to it.
--check writes nothing, and fails when a file there is not what would be written.
"""
import argparse
import json
import pathlib
import sys

from board import dashboard, graph, quantile, stat, table

POOL = 'pool=~"$pool"'
TOOL = 'tool=~"$tool", pool=~"$pool"'
WRONG = 'outcome=~"failed|timed_out|unknown|lost"'
SERVED = 'route!~"none|GET /(livez|readyz|metrics)"'
NOT_A_POOL = "Every gateway reports the same; shown once."


def share(part, whole):
    """`part` of `whole`, 0 while there is no series of the part, nothing while the whole is 0."""
    return f"({part} or 0 * {whole}) / ({whole} > 0)"


# Grafana appends what follows the colon.
CALLS, ATTEMPTS = "suffix: calls/s", "suffix: attempts/s"


def times(name, labels="", by=""):
    legend = f"{{{{{by}}}}} " if by else ""
    return [(quantile(q, by, name, labels), f"{legend}p{q[2:].ljust(2, '0')}") for q in ("0.5", "0.95", "0.99")]


OVERVIEW = [
    ("At a glance", [
        stat("Calls", "Calls accepted per second.", CALLS, (f"sum(rate(toolway_calls_accepted_total@{{{POOL}}}[R]))", "calls")),
        stat("Errors", "Completions that are failed, timed_out, unknown or lost, of all. "
             "Cancelled and rejected calls are not errors: they ended as intended.",
             "percentunit", (share(f"sum(rate(toolway_calls_completed_total@{{{POOL}, {WRONG}}}[R]))",
                                   f"sum(rate(toolway_calls_completed_total@{{{POOL}}}[R]))"), "errors"),
             steps=((0.05, "orange"), (0.5, "red")), alerts=("ToolwayToolFailing",)),
        stat("Completed, p99", "From submission to the completion's PubAck, 99th percentile over all tools.", "s",
             (quantile("0.99", "", "toolway_call_submit_to_completed_seconds", POOL), "p99")),
        stat("Available", "HTTP requests that did not end with a 5xx; the objective is 99.9 %. Probes are left out.", "percentunit",
             ("1 - " + share(f"sum(rate(toolway_http_requests_total@{{{SERVED}, status=\"5xx\"}}[R]))",
                             f"sum(rate(toolway_http_requests_total@{{{SERVED}}}[R]))"), "available"),
             base="red", steps=((0.99, "orange"), (0.999, "green")), alerts=("ToolwayAvailabilityBurnFast",)),
        stat("Queued", "Calls not yet given to a worker. " + NOT_A_POOL, "short",
             (f'sum(max by (pool) (toolway_queue_depth@{{{POOL}, state="pending"}}))', "waiting"), base="blue", alerts=("ToolwayQueueOld",)),
        stat("Open sessions", "Open sessions, as reported by the gateway that knows the most.", "short",
             ("max(toolway_sessions_open@)", "sessions"), base="blue"),
    ]),
    ("Rate", [
        graph("Calls by pool", "Calls acknowledged by the bus, per second.", CALLS,
              (f"sum by (pool) (rate(toolway_calls_accepted_total@{{{POOL}}}[R]))", "{{pool}}"), stack=True),
        graph("Completions by outcome", "How calls ended, per second.", CALLS,
              (f"sum by (outcome) (rate(toolway_calls_completed_total@{{{POOL}}}[R]))", "{{outcome}}"), stack=True),
        graph("HTTP requests", "Requests answered per second, by class of status.", "reqps",
              ("sum by (status) (rate(toolway_http_requests_total@[R]))", "{{status}}"), stack=True),
    ]),
    ("Errors", [
        graph("Errors by tool", "Completions that are failed, timed_out, unknown or lost, per second; the ten tools with most.", CALLS,
              (f"topk(10, sum by (tool) (rate(toolway_calls_completed_total@{{{POOL}, {WRONG}}}[R])))", "{{tool}}"),
              alerts=("ToolwayToolFailing", "ToolwayUnknownOutcomes")),
        graph("Refused calls", "Requests for a call that a gateway refused, by error code.", CALLS,
              ("sum by (code) (rate(toolway_calls_refused_total@[R]))", "{{code}}"), alerts=("ToolwayRefusingCalls",)),
        graph("Platform failures",
              "Unknown and lost outcomes, and calls that waited past their queue limit, per second: "
              "what the objective of 1 % counts.", CALLS,
              ('sum(rate(toolway_calls_completed_total@{outcome="unknown"}[R]))', "unknown"),
              ('sum by (action) (rate(toolway_reaped_total@{action=~"lost|queue_limit"}[R]))', "{{action}}"),
              alerts=("ToolwayPlatformFailuresBurnFast", "ToolwayLostCalls")),
    ]),
    ("Duration", [
        graph("From submission to completion", "All tools together, with waiting and retries.", "s",
              *times("toolway_call_submit_to_completed_seconds", POOL), alerts=("ToolwayToolSlow",)),
        graph("From submission to start", "How long calls wait for a worker.", "s",
              *times("toolway_call_submit_to_started_seconds", POOL), alerts=("ToolwayQueueOld",)),
        graph("HTTP requests", "Answering a request, SSE streams excluded; those that wait for a completion included.", "s",
              *times("toolway_http_request_seconds")),
    ]),
    ("Saturation", [
        graph("Queues", "Calls that are not finished, by pool and state: pending (not given to a worker) or held. " + NOT_A_POOL, "short",
              (f"max by (pool, state) (toolway_queue_depth@{{{POOL}}})", "{{pool}} {{state}}"),
              alerts=("ToolwayQueueGrowing", "ToolwayNoWorkers")),
        graph("Slots used", "Part of the workers' slots that hold a call.", "percentunit",
              (f"sum by (pool) (toolway_worker_slots_used@{{{POOL}}}) / sum by (pool) (toolway_worker_slots@{{{POOL}}})", "{{pool}}"),
              maximum=1, alerts=("ToolwayNoWorkers",)),
        graph("Collector backlog", "What is not in Postgres yet, as part of what the stream keeps. At 50 % calls are refused. " + NOT_A_POOL,
              "percentunit", ("max by (stream) (toolway_guard_unrecorded_ratio@)", "{{stream}}"), steps=((0.5, "red"),),
              alerts=("ToolwayStreamNearlyFull", "ToolwayCollectorBehind")),
    ]),
]

TOOLS = [
    ("Tools", [
        table("Calls", "Calls accepted per second, by tool.", CALLS,
              f"sum by (tool, pool) (rate(toolway_calls_accepted_total@{{{TOOL}}}[R]))"),
        table("Errors", "Part of the completions that are failed, timed_out, unknown or lost, by tool.", "percentunit",
              share(f"sum by (tool) (rate(toolway_calls_completed_total@{{{TOOL}, {WRONG}}}[R]))",
                    f"sum by (tool) (rate(toolway_calls_completed_total@{{{TOOL}}}[R]))"), alerts=("ToolwayToolFailing",)),
    ]),
    ("Rate and errors", [
        graph("Calls", "Calls accepted per second.", CALLS,
              (f"sum by (tool) (rate(toolway_calls_accepted_total@{{{TOOL}}}[R]))", "{{tool}}")),
        graph("Outcomes", "How the calls of the chosen tools ended, per second.", CALLS,
              (f"sum by (outcome) (rate(toolway_calls_completed_total@{{{TOOL}}}[R]))", "{{outcome}}"), stack=True,
              alerts=("ToolwayToolFailing", "ToolwayUnknownOutcomes")),
        graph("Errors by code", "Attempts that ended with an error, per second; a tool's own codes count as tool_error.", ATTEMPTS,
              (f"sum by (code) (rate(toolway_attempt_errors_total@{{{TOOL}}}[R]))", "{{code}}"), alerts=("ToolwayToolFailing",)),
        graph("Retries", "Attempts that failed and are followed by another one, per second.", CALLS,
              (f"sum by (tool) (rate(toolway_retries_total@{{{TOOL}}}[R]))", "{{tool}}")),
        graph("Cancellations", "Requested, by what became of them, per second; all tools.", CALLS,
              ("sum by (result) (rate(toolway_cancels_total@[R]))", "{{result}}")),
        graph("Idempotent repeats", "Calls answered by their Idempotency-Key, per second; all tools.", CALLS,
              ("sum(rate(toolway_idempotent_replays_total@[R]))", "repeats")),
    ]),
    ("Duration", [
        graph("Run, p95", "One attempt, from start to end.", "s",
              (quantile("0.95", "tool", "toolway_call_run_seconds", TOOL), "{{tool}}"), alerts=("ToolwayToolSlow",)),
        graph("Wait, p95", "From submission to the start of an attempt.", "s",
              (quantile("0.95", "tool", "toolway_call_submit_to_started_seconds", TOOL), "{{tool}}"), alerts=("ToolwayQueueOld",)),
        graph("Recorded, p95", "From submission to the completion's COMMIT: when lists and mailboxes show it.", "s",
              (quantile("0.95", "tool", "toolway_call_submit_to_recorded_seconds", 'tool=~"$tool"'), "{{tool}}"),
              alerts=("ToolwayCollectorBehind",)),
    ]),
]

SESSIONS = [
    ("Sessions", [
        stat("Open sessions", "Open sessions known to each gateway.", "short", ("max(toolway_sessions_open@)", "open")),
        stat("Followers", "SSE streams being followed, at all gateways.", "short", ("sum(toolway_live_followers@)", "followers")),
        stat("Memory per session", "What a gateway keeps for an open session, on average; the objective is 10 KB.", "bytes",
             ("sum(toolway_sessions_memory_bytes@) / (sum(toolway_sessions_open@) > 0)", "memory"), steps=((10240, "orange"),)),
        stat("Restores that succeed", "Of those that were not the client's mistake; the objective is 99 %.", "percentunit",
             ("1 - " + share('sum(increase(toolway_session_requests_total@{action="restore", result="failed"}[$__range]))',
                             'sum(increase(toolway_session_requests_total@{action="restore", result=~"ok|failed"}[$__range]))'), "restores"),
             base="red", steps=((0.97, "orange"), (0.99, "green")), alerts=("ToolwayRestoresBurnFast", "ToolwayRestoresFailing")),
        stat("With calls in progress", "Sessions that have a call which is not completed, as the reaper sees it.", "short",
             ("sum(toolway_sessions_incomplete@)", "sessions")),
        stat("Closed while waiting", "Calls that were still in progress when closing their session stopped waiting, in the time shown.",
             "short",
             ("sum(increase(toolway_gateway_close_timeouts_total@[$__range]))", "calls")),
    ]),
    ("Coming and going", [
        graph("Opened, closed, restored", "Requests per second.", "reqps",
              ("sum by (action) (rate(toolway_session_requests_total@[R]))", "{{action}}")),
        graph("Failed", "Requests that failed through our fault, per second.", "reqps",
              ('sum by (action) (rate(toolway_session_requests_total@{result="failed"}[R]))', "{{action}}"),
              alerts=("ToolwayRestoresFailing",)),
        graph("Open sessions", "By gateway.", "short", ("toolway_sessions_open@", "{{instance}}")),
    ]),
    ("Callers", [
        graph("Known", "Requests per second whose caller said who it is, by how; none where gateways do not ask (--auth none).", "reqps",
              ('sum by (method) (rate(toolway_auth_total@{result="ok"}[R]))', "{{method}}"), stack=True),
        graph("Refused", "Requests per second whose caller was not taken, by how it said who it is and why.", "reqps",
              ('sum by (method, result) (rate(toolway_auth_total@{result!="ok"}[R]))', "{{method}} {{result}}")),
    ]),
    ("The policy", [
        graph("Decisions", "What the extensions of the chain said about calls, at gateways and workers.", "ops", ("sum by (extension, decision) "
              "(rate(toolway_extension_decisions_total@[R]))", "{{extension}} {{decision}}"), alerts=("ToolwayExtensionFailing",)),
        graph("Time of extensions", "Of one decision, or change of a result.", "s", *times("toolway_extension_seconds", by="extension")),
        graph("Refused by a limit", "Calls per second that a limit on a rate or on waiting calls refused, by its rule.", "reqps",
              ("sum by (limit) (rate(toolway_limited_total@[R]))", "{{limit}}")),
        graph("Running under a limit", "Calls that have a permit of a limit on running calls, in the fleet, by its rule.", "short",
              ("sum by (limit) (toolway_permits_held@)", "{{limit}}")),
        graph("Given back", "Times per second that a worker gave a call back, since as many ran as a limit allows, by its rule.", "ops",
              ("sum by (limit) (rate(toolway_tool_busy_total@[R]))", "{{limit}}")),
    ]),
    ("Health", [
        graph("Sessions by incomplete calls", "Sessions by how many of their calls are not completed; from the reaper.", "short",
              ("max by (calls) (toolway_sessions_incomplete@)", "{{calls}}"), stack=True, alerts=("ToolwayNoReaper",)),
        graph("Followers", "SSE streams by gateway.", "short", ("toolway_live_followers@", "{{instance}}")),
        graph("Gaps filled", "Live events that were missed and fetched from the stream or the store, per second.", "ops",
              ("sum by (instance) (rate(toolway_live_gaps_filled_total@[R]))", "{{instance}}")),
        graph("Memory of sessions", "What each gateway keeps for its open sessions, all together.", "bytes",
              ("toolway_sessions_memory_bytes@", "{{instance}}")),
        graph("Shares", "Calls that a gateway accepted and that are not yet given to a worker: this decides between the lanes.", "short",
              ("toolway_shares_waiting_calls@", "{{instance}}")),
        graph("Lanes", "Calls per second by lane; those with more than their share waiting go to bulk.", CALLS,
              ("sum by (lane) (rate(toolway_calls_by_lane_total@[R]))", "{{lane}}"), stack=True),
    ]),
]

WORKERS = [
    ("Pools", [
        graph("Queued", "Calls not yet given to a worker, by pool. " + NOT_A_POOL, "short",
              (f'max by (pool) (toolway_queue_depth@{{{POOL}, state="pending"}})', "{{pool}}"),
              alerts=("ToolwayQueueGrowing", "ToolwayNoWorkers")),
        graph("Oldest call", "Age of the oldest call of a pool not yet given to a worker, by lane; the alert watches normal. " + NOT_A_POOL,
              "s",
              (f"max by (pool, lane) (toolway_queue_oldest_seconds@{{{POOL}}})", "{{pool}} {{lane}}"), alerts=("ToolwayQueueOld",)),
        graph("Slots used", "Part of the slots of a pool that hold a call.", "percentunit",
              (f"sum by (pool) (toolway_worker_slots_used@{{{POOL}}}) / sum by (pool) (toolway_worker_slots@{{{POOL}}})", "{{pool}}"),
              maximum=1, alerts=("ToolwayNoWorkers",)),
    ]),
    ("Workers", [
        graph("Slots", "Calls that each worker may hold at once.", "short",
              (f"sum by (instance) (toolway_worker_slots@{{{POOL}}})", "{{instance}}"), stack=True),
        graph("Calls held", "Calls that each worker holds.", "short",
              (f"sum by (instance) (toolway_worker_slots_used@{{{POOL}}})", "{{instance}}"), stack=True),
        graph("Completions", "Completions published per second, by worker.", CALLS,
              (f"sum by (instance) (rate(toolway_calls_completed_total@{{{POOL}}}[R]))", "{{instance}}"), stack=True),
        graph("Takeovers", "Calls taken over from another attempt, per second: workers died, or lost NATS.", CALLS,
              ("sum by (instance) (rate(toolway_worker_takeovers_total@[R]))", "{{instance}}"), alerts=("ToolwayUnknownOutcomes",)),
        graph("Abandoned attempts", "Attempts past their limit whose tool has not returned yet.", "short",
              (f"sum by (instance, pool) (toolway_worker_abandoned_attempts@{{{POOL}}})", "{{instance}} {{pool}}"),
              alerts=("ToolwayAbandonedAttempts",)),
        graph("Paused", "1 while a worker pulls nothing, because too much of a stream is not recorded.", "bool",
              (f"max by (instance, pool) (toolway_worker_paused@{{{POOL}}})", "{{instance}} {{pool}}"), maximum=1,
              alerts=("ToolwayWorkerPaused",)),
    ]),
    ("Processes", [
        graph("CPU", "Seconds of CPU time per second, of each process.", "short",
              ("rate(process_cpu_seconds_total@[R])", "{{instance}}"), width=6),
        graph("Resident memory", "Of each process.", "bytes", ("process_resident_memory_bytes@", "{{instance}}"), width=6,
              alerts=("ToolwayRestarting",)),
        graph("File descriptors", "Part of those that may be open.", "percentunit",
              ("process_open_fds@ / process_max_fds@", "{{instance}}"), width=6, alerts=("ToolwayFileDescriptors",)),
        graph("Threads", "Of each process.", "short", ("process_threads@", "{{instance}}"), width=6),
        table("Versions", "What runs, and since when.", "dateTimeFromNow",
              "1000 * process_start_time_seconds@ * on (fleet, job, instance) group_left (version, process) toolway_build_info@",
              alerts=("ToolwayRestarting", "ToolwayInstanceDown")),
        graph("Virtual memory", "Of each process.", "bytes", ("process_virtual_memory_bytes@", "{{instance}}"), width=6),
        graph("Specs in force", "By kind of source. Every gateway should report the same.", "short",
              ("max by (source) (toolway_specs@)", "{{source}}"), width=6, alerts=("ToolwaySpecSourceDown",)),
        graph("Spec sources", "1 when the sources of a kind answer and hold no mistake, else 0.", "bool",
              ("min by (source) (toolway_spec_source_up@)", "{{source}}"), width=12, maximum=1, alerts=("ToolwaySpecSourceDown",)),
        graph("Mistakes in specs", "Found per second, by kind of source.", "ops",
              ("sum by (source) (rate(toolway_spec_mistakes_total@[R]))", "{{source}}"), width=12, alerts=("ToolwaySpecSourceDown",)),
    ]),
    ("Telemetry itself", [
        graph("Spans", "Per second, by what became of them.", "ops",
              ("sum by (result) (rate(toolway_trace_spans_total@[R]))", "{{result}}"), alerts=("ToolwayTelemetryDropped",)),
        graph("Scrapes", "Time it took to write the last scrape of each process.", "s", ("toolway_scrape_seconds@", "{{instance}}")),
        graph("Series over bound", "Observations counted under `other`, per second; a metric appears once that has happened.", "ops",
              ("sum by (metric) (rate(toolway_series_over_bound_total@[R])) or vector(0)", "{{metric}}"), alerts=("ToolwaySeriesOverBound",)),
    ]),
]

BUS = [
    ("Bus", [
        graph("Connected", "1 while a process has its connection to NATS, else 0.", "bool", ("toolway_bus_connected@", "{{instance}}"),
              maximum=1, alerts=("ToolwayBusDisconnected",)),
        graph("Reconnects", "Times the connection to NATS came back, in each minute.", "short",
              ("sum by (instance) (increase(toolway_bus_reconnects_total@[1m]))", "{{instance}}"), alerts=("ToolwayBusReconnecting",)),
        graph("Clocks", "How far each process's clock is ahead of NATS', which all follow; negative when it is slow.", "s",
              ("toolway_clock_offset_seconds@", "{{instance}}"), alerts=("ToolwayClockOff",)),
        graph("Longest turn", "The longest turn of each event loop in the last minute, in CPU time; what it should stay below is 10 ms.",
              "s", ("max by (instance) (toolway_loop_longest_turn_seconds@)", "{{instance}}"), alerts=("ToolwayLongTurns",)),
        graph("Publishing", "From publishing to the PubAck.", "s", *times("toolway_bus_publish_seconds", by="stream")),
        graph("Publications that failed", "Per second, by error code; a code appears once it has occurred. wrong_last_sequence "
              "is not a fault: another process had written first.", "ops",
              ("sum by (code) (rate(toolway_bus_publish_errors_total@[R])) or vector(0)", "{{code}}"), alerts=("ToolwayPublishFailing",)),
        graph("Refusing", "1 while a gateway refuses calls for that reason.", "bool",
              ("max by (reason) (toolway_guard_refusing@)", "{{reason}}"), maximum=1, alerts=("ToolwayRefusingCalls", "ToolwayJetStreamSilent")),
        graph("Collector backlog", "What is not in Postgres yet, as part of what the stream keeps. At 50 % calls are refused.", "percentunit",
              ("max by (stream) (toolway_guard_unrecorded_ratio@)", "{{stream}}"), steps=((0.5, "red"),),
              alerts=("ToolwayStreamNearlyFull",)),
    ]),
    ("Streams", [
        graph("Messages", "That each stream keeps. " + NOT_A_POOL, "short",
              ("max by (stream) (toolway_stream_messages@)", "{{stream}}")),
        graph("Bytes", "That each stream keeps. " + NOT_A_POOL, "bytes", ("max by (stream) (toolway_stream_bytes@)", "{{stream}}")),
        graph("Filled", "Bytes kept, as part of the limit. A full stream drops its oldest message for each new one, which is "
              "fine while they are recorded.", "percentunit",
              ("max by (stream) (toolway_stream_bytes@) / (max by (stream) (toolway_stream_limit_bytes@) > 0)", "{{stream}}"),
              alerts=("ToolwayStreamNearlyFull",)),
    ]),
    ("Collectors", [
        graph("Recorded", "Messages recorded per second, by stream.", "ops",
              ("sum by (stream) (rate(toolway_collector_batch_messages_total@[R]))", "{{stream}}"), stack=True,
              alerts=("ToolwayCollectorDown",)),
        graph("Messages behind", "Stored and not yet recorded, by stream.", "short",
              ("max by (stream) (toolway_collector_lag_messages@)", "{{stream}}"), alerts=("ToolwayCollectorBehind",)),
        graph("Time behind", "Age of the oldest message that is not recorded, by stream.", "s",
              ("max by (stream) (toolway_collector_lag_seconds@)", "{{stream}}"), alerts=("ToolwayCollectorBehind",)),
        graph("Reaper", "Which collector is the reaper; exactly one is.", "short", ("toolway_reaper_leader@", "{{instance}}"),
              stack=True, alerts=("ToolwayNoReaper", "ToolwayTwoReapers")),
        graph("What the reaper did", "Per second, by action.", "ops",
              ("sum by (action) (rate(toolway_reaped_total@[R]))", "{{action}}"), alerts=("ToolwayLostCalls",)),
        graph("What the reaper watches", "Calls older than 15 s that are not completed.", "short",
              ("max(toolway_reaper_watched_calls@)", "calls")),
        graph("Oldest of them", "Age of the oldest call that the reaper watches.", "s", ("max(toolway_reaper_oldest_incomplete_seconds@)", "oldest")),
        graph("Waiting for approval", "Calls older than 15 s that wait for approval.", "short",
              ("max(toolway_approvals_waiting@)", "calls")),
        graph("Oldest approval", "For how long the oldest of them has waited.", "s",
              ("max(toolway_approvals_oldest_seconds@)", "oldest"), alerts=("ToolwayApprovalsOld",)),
        graph("Audit not sealed", "Age of the oldest record of the audit that no seal covers.", "s",
              ("max(toolway_audit_unsealed_seconds@)", "oldest"), alerts=("ToolwayAuditUnsealed",)),
        graph("Set aside", "Messages in dead_events, in each hour.", "short",
              ("sum(increase(toolway_collector_dead_events_total@[1h]))", "messages"), alerts=("ToolwayDeadEvents",)),
        graph("From submission to COMMIT", "Of completions, all tools together.", "s", *times("toolway_call_submit_to_recorded_seconds")),
    ]),
]

POSTGRES = [
    ("Writing", [
        graph("Transactions", "Batches committed per second.", "ops",
              ("sum by (instance) (rate(toolway_collector_batches_total@[R]))", "{{instance}}")),
        graph("Batch", "From its first statement to COMMIT.", "s", *times("toolway_collector_batch_seconds")),
        graph("Messages in a batch", "On average.", "short",
              (share("sum(rate(toolway_collector_batch_messages_total@[R]))", "sum(rate(toolway_collector_batches_total@[R]))"), "messages")),
        graph("Errors", "Failed operations per second, each tried again.", "ops",
              ("sum by (instance) (rate(toolway_store_errors_total@[R]))", "{{instance}}"), alerts=("ToolwayStoreErrors",)),
        graph("Oldest transaction", "Mailboxes show nothing that was recorded after it began.", "s",
              ("max(toolway_store_oldest_transaction_seconds@)", "oldest"), alerts=("ToolwayStoreTransactionOld",)),
        graph("Connections", "To the database, by state.", "short",
              ("max by (state) (toolway_store_connections@)", "{{state}}"), stack=True, alerts=("ToolwayStoreTransactionOld",)),
    ]),
    ("Size", [
        graph("Tables", "With their partitions, indexes and TOAST.", "bytes",
              ("max by (table) (toolway_store_bytes@)", "{{table}}"), stack=True, width=16),
        graph("Growth", "Of all tables together, per second.", "Bps",
              ("sum(deriv(toolway_store_bytes@[$__rate_interval]))", "growth"), width=8),
    ]),
]

MODEL = "gen_ai_client_operation_duration_seconds"
TURNS = "suffix: turns/s"

CONVERSATIONS = [
    ("At a glance", [
        stat("Turns", "Turns that end, per second.", TURNS, ("sum(rate(toolway_chat_turns_total@[R]))", "turns")),
        stat("With a reply", "Of the turns that a message, an API's client or completions began. Those that were stopped count as without.", "percentunit",
             (share('sum(rate(toolway_chat_turns_total@{begun=~"message|api|completions", finish="replied"}[R]))',
                    'sum(rate(toolway_chat_turns_total@{begun=~"message|api|completions"}[R]))'), "replied"),
             base="red", steps=((0.5, "orange"), (0.9, "green")), alerts=("ToolwayModelFailing", "ToolwayModelRefused")),
        stat("Waiting", "Turns that wait for the one before them.", "short", ("sum(toolway_chat_turns_waiting@)", "waiting")),
        stat("Requests of a turn", "To the model, on average.", "short",
             (share("sum(rate(toolway_chat_iterations_total@[R]))",
                    'sum(rate(toolway_chat_turns_total@{begun=~"message|api|completions"}[R]))'), "requests")),
    ]),
    ("Turns", [
        graph("By what began them", "Turns per second: a message, calls that ended later, a client of a model's API.", TURNS,
              ("sum by (begun) (rate(toolway_chat_turns_total@[R]))", "{{begun}}"), stack=True),
        graph("By how they ended", "Turns per second: with a reply, or the code of what ended them.", TURNS,
              ("sum by (finish) (rate(toolway_chat_turns_total@[R]))", "{{finish}}"), stack=True, alerts=("ToolwayModelFailing",)),
        graph("Duration", "One attempt, from the moment it has its conversation: the model and the calls that it waits for.", "s",
              *times("toolway_chat_turn_seconds")),
    ]),
    ("Model", [
        graph("Requests", "To each model, per second.", "reqps",
              (f"sum by (gen_ai_request_model) (rate({MODEL}_count@[R]))", "{{gen_ai_request_model}}"), stack=True),
        graph("Without a reply", "Requests per second that ended so after all repetitions, by why.", "reqps",
              (f'sum by (error_type) (rate({MODEL}_count@{{error_type!=""}}[R]))', "{{error_type}}"),
              alerts=("ToolwayModelFailing", "ToolwayModelRefused")),
        graph("Sent again", "Requests per second that were refused or failed and were sent again, by why.", "reqps",
              ("sum by (error_type) (rate(toolway_chat_model_retries_total@[R]))", "{{error_type}}"), alerts=("ToolwayModelFailing",)),
        graph("Duration", "Of one request, with what was sent again.", "s", *times(MODEL)),
        graph("First text", "From a request to the first text of its reply.", "s", *times("toolway_chat_first_text_seconds")),
        graph("Tokens", "Per second, as the providers count them.", "short",
              ("sum by (gen_ai_token_type) (rate(gen_ai_client_token_usage_sum@[R]))", "{{gen_ai_token_type}}"), stack=True),
    ]),
    ("Long tools", [
        graph("Calls told later", "Calls per second that ended after their turn's wait, and that a model was told of.", CALLS,
              ("sum(rate(toolway_chat_calls_told_total@[R]))", "calls")),
        graph("Waiting turns", "By chat process.", "short", ("toolway_chat_turns_waiting@", "{{instance}}")),
    ]),
]


def all_dashboards(docs):
    """File name -> dashboard."""
    def made(name, title, description, rows, variables=()):
        return name + ".json", dashboard(f"toolway-{name}", f"Toolway / {title}", description, rows, variables=variables, docs=docs)
    return dict([
        made("overview", "Overview", "Rate, errors, duration, saturation: start here.", OVERVIEW, ("pool",)),
        made("tools", "Tools", "Rate, errors and duration of each tool.", TOOLS, ("pool", "tool")),
        made("sessions", "Sessions", "Open sessions, followers, closing and restoring, memory per session.", SESSIONS),
        made("conversations", "Conversations", "Turns of the chat engine, and the models that they ask.", CONVERSATIONS),
        made("workers", "Workers and pools", "Queues, slots, processes, where specs come from.", WORKERS, ("pool",)),
        made("bus", "Bus and collector", "NATS, its streams, and how far they are recorded.", BUS),
        made("postgres", "Postgres", "What the collectors write, and what that costs.", POSTGRES),
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).parent / "dashboards")
    parser.add_argument("--docs", default="https://docs.example.org/toolway")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    stale = []
    for name, content in all_dashboards(arguments.docs.rstrip("/")).items():
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        file = arguments.directory / name
        if arguments.check:
            if not file.exists() or file.read_text() != text:
                stale.append(str(file))
        else:
            file.write_text(text)
    if stale:
        sys.exit("not what dashboards.py writes (run it, and commit what it wrote): " + ", ".join(stale))


if __name__ == "__main__":
    main()
