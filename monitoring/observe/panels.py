"""The dashboards as Prometheus must answer them: their panels, with Grafana's variables put in."""
import json
import pathlib

DASHBOARDS = pathlib.Path(__file__).resolve().parent.parent / "grafana" / "dashboards"


def dashboards():
    """(file name, dashboard) of each."""
    return [(file.name, json.loads(file.read_text())) for file in sorted(DASHBOARDS.glob("*.json"))]


def panels(dashboard):
    """Panels that have queries; rows have none."""
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def substituted(expression, rate_interval="10s", range_="60s"):
    """With every variable at `All`, as Grafana would send it."""
    for name, value in (("$__rate_interval", rate_interval), ("$__range", range_), ('"$fleet"', '".*"'),
                        *((f'"${v}"', '".+"') for v in ("job", "instance", "pool", "tool"))):
        expression = expression.replace(name, value)
    if "$" in expression:
        raise ValueError(f"an unknown variable: {expression}")
    return expression
