"""The k6 scripts make the calls of the YAML scenarios of their names, are judged by the same bounds, and notice what is lost or
there twice.

Needs node, which runs each script against a stand-in for k6 and Toolway (k6_stand_in/); k6 itself is not needed.
usage: k6_test.py DIRECTORY NODE
"""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# What needs a stack of one's own, which k6 cannot restart, scale or kill.
OWN_STACK_ONLY = {"server_restart", "scale_workers", "takeover"}
ALWAYS = {"dropped_iterations": ["count==0"], "toolway_lost": ["count<=0"], "toolway_repeats": ["count==0"]}


def lay_out(directory, into):
    """The scripts where node finds the stand-in under k6's name."""
    shutil.copytree(directory / "k6", into / "k6")
    shutil.copytree(directory / "k6_stand_in", into / "node_modules/k6")
    (into / "package.json").write_text('{"type": "module"}')


def run_script(node, laid_out, name, iterations, fault, scale):
    """What a script asked for and what came of it."""
    ran = subprocess.run(
        [node, str(laid_out / "node_modules/k6/run.js"), str(laid_out / f"k6/{name}.js"), str(iterations), fault],
        capture_output=True, text=True, check=False,
        env={"PATH": os.environ["PATH"], "LOAD_SCALE": str(scale), "TOOLWAY_URL": "http://a,http://b"})
    if ran.returncode:
        raise RuntimeError(f"{name}.js: {ran.stderr}")
    return json.loads(ran.stdout)


def check_imports(script, exported):
    """What of lib/toolway.js a script uses and does not import, or imports and cannot have."""
    text = script.read_text()
    imported = set(re.search(r"import \{([^}]*)\} from './lib/toolway.js'", text).group(1).replace(" ", "").split(","))
    body = text[text.index("/lib/toolway.js'"):]
    used = {name for name in exported if re.search(rf"(?<![\w.'])({name})\b(?!:)", body)}
    return sorted((used - imported) | (imported - exported))


def in_seconds(text):
    number, unit = re.fullmatch(r"([0-9.]+)(ms|s|m|h)", text).groups()
    return float(number) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[unit]


def bounds_of_yaml(text):
    """Every bound of p50 and p99, in milliseconds."""
    found = re.findall(r"\b(p50|p99) < ([0-9.]+(?:ms|s))", text)
    return sorted((share, in_seconds(bound) * 1000) for share, bound in found)


def bounds_of_script(thresholds):
    names = {"med": "p50", "p(99)": "p99"}
    found = [re.fullmatch(r"(med|p\(99\))<([0-9.]+)", each) for bounds in thresholds.values() for each in bounds]
    return sorted((names[each.group(1)], float(each.group(2))) for each in found if each)


def calls_of_yaml(text):
    stages = re.findall(r"\{for: (\w+), rate: (\d+)(?:, to: (\d+))?\}", text)
    return sum(in_seconds(length) * (int(rate) + int(to or rate)) / 2 for length, rate, to in stages)


def iterations_of(scenario):
    if scenario["executor"] == "constant-arrival-rate":
        return scenario["rate"] * in_seconds(scenario["duration"])
    rate, whole = scenario["startRate"], 0
    for stage in scenario["stages"]:
        whole += in_seconds(stage["duration"]) * (rate + stage["target"]) / 2
        rate = stage["target"]
    return whole


def most_vus(scenario, name, ran):
    """VUs that are busy when each iteration takes as long as it may."""
    rate = scenario.get("rate") or max(stage["target"] for stage in scenario["stages"])
    thresholds = ran["options"]["thresholds"]
    bounds = thresholds.get(f"toolway_completion{{scenario:{name}}}", thresholds.get("toolway_completion", []))
    longest = [ran["longest"][name]]
    if name in ran["calls"]:
        longest += [float(bound[len("p(99)<"):]) / 1000 for bound in bounds if bound.startswith("p(99)<")]
    return math.ceil(rate * max(longest))


