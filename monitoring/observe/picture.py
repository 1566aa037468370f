"""Draws a dashboard as SVG: its panels where Grafana would lay them out, with what a Prometheus answers to their queries."""
import html
import math
import re
import time

from panels import dashboards, substituted
from units import moments, shown, ticks

WIDTH, CELL, GAP, HEADER = 1480, 30, 8, 52
POINTS = 180
BACKGROUND, PANEL, BORDER, TEXT, FAINT = "#111217", "#181b1f", "#2c3038", "#d8d9e0", "#8e919b"
NAMED = {"green": "#73bf69", "red": "#f2495c", "orange": "#ff9830", "blue": "#5794f2", "purple": "#b877d9",
         "yellow": "#fade2a", "dark-red": "#c4162a"}
PALETTE = ["#73bf69", "#f2cc0c", "#8ab8ff", "#ff780a", "#f2495c", "#5794f2", "#b877d9", "#37872d", "#fade2a", "#c0d8ff", "#ffb357", "#ca95e5"]


def draw(file, prometheus, start, end):
    """The dashboard of `file` between two Unix times, as the text of an SVG image."""
    dashboard = dict(dashboards())[file]
    span = Span(start, end)
    height = HEADER + max(p["gridPos"]["y"] + p["gridPos"]["h"] for p in dashboard["panels"]) * (CELL + GAP) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="Inter, Roboto, Helvetica, Arial, sans-serif">',
        f'<rect width="{WIDTH}" height="{height}" fill="{BACKGROUND}"/>',
        text(16, 33, dashboard["title"], 20, TEXT, weight=600),
        text(WIDTH - 16, 33, f"{clock(start)} to {clock(end)} UTC", 13, FAINT, "end"),
    ]
    for panel in dashboard["panels"]:
        at = panel["gridPos"]
        column = (WIDTH - GAP) / 24
        box = Box(GAP + at["x"] * column, HEADER + at["y"] * (CELL + GAP), at["w"] * column - GAP, at["h"] * (CELL + GAP) - GAP)
        if panel["type"] == "row":
            parts.append(text(box.x + 8, box.y + 21, "▾  " + panel["title"], 14, TEXT, weight=600))
            continue
        parts.append(f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.w:.1f}" height="{box.h:.1f}" rx="3" fill="{PANEL}" stroke="{BORDER}">'
                     f"<title>{html.escape(panel['description'])}</title></rect>")
        parts.append(text(box.x + 10, box.y + 19, panel["title"], 13, TEXT, weight=600))
        series = ask(panel, prometheus, span)
        parts.append({"stat": stat, "timeseries": graph}[panel["type"]](panel, series, box, span))
    return "\n".join(parts) + "\n</svg>\n"


class Span:
    """The time shown."""

    def __init__(self, start, end):
        self.start, self.end = start, end
        self.step = max(1, math.ceil((end - start) / POINTS))


class Box:
    def __init__(self, x, y, w, h):
        self.x, self.y, self.w, self.h = x, y, w, h


def ask(panel, prometheus, span):
    """[(name, color, [(time, value)])] of all its queries, in the order of Grafana's palette."""
    series = []
    for target in panel["targets"]:
        for one in prometheus.query_range(substituted(target["expr"], "20s", f"{int(span.end - span.start)}s"), span.start, span.end, span.step):
            name = re.sub(r"\{\{(\w+)\}\}", lambda m: one["metric"].get(m[1], ""), target["legendFormat"]).strip()
            points = [(float(t), float(v)) for t, v in one["values"] if math.isfinite(float(v))]
            if points:
                series.append((name, points))
    series.sort(key=lambda s: s[0])
    fixed = {o["matcher"]["options"]: NAMED[o["properties"][0]["value"]["fixedColor"]] for o in panel["fieldConfig"]["overrides"]}
    return [(name, fixed.get(name, PALETTE[i % len(PALETTE)]), points) for i, (name, points) in enumerate(series)]


def stat(panel, series, box, span):
    """A large number in the color of its threshold, over its course."""
    if not series:
        return text(box.x + box.w / 2, box.y + box.h / 2, "no data", 14, FAINT, "middle")
    points = series[0][2]
    value = points[-1][1]
    steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
    color = NAMED[[s for s in steps if s["value"] is None or value >= s["value"]][-1]["color"]]
    low, high = min(v for _, v in points), max(v for _, v in points)
    floor = box.y + box.h - 1
    places = [(x_of(t, span, box.x + 1, box.w - 2), floor - 4 - 40 * ((v - low) / (high - low) if high > low else 0.3)) for t, v in points]
    return "\n".join([
        area(places, [(x, floor) for x, _ in places], color, 0.18), line(places, color, 1),
        text(box.x + box.w / 2, box.y + box.h / 2 + 14, shown(value, panel["fieldConfig"]["defaults"]["unit"]), 30, color, "middle", 600)])


