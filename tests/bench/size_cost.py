#!/usr/bin/env python3
"""What a full stack costs calls: two stacks side by side, one empty, one with many rows in each large table, open sessions,
followed sessions and tools, under the same load by turns.

    tests/bench/size_cost.py build/toolway [--rows 10000000] [--sessions 100000] [--followers 10000] [--tools 1000] [--turns 8] [--seconds 3]

Fills calls, completions, call_events, audit_log and messages with `--rows` each, as if they had come since midnight from the
open sessions, and waits until Postgres has analysed them and the audit's sealer has caught up. 10,000,000 rows take about 35 GB
in the directory for temporary files (TMPDIR) and half an hour. Prints calls/s and the CPU time of a call in a closed loop, the
completion's p50 and p99 at 1,000 calls/s, and the memory of each kind of process. Judges: calls/s at most 10 % less, p99 at most
10 % more, of medians. Exit status 1 when one of them is not met.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import stacks

CHUNK = 200_000
RATE = 1000

TOOL = """tools:
  - name: tool_{number:04}
    namespace: size
    kind: http
    description: Answers what it was asked, for a stack with many tools.
    input_schema:
      type: object
      properties: {{question: {{type: string, description: What to answer}}}}
    implementation_config:
      url: http://127.0.0.1:9/tool/{number}
"""

# Ids are as gateways make them: the time first, so that rows come in the order of their ids.
FUNCTIONS = """
CREATE FUNCTION size_time(i bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
    + (now() - date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC') * (i / {rows}::float8) $$;
CREATE FUNCTION size_id(i bigint) RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM size_time(i)) * 1000)::bigint), 12, '0') || '7' || substr(md5(i::text), 1, 3) || '8'
    || substr(md5(i::text), 4, 15))::uuid $$;
CREATE TABLE size_sessions AS
  SELECT (row_number() OVER () - 1)::bigint AS n, session_key, session_id FROM sessions WHERE state = 'open';
CREATE UNIQUE INDEX ON size_sessions (n);
"""

# What differs from the row that is repeated; None: the column's default.
OWN = {
    "calls": {"call_id": "size_id(i)", "session_key": "s.session_key", "session_id": "s.session_id", "submitted_at": "size_time(i)",
              "incarnation": "t.incarnation - 1", "sequence": "i + 1"},
    "completions": {"call_id": "size_id(i)", "session_key": "s.session_key", "incarnation": "t.incarnation - 1", "sequence": "i + 1", "xid": None,
                    "number": None, "started_at": "size_time(i)", "completed_at": "size_time(i) + interval '5 ms'"},
    "call_events": {"call_id": "size_id(i)", "session_key": "s.session_key", "incarnation": "t.incarnation - 1", "sequence": "i + 1",
                    "time": "size_time(i)"},
    "audit_log": {"at": "size_time(i) + interval '5 ms'", "id": "size_id(i)", "session_id": "s.session_id",
                  "digest": "sha256(uuid_send(size_id(i)))", "xid": None, "number": None},
}
MESSAGES = """
INSERT INTO messages (conversation, number, turn, role, body)
SELECT md5((i / 1000)::text)::uuid, i %% 1000 + 1, md5((i / 2)::text)::uuid, CASE i %% 2 WHEN 0 THEN 'user' ELSE 'assistant' END,
       '{"role": "user", "text": "' || repeat('It says what such messages say. ', 12) || '"}'
