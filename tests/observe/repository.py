"""Where things are, and which metrics there are."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RULES = sorted((ROOT / "monitoring/prometheus/rules").glob("*.yml"))
sys.path[:0] = [str(ROOT / "monitoring/observe"), str(ROOT / "monitoring/grafana")]


def metrics():
    """Name -> type, of every metric that Toolway exports."""
    return dict(line.split() for line in (ROOT / "tests/golden/metrics.txt").read_text().splitlines())


def unknown_metrics(text):
    """Names in PromQL that look like ours and are in no table."""
    known = metrics()
    series = set(known)
    for name, kind in known.items():
        if kind == "histogram":
            series.update(name + suffix for suffix in ("_bucket", "_sum", "_count"))
            series.discard(name)
    return sorted(set(re.findall(r"(?<![\w:])(?:toolway|process|gen_ai_client)_\w+", text)) - series)
