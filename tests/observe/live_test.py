#!/usr/bin/env python3
"""A real Prometheus looks at a real stack under load: every panel shows something, every rule works, and alerts fire and
resolve when a worker, the collectors and NATS are taken away."""
import json
import math
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import unittest

import repository  # noqa: F401  (finds the modules below)
from agents import Agents, Client
from panels import dashboards, panels, substituted
from prometheus import Prometheus
from stack import Stack
from targets import targets
from wait import TooLate, wait_for

BUILD = None
HURRY = 60  # alerts wait for a sixtieth of their time
ENDED = {  # outcome -> a query that is above 0 when calls ended so
    **{outcome: f'sum(toolway_calls_completed_total{{outcome="{outcome}"}})'
       for outcome in ("succeeded", "failed", "timed_out", "cancelled", "rejected", "unknown")},
    "lost": 'sum(toolway_reaped_total{action="lost"})',
}


class Live(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="toolway-observe-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        cls.stack = Stack(BUILD / "toolway", cls.directory)
        cls.addClassCleanup(cls.stack.stop)
        cls.stack.wait_until_ready()
        cls.targets = cls.directory / "targets.json"
        cls.targets.write_text(json.dumps(targets(cls.stack.ready())))
        cls.prometheus = Prometheus(BUILD / "prometheus/usr/bin/prometheus", cls.directory / "prometheus", cls.targets, hurry=HURRY)
        cls.addClassCleanup(cls.prometheus.stop)
        cls.prometheus.wait_until_ready()
        cls.begun = time.time()
        cls.agents = Agents(cls.stack, cls.directory)
        cls.addClassCleanup(cls.agents.stop)
        cls.agents.start()
        cls.agents.break_a_worker()

    def value(self, expression):
        """The one value of a query, or None."""
        result = self.prometheus.query(expression)
        return float(result[0]["value"][1]) if result else None

    def until(self, what, ask, seconds=90):
        return wait_for(what, ask, seconds, every=0.5)

    # The order of the tests is theirs by name: what is well is looked at before something is broken.
    def test_1_calls_end_in_every_way(self):
        for outcome, expression in ENDED.items():
            self.until(f"a call has ended as {outcome}", lambda: (self.value(expression) or 0) > 0)

    def shows(self, panel, expression):
        """Whether a query has a number, in its panel's way of asking."""
        if panel["type"] == "timeseries":
            now = time.time()
            series = self.prometheus.query_range(expression, max(self.begun, now - 60), now, 1)
            points = [value for one in series for _, value in one["values"]]
        else:
            points = [one["value"][1] for one in self.prometheus.query(expression)]
        return any(math.isfinite(float(point)) for point in points)

    def test_2_every_query_of_every_panel_shows_something(self):
        waiting = [(f"{name}: {panel['title']}: {target['expr']}", panel, substituted(target["expr"]))
                   for name, dashboard in dashboards() for panel in panels(dashboard) for target in panel["targets"]]
        self.assertGreater(len(waiting), 60)
        # This stack does not ask its callers who they are, and has no chat process.
        waiting = [one for one in waiting if "toolway_auth_total" not in one[2] and not one[0].startswith("conversations")]

        def all_show():
            # What has just happened for the first time is a rate only after another scrape.
            waiting[:] = [one for one in waiting if not self.shows(*one[1:])]
            return not waiting
        try:
            self.until("every panel shows something", all_show, 40)
        except TooLate:
            self.fail("show nothing:\n" + "\n".join(title for title, _, _ in waiting))

    def test_3_variables_have_values(self):
        for name, dashboard in dashboards():
            for variable in dashboard["templating"]["list"]:
                if variable["type"] == "query" and variable["name"] != "fleet":  # a stack of its own has no such label
                    inner, label = variable["query"].removeprefix("label_values(").removesuffix(")").rsplit(", ", 1)
                    found = self.prometheus.query(f"group by ({label}) ({substituted(inner)})")
                    self.assertTrue([one for one in found if one["metric"].get(label)], f"{name}: {variable['name']}")

    def test_4_every_rule_works(self):
        for rule in self.prometheus.rules():
            self.assertEqual(rule["health"], "ok", f"{rule['name']}: {rule.get('lastError')}")
        names = {rule["name"] for rule in self.prometheus.rules() if rule["type"] == "recording"}
        self.assertEqual([name for name in sorted(names) if not self.prometheus.query(name)], [], "record nothing")

    def test_5_what_the_load_does_wrong_fires(self):
        for alert in ("ToolwayUnknownOutcomes", "ToolwayLostCalls", "ToolwayToolFailing"):
            self.fires(alert)

    def fires(self, alert):
        self.until(f"{alert} fires", lambda: alert in self.prometheus.firing())

    def resolves(self, *alerts):
        self.until(f"{alerts} resolve", lambda: not self.prometheus.firing() & set(alerts))

    def without(self, role, *alerts):
        """Stops the processes of a role (SIGSTOP) until the alerts fire, resumes them, and waits until the alerts have ended."""
        self.resolves(*alerts)  # of what was broken before
        pids = self.stack.pids(role)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            for alert in alerts:
                self.fires(alert)
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        self.resolves(*alerts)

    def test_6_without_workers(self):
        self.until("the pool of python tools has workers", lambda: (self.value('sum(toolway_worker_slots{pool="python"})') or 0) > 0)

        def of_pool():
            return [a for a in self.prometheus.alerts("ToolwayNoWorkers") if a["labels"]["pool"] == "python"]
        self.assertFalse(of_pool(), "fires before anything is broken")
        pids = self.stack.pids("worker")
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            # More than they had asked for before they were stopped.
            client = Client(self.stack.ready()["http"], "impatient")
            client.open("impatient")
            for _ in range(100):
                client.call("impatient", "shop.search")
            self.until("ToolwayNoWorkers fires for pool python", of_pool)
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        self.until("ToolwayNoWorkers resolves for pool python", lambda: not of_pool())

    def test_7_without_a_collector(self):
        self.without("collector", "ToolwayCollectorDown", "ToolwayInstanceDown")

    def test_8_without_nats(self):
        alert = "ToolwayBusDisconnected"
        self.resolves(alert)

        def kill_until_it_fires():
            # `toolway dev` starts it again at once, and then ever later.
            for pid in self.stack.pids("nats"):
                try:
                    command = pathlib.Path(f"/proc/{pid}/cmdline").read_text()
                    if str(self.directory) in command:
                        os.kill(pid, signal.SIGKILL)
                except (ProcessLookupError, FileNotFoundError):
                    pass  # not started again yet
            return alert in self.prometheus.firing()
        self.until(f"{alert} fires", kill_until_it_fires)
        self.resolves(alert)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
