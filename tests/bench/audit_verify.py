#!/usr/bin/env python3
"""How long `toolway audit verify` and `audit export` take with many records, and how much memory, on a `toolway dev` of its
own whose sealer has sealed them.

    tests/bench/audit_verify.py build/toolway [--records 1000000]

Judges: 1,000,000 records verified within 60 s. Exit status 1 when that is not met, or something is not whole.
"""

import argparse
import os
import resource
import subprocess
import sys
import time

import stacks

PER_TRANSACTION = 2000

# As a collector records the end of a call, two thousand in a transaction.
ROWS = """
INSERT INTO audit_log (at, what, id, seq, user_id, method, key_id, session_id, object, outcome, details, digest)
SELECT (r).at, (r).what, (r).id, (r).seq, (r).user_id, (r).method, (r).key_id, (r).session_id, (r).object, (r).outcome, (r).details,
       sha256(convert_to(audit_text(r), 'UTF8'))
FROM (SELECT ROW(clock_timestamp(), 'call_ended', gen_random_uuid(), 2, 'default', 'user-' || i %% 100, 'key', '0123456789ab',
                 's-' || i %% 1000, 'time.get_current_time', 'succeeded', '',
                 '{"policy":3,"reasons":[{"extension":"permissions","because":"roles agent"}],"arguments":"sha256:'
                 || repeat('a', 64) || '"}', NULL, NULL, NULL)::audit_log AS r
      FROM generate_series(1, %d) AS i OFFSET 0) AS made
"""


def timed(*command):
    """Its seconds, its memory in MB, and what it printed."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    lines, last = 0, ""
    for line in process.stdout:
        lines, last = lines + 1, line
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - begun, usage.ru_maxrss / 1024, lines, last, process.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--records", type=int, default=1_000_000)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with stacks.Stack(options.program) as stack:
        data = stack.directory / "data"
        begun = time.perf_counter()
        for _ in range(options.records // PER_TRANSACTION):
            stack.sql(ROWS % PER_TRANSACTION)
        while int(stack.sql("SELECT coalesce(sum(records), 0) FROM audit_seals")) < options.records:
            time.sleep(0.2)
        print(f"{options.records} records made and sealed in {time.perf_counter() - begun:.0f} s, "
              f"{stack.sql('SELECT count(*) FROM audit_seals')} seals; the tables have "
              f"{stack.sql('SELECT pg_size_pretty(sum(pg_total_relation_size(relid))) FROM pg_partition_tree($$audit_log$$)')} and "
              f"{stack.sql('SELECT pg_size_pretty(pg_total_relation_size($$audit_seals$$))')}", flush=True)
        seconds, memory, _, said, status = timed(options.program, "audit", "verify", "--data", data, "-o", "json")
        print(f"verify: {seconds:.1f} s (at most 60), {memory:.0f} MB, status {status}", flush=True)
        exported, export_memory, lines, _, _ = timed(options.program, "audit", "export", "--data", data)
        print(f"export: {lines} lines in {exported:.1f} s, {export_memory:.0f} MB")
    return 0 if status == 0 and seconds <= 60 and lines >= options.records else 1


if __name__ == "__main__":
    sys.exit(main())
