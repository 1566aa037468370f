"""The parts that Grafana dashboards are made of: variables, rows, panels. Deterministic: the same source, the same JSON.

Queries are written short: `name@` and `name@{pool=~"$pool"}` stand for selectors that also match the variables fleet, job
and instance, and `[R]` for `[$__rate_interval]`.
"""
import re

DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
WIDTH = 24
COLORS = {
    "succeeded": "green", "failed": "red", "timed_out": "orange", "cancelled": "blue", "rejected": "purple",
    "unknown": "yellow", "lost": "dark-red", "2xx": "green", "3xx": "blue", "4xx": "yellow", "5xx": "red",
}


def query(short):
    """A query as Grafana sends it, variables still in it."""
    def selector(found):
        more = (found.group(1) or "{}")[1:-1]
        return '{fleet=~"$fleet", job=~"$job", instance=~"$instance"' + (", " + more if more else "") + "}"
    return re.sub(r"@(\{[^}]*\})?", selector, short).replace("[R]", "[$__rate_interval]")


def quantile(q, by, name, labels=""):
    """The q-quantile of a histogram, by some of its labels."""
    le = f"{by}, le" if by else "le"
    return f"histogram_quantile({q}, sum by ({le}) (rate({name}_bucket@{{{labels}}}[R])))".replace("@{}", "@")


def target(short, legend="", instant=False):
    return {"short": short, "legend": legend, "instant": instant}


class Panel:
    """One panel: its title, what it shows and why, its queries, its unit, and alerts whose pages help with it."""

    def __init__(self, kind, title, description, unit, targets, *, width=8, alerts=(), stack=False, base="green", steps=(),
                 maximum=None):
        """`steps`: (value, color) from which value a color applies; `base` is the one below them all."""
        self.kind, self.title, self.description, self.unit = kind, title, description, unit
        self.targets = [target(*t) if isinstance(t, tuple) else target(t) for t in targets]
        self.width = width
        self.height = {"stat": 4, "timeseries": 8, "table": 9}[kind]
        self.alerts, self.stack, self.base, self.steps, self.maximum = alerts, stack, base, steps, maximum

    def json(self, number, x, y, docs_page):
        defaults = {"unit": self.unit, "color": {"mode": "palette-classic"}, "min": 0}
        if self.maximum is not None:
            defaults["max"] = self.maximum
        steps = [{"color": self.base, "value": None}] + [{"color": c, "value": v} for v, c in self.steps]
        defaults["thresholds"] = {"mode": "absolute", "steps": steps}
        options = {}
        if self.kind == "timeseries":
            defaults["custom"] = {
                "drawStyle": "line", "lineWidth": 1, "fillOpacity": 25 if self.stack else 10, "showPoints": "never",
                "spanNulls": False, "stacking": {"mode": "normal" if self.stack else "none", "group": "A"},
                "thresholdsStyle": {"mode": "dashed" if self.steps else "off"},
            }
            options = {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
                       "tooltip": {"mode": "multi", "sort": "desc"}}
        elif self.kind == "stat":
            defaults["color"] = {"mode": "thresholds"}
            options = {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}, "colorMode": "value",
                       "graphMode": "area", "justifyMode": "auto", "orientation": "auto", "textMode": "auto"}
        else:
            options = {"showHeader": True, "cellHeight": "sm", "sortBy": [{"displayName": "Value", "desc": True}]}
        panel = {
            "id": number, "type": self.kind, "title": self.title, "description": self.description,
            "datasource": DATASOURCE, "gridPos": {"h": self.height, "w": self.width, "x": x, "y": y},
            "fieldConfig": {"defaults": defaults, "overrides": overrides(self.targets)},
            "options": options,
            "targets": [
                {"refId": chr(ord("A") + i), "datasource": DATASOURCE, "expr": query(t["short"]),
                 "legendFormat": t["legend"] or "__auto", "range": not (t["instant"] or self.kind == "table"),
                 "instant": t["instant"] or self.kind == "table", "format": "table" if self.kind == "table" else "time_series"}
                for i, t in enumerate(self.targets)],
            "links": [{"title": f"Runbook: {a}", "url": f"${{docs}}/docs/alerts/{a}.md", "targetBlank": True} for a in self.alerts]
            + [{"title": "About this dashboard", "url": f"${{docs}}/{docs_page}", "targetBlank": True}],
        }
        if self.kind == "table":
            panel["transformations"] = [{"id": "organize", "options": {"excludeByName": {"Time": True}}}]
        return panel


