#!/usr/bin/env python3
"""What scrapes cost while calls run: `toolway bench --rate` by turns without scrapes and with every process scraped
once a second, on a `toolway dev` of its own whose 1,000 tools, in two pools, have all been called.

    tests/bench/scrape_cost.py build/toolway [--tools 1000] [--rounds 5] [--seconds 10] [--rate 1000]

Prints p50 and p99 of each turn; of the scrapes how long they took by the clock, how large they were, and how much CPU time
a process takes for one without calls. A Prometheus scrapes every 15 to 60 s, so once a second is 15 times and more what it
does. On a busy machine, `chrt -r 5 tests/bench/scrape_cost.py …` as root keeps other work out of the figures.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request

import stacks


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(),
                                     {"content-type": "application/json", "x-user-id": "scraped", "prefer": "wait=30"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


POOLS = ["template", "second"]


def specs(count):
    return {"tools": [{"name": f"tool_{i}", "namespace": "scraped", "kind": "template", "pool": POOLS[i % 2], "idempotent": True,
                       "description": "One of many.", "input_schema": {"type": "object"},
                       "implementation_config": {"text": "here"}} for i in range(count)]}


def call_each(url, count):
    post(url + "/v1/sessions", {"session_id": "scraped", "namespaces": ["scraped"]})
    for first in range(0, count, 50):
        names = range(first, min(first + 50, count))
        answer = post(url + "/v1/sessions/scraped/calls:batch", {"calls": [{"tool": f"tool_{i}", "arguments": {}} for i in names]})
        failed = [call for call in answer["calls"] if call.get("outcome") != "succeeded"]
        if failed:
            raise RuntimeError(f"a call did not succeed: {failed[0]}")


class Scrapes:
    """Scrapes all of `urls` once a second, until it is left."""

    def __init__(self, urls):
        self.urls, self.taken, self.end = urls, {url: [] for url in urls}, threading.Event()

    def __enter__(self):
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.end.set()
        self.thread.join()

    def run(self):
        while not self.end.wait(1):
            for url in self.urls:
                began = time.monotonic()
                with urllib.request.urlopen(url) as answer:
                    size = len(answer.read())
                self.taken[url].append(((time.monotonic() - began) * 1000, size))


def cpu_ms(pid):
    """What all threads of a process have used so far."""
    return sum(int(task.read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e6


def cpu_of_scrape(pid, url, count=40):
    """Of `count` scrapes and as much time without them: the process does other things, too."""
    def used(act):
        before = cpu_ms(pid)
        for _ in range(count):
            act()
            time.sleep(0.05)
        return (cpu_ms(pid) - before) / count
    scraped = used(lambda: urllib.request.urlopen(url).read())
    return scraped - used(lambda: None)


def run(program, url, options):
    with tempfile.NamedTemporaryFile(suffix=".json") as result:
        subprocess.run([program, "bench", "--url", url, "--seconds", str(options.seconds), "--warm-up", "2",
                        "--rate", str(options.rate), "--json", result.name],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        report = json.load(open(result.name))
    if report["errors"]:
        raise RuntimeError(f"{report['errors']} errors")
    completion = report["completion"]
    return completion["p50_ms"], completion["p99_ms"]


def measure(program, stack, options):
    url = stack["http"]
    call_each(url, options.tools)
    urls = [url for role in ("gateway", "worker", "collector") for url in stack["metrics"][role]]
    without, with_it = [], []
    scrapes = Scrapes(urls)
    taken = scrapes.taken
    for turn in range(options.rounds):
        without.append(run(program, url, options))
        with Scrapes(urls) as scrapes:
            with_it.append(run(program, url, options))
        for each in urls:
            taken[each] += scrapes.taken[each]
        print(f"round {turn + 1}: p50 and p99 {without[-1][0]:.2f} and {without[-1][1]:.1f} ms without, "
              f"{with_it[-1][0]:.2f} and {with_it[-1][1]:.1f} with", flush=True)
    for what, at in (("p50", 0), ("p99", 1)):
        print(f"median {what}: {statistics.median(r[at] for r in without):.2f} ms without, "
              f"{statistics.median(r[at] for r in with_it):.2f} with")
    for role in ("gateway", "worker", "collector"):
        for each, pid in zip(stack["metrics"][role], stack["pids"][role]):
            times = sorted(t for t, _ in taken[each])
            print(f"{role}: {len(times)} scrapes of {max(size for _, size in taken[each]) / 1e6:.2f} MB, "
                  f"median {statistics.median(times):.1f} ms, longest {times[-1]:.1f} ms, {cpu_of_scrape(pid, each):.1f} ms of CPU")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--tools", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rate", type=float, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        tools = pathlib.Path(directory) / "tools.json"
        tools.write_text(json.dumps(specs(options.tools)))
        with stacks.Stack(options.program, ["--specs", tools, *(word for pool in ("native", *POOLS) for word in ("--pool", pool))]) as stack:
            measure(options.program, stack.told(), options)


if __name__ == "__main__":
    main()
