#!/usr/bin/env python3
"""Finds sources that ask the system for the time, instead of the `Clock` that they are handed (base/clock.h).

usage: check_clocks.py     exit status 1 when one does that is not in STILL_THERE, or one that is there does no longer
"""
import re

from checked_files import report_all, tree

# Of a clock of std::chrono, which a source often calls `Steady` or `Clock`.
NOW = re.compile(r"\b[A-Za-z_]\w*::now\(")
COMMENT = re.compile(r"//[^\n]*")
# The clock itself; what waits for the system, by its time: the bus, whose waits are its library's, processes and servers of this
# machine; what measures; programs.
MAY = re.compile(r"base/clock\.|base/os/|bus/|local/|cli/bench/|cli/demo/|(?:.*/)?main\.cc$")
# Those that still do. A file goes from here when it takes a clock; none comes in.
STILL_THERE = {
    "cli/client/call_wait.cc",
    "cli/client/follow.cc",
    "cli/process/bus_probe.cc",
    "cli/process/toolset_source.cc",
    "cli/stack/stack.cc",
    "monitoring/otlp/cutoff.h",
    "monitoring/otlp/otlp_tracer.cc",
    "monitoring/otlp/sender.cc",
    "monitoring/otlp/span_queue.cc",
    "monitoring/prometheus_instruments.cc",
    "monitoring/prometheus_metrics.cc",
    "persistence/collector/pg_dialogue.cc",
    "persistence/postgres/wait_limit.cc",
    "tools/executors/command/command_run.cc",
    "tools/executors/http/http_tool.cc",
    "tools/executors/mcp_client/errand_runner.h",
    "tools/executors/mcp_client/http_link.cc",
    "tools/executors/mcp_client/server_log.cc",
    "tools/executors/mcp_client/server_process.cc",
    "tools/executors/mcp_client/stdio_link.cc",
    "tools/executors/python/call_output.cc",
    "tools/executors/python/interpreter_keeper.cc",
    "tools/executors/python/python_call.cc",
    "tools/http/http_exchange.cc",
    "tools/http/http_transfer.cc",
}


def findings(texts, still_there=frozenset(STILL_THERE)):
    """`texts`: (name, text) of each source."""
    met = set()
    for name, text in texts:
        found = None if MAY.match(name) else NOW.search(COMMENT.sub("", text))
        if found:
            met.add(name)
            if name not in still_there:
                yield f"{name}:{text.count(chr(10), 0, found.start()) + 1}: {found[0]}) asks the system; take the time from a Clock (base/clock.h)"
    for gone in sorted(still_there - met):
        yield f"{gone} does not ask the system for the time: take it out of STILL_THERE in cmake/check_clocks.py"


if __name__ == "__main__":
    report_all(findings, tree((".h", ".cc"), without=("tests", "examples", "packs", "cmake")))
