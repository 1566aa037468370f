"""Python tools as an operator writes them: plain functions, generators, one context argument.

Their specs are in tools.yaml. Nothing here knows of queues, sessions or HTTP.
"""

import csv
from pathlib import Path
from typing import Any, Literal, Optional, TypedDict

from toolway import Context, ToolError

ZONES = Path("/usr/share/zoneinfo/zone1970.tab")


def calculate_sum(numbers: list[float]) -> float:
    """Adds numbers.

    Args:
        numbers: what to add; an empty list has the sum 0
    """
    return sum(numbers)


def zones_by_country(country: str):
    """The time zones of a country, one after the other, from this machine's time zone table.

    Args:
        country: ISO 3166 code of two letters, such as DE
    """
    with ZONES.open(encoding="utf-8") as file:
        rows = [row for row in csv.reader(file, delimiter="\t") if row and not row[0].startswith("#")]
    found = 0
    for number, row in enumerate(rows, start=1):
        codes, coordinates, name = row[0].split(","), row[1], row[2]
        if country.upper() not in codes:
            continue
        found += 1
        yield {
            "progress": number,
            "total": len(rows),
            "message": name,
            "data": {"zone": name, "coordinates": coordinates, "comment": row[3] if len(row) > 3 else ""},
        }
    if not found:
        raise ToolError("unknown_country", f"the table has no zone of '{country}'")
    return {"country": country.upper(), "zones": found, "rows_read": len(rows)}


class Step(TypedDict):
    name: str
    action: Literal["add", "multiply", "wait", "fail"]
    values: list[float]


class Plan(TypedDict):
    steps: list[Step]
    on_failure: Literal["stop", "continue"]


def forge_execute(plan: Plan, topic: Optional[str] = None, *, context: Context):
    """Runs a plan step by step, and says after each one what came out.

    Args:
        plan: its steps in order; `wait` waits that many seconds, `fail` fails. on_failure says
            whether a failed step ends the plan (stop, the default) or not (continue)
        topic: what the plan is about, for those who follow it
    """
    steps = plan["steps"]
    stops = plan.get("on_failure", "stop") == "stop"
    results: list[dict[str, Any]] = []
    for number, step in enumerate(steps, start=1):
        if context.cancelled.is_set():
            raise ToolError("cancelled", f"stopped before step {number} of {len(steps)}")
        result = {"step": step["name"], **_run_step(step, context)}
        results.append(result)
        yield {
            "progress": number,
            "total": len(steps),
            "step": step["name"],
            "message": f"{topic or 'plan'}: {step['name']} {'done' if result['ok'] else 'failed'}",
            "data": result,
        }
        if not result["ok"] and stops:
            break
    failed = sum(not result["ok"] for result in results)
    return {"topic": topic, "completed": len(results) - failed, "failed": failed,
            "skipped": len(steps) - len(results), "results": results}


def _run_step(step: Step, context: Context) -> dict[str, Any]:
    values = step.get("values", [])
    if step["action"] == "add":
        return {"ok": True, "result": sum(values)}
    if step["action"] == "multiply":
        product = 1.0
        for value in values:
            product *= value
        return {"ok": True, "result": product}
    if step["action"] == "wait":
        # Wakes up when the call is cancelled, so that it ends at once.
        context.cancelled.wait(sum(values))
        return {"ok": not context.cancelled.is_set(), "result": None}
    return {"ok": False, "error": "this step was asked to fail"}