def graph(panel, series, box, span):
    """Lines, or areas on top of each other, with axes and a legend."""
    defaults = panel["fieldConfig"]["defaults"]
    stacked = defaults["custom"]["stacking"]["mode"] == "normal"
    left, top, right, bottom = box.x + 70, box.y + 34, box.x + box.w - 14, box.y + box.h - 62
    layers = stack_up(series) if stacked else [(name, color, points, None) for name, color, points in series]
    highest = max((v for _, _, points, _ in layers for _, v in points), default=0)
    scale = ticks(min(highest * 1.05, defaults["max"]) if "max" in defaults and highest * 1.05 > defaults["max"] else highest * 1.05)
    if "max" in defaults and highest > 0.5 * defaults["max"]:
        scale = [tick for tick in ticks(defaults["max"]) if tick <= defaults["max"] * 1.0001]
    parts = []

    def place(t, v):
        return x_of(t, span, left, right - left), bottom - (bottom - top) * min(1, max(0, v) / scale[-1])
    for tick in scale:
        y = place(span.start, tick)[1]
        parts.append(f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{BORDER}"/>')
        parts.append(text(left - 7, y + 4, shown(tick, defaults["unit"]), 11, FAINT, "end"))
    for t, label in moments(span.start, span.end):
        parts.append(text(x_of(t, span, left, right - left), bottom + 16, label, 11, FAINT, "middle"))
    for name, color, points, below in layers:
        for piece in pieces(points, span.step):
            places = [place(t, v) for t, v in piece]
            under = [place(t, below.get(t, 0)) for t, _ in piece] if below is not None else [(x, bottom) for x, _ in places]
            parts.append(area(places, under, color, 0.45 if stacked else 0.07))
            parts.append(line(places, color, 1.4))
    if not series:
        parts.append(text((left + right) / 2, (top + bottom) / 2, "no data", 14, FAINT, "middle"))
    parts.append(legend(series, box))
    return "\n".join(parts)


def stack_up(series):
    """Each series on the sum of those before it: (name, color, points, what is below by time)."""
    sums, layers = {}, []
    for name, color, points in series:
        below = {t: sums.get(t, 0) for t, _ in points}
        for t, v in points:
            sums[t] = below[t] + v
        layers.append((name, color, [(t, sums[t]) for t, _ in points], below))
    return layers


def pieces(points, step):
    """Cut where points are missing, as Grafana does."""
    piece = []
    for point in points:
        if piece and point[0] - piece[-1][0] > 1.5 * step:
            yield piece
            piece = []
        piece.append(point)
    if piece:
        yield piece


def legend(series, box):
    """As many names as fit on two lines."""
    parts, x, y, row = [], box.x + 12, box.y + box.h - 28, 0
    for i, (name, color, _) in enumerate(series):
        width = 28 + 6.9 * len(name)
        if x + width > box.x + box.w - (80 if row else 0):
            if row:
                parts.append(text(x, y, f"and {len(series) - i} more", 11, FAINT))
                break
            x, y, row = box.x + 12, y + 17, 1
        parts.append(f'<rect x="{x:.1f}" y="{y - 6:.1f}" width="12" height="3" rx="1" fill="{color}"/>')
        parts.append(text(x + 16, y, name, 11, TEXT))
        x += width
    return "\n".join(parts)


def x_of(t, span, left, width):
    return left + width * (t - span.start) / (span.end - span.start)


def line(places, color, width):
    return f'<polyline fill="none" stroke="{color}" stroke-width="{width}" stroke-linejoin="round" points="{spots(places)}"/>'


def area(places, under, color, opacity):
    return f'<polygon fill="{color}" fill-opacity="{opacity}" points="{spots(places + under[::-1])}"/>'


def spots(places):
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def text(x, y, what, size, color, anchor="start", weight=400):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{color}" text-anchor="{anchor}" font-weight="{weight}">'
            f"{html.escape(what)}</text>")


def clock(seconds):
    return time.strftime("%H:%M:%S", time.gmtime(seconds))