def overrides(targets):
    """The same outcome, or class of status, has the same color wherever it is drawn."""
    if not any(t["legend"] in ("{{outcome}}", "{{status}}") for t in targets):
        return []
    return [{"matcher": {"id": "byName", "options": name},
             "properties": [{"id": "color", "value": {"mode": "fixed", "fixedColor": color}}]}
            for name, color in COLORS.items()]


def graph(title, description, unit, *targets, **more):
    return Panel("timeseries", title, description, unit, targets, **more)


def stat(title, description, unit, *targets, **more):
    return Panel("stat", title, description, unit, targets, **{"width": 4, **more})


def table(title, description, unit, *targets, **more):
    return Panel("table", title, description, unit, targets, **{"width": 12, **more})


def variable(name, label, definition, all_value=".+"):
    return {"name": name, "label": label, "type": "query", "datasource": DATASOURCE, "query": definition,
            "definition": definition, "refresh": 2, "sort": 1, "multi": True, "includeAll": True, "allValue": all_value,
            "current": {"selected": True, "text": ["All"], "value": ["$__all"]}, "options": [], "regex": "", "hide": 0}


VARIABLES = {
    "pool": variable("pool", "Pool", "label_values(toolway_queue_depth, pool)"),
    "tool": variable("tool", "Tool", 'label_values(toolway_calls_accepted_total, tool)'),
}


def dashboard(uid, title, description, rows, *, variables=(), docs):
    """The dashboard as Grafana's JSON. `rows`: (title, panels), laid out from left to right on 24 columns."""
    panels, number, y = [], 0, 0
    for row_title, row_panels in rows:
        number += 1
        panels.append({"id": number, "type": "row", "title": row_title, "collapsed": False, "panels": [],
                       "gridPos": {"h": 1, "w": WIDTH, "x": 0, "y": y}})
        y += 1
        x = height = 0
        for panel in row_panels:
            if x + panel.width > WIDTH:
                x, y, height = 0, y + height, 0
            number += 1
            panels.append(panel.json(number, x, y, "docs/observability.md"))
            x, height = x + panel.width, max(height, panel.height)
        y += height
    templates = [
        {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus", "refresh": 1, "hide": 0,
         "current": {}, "options": [], "regex": "", "multi": False, "includeAll": False},
        # `All` also matches series without this label.
        variable("fleet", "Fleet", "label_values(toolway_build_info, fleet)", all_value=".*"),
        variable("job", "Job", 'label_values(toolway_build_info{fleet=~"$fleet"}, job)'),
        variable("instance", "Instance", 'label_values(toolway_build_info{fleet=~"$fleet", job=~"$job"}, instance)'),
        *(VARIABLES[name] for name in variables),
        {"name": "docs", "label": "Docs", "type": "textbox", "query": docs, "hide": 2,
         "current": {"text": docs, "value": docs}, "options": [{"selected": True, "text": docs, "value": docs}]},
    ]
    return {
        "uid": uid, "title": title, "description": description, "tags": ["toolway"], "editable": False, "graphTooltip": 1,
        "schemaVersion": 39, "version": 1, "refresh": "10s", "time": {"from": "now-1h", "to": "now"}, "timezone": "browser",
        "annotations": {"list": []}, "templating": {"list": templates}, "panels": panels,
        "links": [{"type": "dashboards", "tags": ["toolway"], "title": "Toolway", "asDropdown": True, "keepTime": True,
                   "includeVars": True, "targetBlank": False, "icon": "external link"}],
    }