def check_load(name, text, ran):
    """Where a script's load is not the scenario's."""
    scenarios = ran["options"]["scenarios"]
    calls = round(sum(iterations_of(scenarios[each]) for each in ran["calls"]))
    if calls != round(calls_of_yaml(text)):
        yield f"{name}: {round(calls_of_yaml(text))} calls in YAML, {calls} for k6"
    sessions = sum(int(count) for count in re.findall(r"\bsessions: (\d+)", text))
    called = int((re.findall(r"\bfollowers: (\d+)", text) or [sessions])[0])
    if (ran["sessions"], ran["called"]) != (sessions, called):
        yield f"{name}: {sessions} sessions, {called} of them called, in YAML; {ran['sessions']} and {ran['called']} for k6"
    weights = [(int(weight), rest) for weight, rest in re.findall(r"\{weight: (\d+)([^}]*)\}", text)]
    if weights:
        share = sum(weight for weight, rest in weights if "progress" in rest) / sum(weight for weight, _ in weights)
        if abs(ran["reporting"] - share) > 0.02 and "groups:" not in text:
            yield f"{name}: {share:.0%} of the calls report progress in YAML, {ran['reporting']:.0%} for k6"
    for each, scenario in scenarios.items():
        needed = most_vus(scenario, each, ran)
        if scenario["preAllocatedVUs"] < needed or scenario["maxVUs"] != scenario["preAllocatedVUs"]:
            yield f"{name}: scenario {each} has {scenario['preAllocatedVUs']} VUs from the start and at most {scenario['maxVUs']}; it needs {needed} from the start"


def check_judgement(name, ran):
    """Bounds that are missing, and a run without a fault that is judged bad."""
    thresholds = ran["options"]["thresholds"]
    for metric, bounds in ALWAYS.items():
        if thresholds.get(metric) != bounds:
            yield f"{name}: {metric} is bounded by {thresholds.get(metric)} and not by {bounds}"
    for metric in thresholds:
        if metric.split("{")[0] not in ran["figures"] and metric != "dropped_iterations":
            yield f"{name}: there is no metric {metric}"
    for metric in ("toolway_lost", "toolway_repeats", "toolway_errors"):
        if ran["figures"][metric]["sum"] != 0:
            yield f"{name}: nothing was wrong, and {metric} is {ran['figures'][metric]['sum']}"


def check_faults(node, laid_out, name):
    """Faults that a script does not count, or not all of them."""
    for fault, metric in (("lose", "toolway_lost"), ("twice", "toolway_repeats"), ("again", "toolway_repeats"), ("refuse", "toolway_errors")):
        ran = run_script(node, laid_out, name, 3000, fault, 0.001)
        counted, faults = ran["figures"][metric]["sum"], ran["faults"]
        if faults == 0 or (counted != faults if fault != "refuse" else counted == 0):
            yield f"{name}: fault `{fault}` happened {faults} times, {metric} is {counted}"


def main():
    directory, node = pathlib.Path(sys.argv[1]), sys.argv[2]
    wrong = []
    scripts = {script.stem: script for script in (directory / "k6").glob("*.js")}
    scenarios = {scenario.stem: scenario for scenario in directory.glob("*.yaml")}
    for name in sorted(set(scenarios) - OWN_STACK_ONLY - set(scripts)):
        wrong.append(f"{name}.yaml has no k6/{name}.js")
    for name in sorted(set(scripts) - set(scenarios)):
        wrong.append(f"k6/{name}.js has no {name}.yaml")
    exported = set(re.findall(r"export (?:function|const) (\w+)", (directory / "k6/lib/toolway.js").read_text()))
    for name, script in sorted(scripts.items()):
        for what in check_imports(script, exported):
            wrong.append(f"{script}: `{what}` of lib/toolway.js is used and not imported, or is not there")
    with tempfile.TemporaryDirectory() as temporary:
        laid_out = pathlib.Path(temporary)
        lay_out(directory, laid_out)
        for name in sorted(set(scripts) & set(scenarios)):
            text = scenarios[name].read_text()
            ran = run_script(node, laid_out, name, 2000, "", 1)
            of_yaml, of_script = bounds_of_yaml(text), bounds_of_script(ran["options"]["thresholds"])
            if of_yaml != of_script:
                wrong.append(f"{name}: thresholds {of_yaml} in YAML, {of_script} for k6")
            wrong += check_load(name, text, ran)
            wrong += check_judgement(name, ran)
            wrong += check_faults(node, laid_out, name)
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(scripts)} k6 scripts, {len(wrong)} mistakes")
    return 1 if wrong or not scripts else 0


if __name__ == "__main__":
    sys.exit(main())