FROM generate_series(CAST(%d AS bigint), %d) AS i
"""


def filling(stack, table):
    """The statement that adds rows [%d, %d] to a table."""
    columns = stack.sql(f"SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0").split()
    own = OWN[table]
    taken = [name for name in columns if own.get(name, "") is not None]
    values = ", ".join(own.get(name) or f"t.{name}" for name in taken)
    repeated = " WHERE what = 'call_ended'" if table == "audit_log" else ""
    return (f"INSERT INTO {table} ({', '.join(taken)}) SELECT {values} FROM generate_series(CAST(%d AS bigint), %d) AS i "
            f"JOIN size_sessions s ON s.n = i %% (SELECT count(*) FROM size_sessions), (SELECT * FROM {table}{repeated} LIMIT 1) AS t")


def fill(stack, rows):
    """Adds the rows, and waits until what follows them is done."""
    begun = time.perf_counter()
    stack.load(1, "--progress", 1)  # the rows that are repeated
    stack.sql(FUNCTIONS.format(rows=rows))
    for table in (*OWN, "messages"):
        text = MESSAGES if table == "messages" else filling(stack, table)
        for first in range(0, rows, CHUNK):
            stack.sql("SET synchronous_commit = off;" + text % (first, min(first + CHUNK, rows) - 1))
        print(f"  {table}: {rows:,} rows, {time.perf_counter() - begun:.0f} s", flush=True)
    stack.sql("VACUUM ANALYZE")
    stack.sql("CHECKPOINT")
    while int(stack.sql("SELECT coalesce(sum(records), 0) FROM audit_seals")) < rows:
        time.sleep(1)
    size = stack.sql("SELECT pg_size_pretty(pg_database_size(current_database()))")
    print(f"filled, analysed and sealed after {time.perf_counter() - begun:.0f} s; the database has {size}", flush=True)


class OpenGateway:
    """A gateway of a stack, in place of the one that it has: users may open any number of sessions there."""

    def __init__(self, stack, options=()):
        ready, told = stack.directory / "open-gateway.json", stack.told()
        caps = [text for cap in ("sessions", "session-rate", "sessions-mib", "sessions-per-day") for text in (f"--user-{cap}", "0")]
        with open(stack.directory / "open-gateway.log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([stack.program, "gateway", "--http", "127.0.0.1:0", "--ready-file", ready, "--trust-user-header", "loopback",
                                             "--durability", "process", "--log-level", "warn", *caps, *options], stdout=log, stderr=log,
                                            env={**os.environ, "TOOLWAY_NATS_URL": told["nats"], "TOOLWAY_POSTGRES_URL": told["postgres"]})
        while not ready.exists() or not ready.read_text().strip():
            if self.process.poll() is not None:
                raise SystemExit((stack.directory / "open-gateway.log").read_text())
            time.sleep(0.05)
        stack.url, stack.pids["gateway"] = json.loads(ready.read_text())["http"], [self.process.pid]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)


def hold_open(stack, sessions, followers):
    """Sessions that stay open, of which some are followed, by a client that makes a call a second."""
    process = subprocess.Popen([stack.program, "bench", "--url", stack.url, "--sessions", str(sessions), "--followers", str(followers), "--rate", "1",
                                "--warm-up", "0", "--seconds", "86400"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while int(stack.sql("SELECT count(*) FROM sessions WHERE state = 'open'")) < sessions:
        if process.poll() is not None:
            raise SystemExit("the client that holds sessions open has ended")
        time.sleep(1)
    return process


def memory_mb(stack):
    """Resident memory of each kind of process; of Postgres, without what its processes share."""
    found = {}
    for part in stacks.PARTS:
        kilobytes = 0
        for pid in stack.pids.get(part, ()):
            for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith("RssAnon:"):
                    kilobytes += int(line.split()[1])
        found[part] = kilobytes / 1024
    return found


def judge(what, ratio, least, most):
    met = least <= ratio <= most
    print(f"{what}: {ratio:.2f} times as much ({f'at least {least:g}' if least > 0 else f'at most {most:g}'}): {'met' if met else 'NOT MET'}", flush=True)
    return met


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--sessions", type=int, default=100_000)
    parser.add_argument("--followers", type=int, default=10_000)
    parser.add_argument("--tools", type=int, default=1_000)
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as specs:
        os.chmod(specs, 0o755)
        for number in range(options.tools):
            (pathlib.Path(specs) / f"tool_{number:04}.yaml").write_text(TOOL.format(number=number))
        with stacks.Stack(options.program) as empty, stacks.Stack(options.program, ["--specs", specs]) as full, \
                OpenGateway(empty), OpenGateway(full, ["--specs", specs]):
            holder = hold_open(full, options.sessions, options.followers)
            try:
                fill(full, options.rows)
                pairs = stacks.by_turns(empty, full, options.turns, options.seconds)
                print(stacks.table(pairs, "empty", "full"))
                met = [judge("calls/s", statistics.median(b["calls_per_s"] / a["calls_per_s"] for a, b in pairs), 0.9, 99)]
                pairs = stacks.by_turns(empty, full, options.turns, options.seconds, "--rate", RATE)
                for name in ("p50_ms", "p99_ms"):
                    a, b, _ = stacks.median(pairs, lambda found, name=name: found["completion"][name])
                    print(f"completion at {RATE} calls/s, {name}: {a:.2f}, full {b:.2f}")
                met.append(judge("p99", statistics.median(b["completion"]["p99_ms"] / a["completion"]["p99_ms"] for a, b in pairs), 0, 1.1))
                for name, stack in (("empty", empty), ("full", full)):
                    print(f"memory, {name}: " + ", ".join(f"{part} {value:.0f} MB" for part, value in memory_mb(stack).items()))
            finally:
                holder.terminate()
                holder.wait()
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
