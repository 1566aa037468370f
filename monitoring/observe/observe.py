#!/usr/bin/env python3
"""A stack under load that shows every outcome, and Prometheus (and Grafana, when it is installed) looking at it, until Ctrl-C.

    ./run observe [--http HOST:PORT] [--seconds N] [--picture FILE]

--seconds ends it by itself; --picture then draws the overview dashboard into FILE (SVG).
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import time

from agents import Agents
from children import Child
from picture import draw
from prometheus import Prometheus
from stack import Stack
from targets import targets

HERE = pathlib.Path(__file__).resolve().parent
GRAFANA = HERE.parent / "grafana"


def keep_targets(stack, file):
    """Writes the targets to scrape, whole or not at all; Prometheus looks every two seconds."""
    part = file.with_suffix(".part")
    part.write_text(json.dumps(targets(stack.ready())))
    part.replace(file)


def start_grafana(directory, prometheus_url):
    """Grafana with our dashboards, or nothing when it is not installed. Returns the process and its URL."""
    program = shutil.which("grafana-server") or shutil.which("grafana")
    home = next((h for h in ("/usr/share/grafana", "/usr/local/share/grafana") if os.path.isdir(h)), None)
    if not program or not home:
        return None, None
    argv = [program] + (["server"] if program.endswith("/grafana") else []) + ["--homepath", home]
    return Child(argv, directory / "grafana.log", {
        "GF_PATHS_DATA": str(directory / "grafana"), "GF_PATHS_PROVISIONING": str(GRAFANA / "provisioning"),
        "GF_SERVER_HTTP_ADDR": "127.0.0.1", "GF_SERVER_HTTP_PORT": "3000", "GF_AUTH_ANONYMOUS_ENABLED": "true",
        "GF_AUTH_ANONYMOUS_ORG_ROLE": "Viewer", "GF_ANALYTICS_REPORTING_ENABLED": "false", "GF_ANALYTICS_CHECK_FOR_UPDATES": "false",
        "GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH": str(GRAFANA / "dashboards" / "overview.json"),
        "TOOLWAY_PROMETHEUS_URL": prometheus_url, "TOOLWAY_SCRAPE_INTERVAL": "1s",
        "TOOLWAY_DASHBOARDS": str(GRAFANA / "dashboards")}), "http://127.0.0.1:3000"


def show(stack, prometheus, grafana_url, directory):
    ready = stack.ready()
    print(f"""
Toolway is under load.

  Toolway     {ready["http"]}   (metrics: {ready["http"]}/metrics)
  Prometheus  {prometheus.url}/alerts   {prometheus.url}/graph""")
    if grafana_url:
        print(f"  Grafana     {grafana_url}/dashboards")
    else:
        print(f"""  Grafana     is not installed here. One elsewhere: a Prometheus data source with {prometheus.url},
              and the dashboards of {GRAFANA / "dashboards"} (monitoring/grafana/README.md)""")
    print(f"  logs        {directory}\n\nCtrl-C ends it.\n", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--http", default="127.0.0.1:0", help="HOST:PORT of the gateway (a free port)")
    parser.add_argument("--seconds", type=int, default=0, help="end by itself after so long")
    parser.add_argument("--picture", type=pathlib.Path, help="at the end, draw the overview dashboard into this SVG file")
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent.parent / "build", help="where toolway and prometheus/ are")
    arguments = parser.parse_args()
    if arguments.picture and not arguments.seconds:
        parser.error("--picture needs --seconds: it shows what happened until then")
    done = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: done.set())

    directory = pathlib.Path(tempfile.mkdtemp(prefix="toolway-observe-"))
    targets_file = directory / "targets.json"
    children, agents = [], None
    try:
        stack = Stack(arguments.build / "toolway", directory, arguments.http)
        children.append(stack)
        stack.wait_until_ready()
        keep_targets(stack, targets_file)
        prometheus = Prometheus(arguments.build / "prometheus/usr/bin/prometheus", directory / "prometheus", targets_file)
        children.append(prometheus)
        prometheus.wait_until_ready()
        grafana, grafana_url = start_grafana(directory, prometheus.url)
        if grafana:
            children.append(grafana)
        agents = Agents(stack, directory)
        agents.start()
        agents.break_a_worker()
        show(stack, prometheus, grafana_url, directory)
        begun = time.time()
        while not done.wait(2) and not (arguments.seconds and time.time() > begun + arguments.seconds):
            keep_targets(stack, targets_file)
        if arguments.picture and not done.is_set():
            arguments.picture.write_text(draw("overview.json", prometheus, min(begun + 30, time.time() - 10), time.time()))
            print(f"drew {arguments.picture}")
    finally:
        print("stopping", flush=True)
        if agents:
            agents.stop()
        for child in reversed(children):
            child.stop()
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
