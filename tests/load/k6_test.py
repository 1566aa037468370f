"""The k6 scripts are JavaScript modules that say what the YAML scenarios of their names say.

Needs node, which checks the syntax; k6 itself is not needed. usage: k6_test.py DIRECTORY NODE
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# What needs a stack of one's own, which k6 cannot restart or scale.
OWN_STACK_ONLY = {"server_restart", "scale_workers"}


def check_syntax(node, script):
    """What node says against a module; empty: nothing."""
    with tempfile.TemporaryDirectory() as directory:
        module = pathlib.Path(directory) / (script.stem + ".mjs")  # as a module, whatever the name says
        module.write_bytes(script.read_bytes())
        ran = subprocess.run([node, "--check", str(module)], capture_output=True, text=True, check=False)
        return ran.stderr if ran.returncode else ""


def check_imports(script, exported):
    """What of lib/toolway.js a script uses and does not import, or imports and cannot have."""
    text = script.read_text()
    imported = set(re.search(r"import \{([^}]*)\} from './lib/toolway.js'", text).group(1).replace(" ", "").split(","))
    body = text[text.index("/lib/toolway.js'"):]
    used = {name for name in exported if re.search(rf"(?<![\w.'])({name})\b(?!:)", body)}
    return sorted((used - imported) | (imported - exported))


def milliseconds(text):
    number, unit = re.fullmatch(r"([0-9.]+)(ms|s)", text).groups()
    return float(number) * (1000 if unit == "s" else 1)


def bounds_of_yaml(text):
    """Every bound of p50 and p99, in milliseconds."""
    found = re.findall(r"\b(p50|p99) < ([0-9.]+(?:ms|s))", text)
    return sorted((share, milliseconds(bound)) for share, bound in found)


def bounds_of_script(text):
    names = {"med": "p50", "p(99)": "p99"}
    found = re.findall(r"'(med|p\(99\))<([0-9.]+)'", text)
    return sorted((names[share], float(bound)) for share, bound in found)


def main():
    directory, node = pathlib.Path(sys.argv[1]), sys.argv[2]
    wrong = []
    scripts = {script.stem: script for script in (directory / "k6").glob("*.js")}
    scenarios = {scenario.stem: scenario for scenario in directory.glob("*.yaml")}
    for name in sorted(set(scenarios) - OWN_STACK_ONLY - set(scripts)):
        wrong.append(f"{name}.yaml has no k6/{name}.js")
    for name in sorted(set(scripts) - set(scenarios)):
        wrong.append(f"k6/{name}.js has no {name}.yaml")
    for script in sorted(directory.glob("k6/**/*.js")):
        said = check_syntax(node, script)
        if said:
            wrong.append(f"{script}: {said}")
    exported = set(re.findall(r"export (?:function|const) (\w+)", (directory / "k6/lib/toolway.js").read_text()))
    for name, script in sorted(scripts.items()):
        for what in check_imports(script, exported):
            wrong.append(f"{script}: `{what}` of lib/toolway.js is used and not imported, or is not there")
    for name in sorted(set(scripts) & set(scenarios)):
        of_yaml = bounds_of_yaml(scenarios[name].read_text())
        of_script = bounds_of_script(scripts[name].read_text())
        if of_yaml != of_script:
            wrong.append(f"{name}: thresholds {of_yaml} in YAML, {of_script} for k6")
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(scripts)} k6 scripts, {len(wrong)} mistakes")
    return 1 if wrong or not scripts else 0


if __name__ == "__main__":
    sys.exit(main())
