"""Numbers as Grafana shows them in a unit, and round ticks for an axis."""
import math
import time


def shown(value, unit):
    """`value` in one of the units that the dashboards use."""
    if not math.isfinite(value):
        return "–"
    if unit == "percentunit":
        return f"{_round(value * 100)} %"
    if unit == "s":
        for factor, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
            if abs(value) >= factor or (value == 0 and name == "s"):
                return f"{_round(value / factor)} {name}"
        return f"{_round(value / 1e-6)} µs"
    if unit.startswith("suffix:"):
        return _round(value) + unit.removeprefix("suffix:")
    if unit in ("bytes", "Bps"):
        return _scaled(value, 1024, ("B", "KiB", "MiB", "GiB", "TiB")) + ("/s" if unit == "Bps" else "")
    suffix = {"reqps": " req/s", "ops": " ops/s"}.get(unit, "")
    return _scaled(value, 1000, ("", "K", "M", "G", "T")).rstrip() + suffix


def _round(value):
    """Three significant digits at most, no trailing zeros."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _scaled(value, base, names):
    for name in names:
        if abs(value) < base or name == names[-1]:
            return f"{_round(value)} {name}"
        value /= base


def ticks(top, count=4):
    """Round numbers from 0 to at least `top`."""
    if top <= 0 or not math.isfinite(top):
        return [0, 1]
    raw = top / count
    power = 10 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999999)
    return [step * i for i in range(math.ceil(top / step - 1e-9) + 1)]


def moments(start, end, count=5):
    """[(seconds, label)] of round times between two times in seconds since 1970, at most `count` and one: full minutes or hours where they fit."""
    step = next((s for s in (5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200) if (end - start) / s <= count), 86400)
    form = "%H:%M:%S" if step < 60 else "%H:%M" if step < 86400 else "%d %b"
    first = math.ceil(start / step) * step
    return [(t, time.strftime(form, time.gmtime(t))) for t in range(first, math.floor(end) + 1, step)]
