"""A `toolway dev` for the scripts of this folder. Two that live side by side can get the same load by turns of about a second,
so that what else the machine does falls on both.
"""

import json
import os
import pathlib
import signal
import statistics
import subprocess
import tempfile
import time

PARTS = ("gateway", "worker", "collector", "nats", "postgres")


class Stack:
    """A `toolway dev` with these options and environment variables, on free ports, with data of its own. `policy`: the text of an
    extensions.yaml. `load` options go to each `toolway bench`."""

    def __init__(self, program, options=(), load=(), policy=None, variables=None):
        self.program, self.load_options = program, load
        self.own = tempfile.TemporaryDirectory()
        self.directory = pathlib.Path(self.own.name)
        self.directory.chmod(0o711)  # as root, Postgres runs as another user; its data would be elsewhere, and stay there
        if policy is not None:
            (self.directory / "extensions.yaml").write_text(policy)
            options = [*options, "--extensions", self.directory / "extensions.yaml"]
        log = self.directory / "log"
        with open(log, "w", encoding="utf-8") as to:
            self.process = subprocess.Popen([program, "dev", "--quiet", "--data", self.directory / "data", "--http", "127.0.0.1:0", "--ready-file",
                                             self.directory / "ready.json", *options], stdout=to, stderr=to, env={**os.environ, **(variables or {})})
        while not self.told():
            if self.process.poll() is not None:
                raise SystemExit("toolway dev ended at its start:\n" + log.read_text())
            time.sleep(0.05)
        self.url, self.pids = self.told()["http"], self.told()["pids"]

    def told(self):
        """What its file of --ready-file says now; processes that start again are other ones."""
        ready = self.directory / "ready.json"
        return json.loads(ready.read_text().strip() or "{}") if ready.exists() else {}

    def load(self, seconds, *more):
        """What `toolway bench` measured on this stack, and the CPU time of a call, in µs: of each kind of process, and "all"."""
        with tempfile.NamedTemporaryFile() as file:
            before = self.cpu()
            done = subprocess.run([self.program, "bench", "--url", self.url, "--seconds", str(seconds), "--warm-up", "0", "--json", file.name,
                                   *map(str, self.load_options), *map(str, more)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  check=False)
            after = self.cpu()
            if done.returncode != 0:
                raise SystemExit(done.stdout)
            found = json.loads(pathlib.Path(file.name).read_text())
        found["us"] = {part: (after[part] - before[part]) * 1e6 / found["calls"] for part in PARTS}
        found["us"]["all"] = sum(found["us"].values())
        return found

    def cpu(self):
        """Seconds of CPU time of each kind of process so far, with their children, also those that have ended."""
        children = {}
        for one in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = one.read_text().rpartition(") ")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append((int(one.parent.name), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")))
        known = {pid: seconds for family in children.values() for pid, seconds in family}

        def whole(pid):
            return known.get(pid, 0) + sum(whole(child) for child, _ in children.get(pid, ()))
        return {part: sum(whole(pid) for pid in self.pids.get(part, ())) for part in PARTS}

    def sql(self, text):
        """What a statement answers, a line for each row."""
        done = subprocess.run(["psql", self.told()["postgres"], "-qAtc", text], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{text}\n{done.stderr}")
        return done.stdout.strip()

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(120)
        self.own.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def by_turns(a, b, turns, seconds, *load):
    """Pairs of results of two stacks under the same load: a before b, then b before a, and so on. The first pair is not kept."""
    pairs = []
    for turn in range(turns + 1):
        found = {}
        for stack in (a, b) if turn % 2 == 0 else (b, a):
            found[stack] = stack.load(seconds, *load)
        if turn > 0:
            pairs.append((found[a], found[b]))
        if turn > 0 and turn % 10 == 0:
            print(f"  {turn} of {turns} turns", flush=True)
    return pairs


def median(pairs, value):
    """Medians of a value over the pairs: of a, of b, and of the differences within a pair, which noise of the machine moves least."""
    a, b = [value(one) for one, _ in pairs], [value(other) for _, other in pairs]
    return statistics.median(a), statistics.median(b), statistics.median(y - x for x, y in zip(a, b))


def interval(pairs, value):
    """About 95 % of the differences' medians would lie between these two (order statistics of the binomial distribution)."""
    found = sorted(value(other) - value(one) for one, other in pairs)
    reach = round(0.98 * len(found) ** 0.5)
    middle = len(found) // 2
    return found[max(0, middle - reach)], found[min(len(found) - 1, middle + reach)]


def table(pairs, a, b):
    """The medians as a Markdown table."""
    rows = [("calls/s", "", lambda found: found["calls_per_s"])]
    rows += [(f"CPU of a call: {part}", " us", lambda found, part=part: found["us"][part]) for part in (*PARTS, "all")]
    lines = [f"| | {a} | {b} | difference | 95 % of differences' medians |", "|---|---|---|---|---|"]
    for name, unit, value in rows:
        one, other, difference = median(pairs, value)
        least, most = interval(pairs, value)
        digits = 0 if name == "calls/s" else 1
        lines.append(f"| {name} | {one:,.{digits}f}{unit} | {other:,.{digits}f}{unit} | {difference:+,.{digits}f}{unit} | "
                     f"{least:+,.{digits}f} to {most:+,.{digits}f}{unit} |")
    return "\n".join(lines)
