"""The examples of `toolway VERB --help`, of every verb, as steps of a page. The commands come from the program itself."""

import re
import subprocess

import pages

# What a verb's examples take for granted besides prepared/help.sh, run before each of them.
BEFORE = {
    "call": ["toolway session restore chat"], "session restore": ["toolway session close chat"],
    "calls result": ["toolway call hash_file path=README.md --session chat --wait"],
    "calls cancel": ["toolway call bench.work wait_ms=20000"],
    "calls answer": ["toolway call text.tidy folder=tmp"],
    "calls approve": ["toolway specs put held.yaml", "toolway call shop.ask"], "calls deny": ["toolway specs put held.yaml", "toolway call shop.ask"],
    "tools enable": ["toolway tools disable shop.pay", "toolway tools disable shop"],
    "specs show": ["toolway specs put shop1.yaml"], "specs remove": ["toolway specs put shop1.yaml", "toolway specs put shop.yaml --rollout 10"],
    "specs rollback": ["toolway specs put shop1.yaml", "toolway specs put shop.yaml", "toolway specs put shop.yaml --note again"],
    "extensions show": ["toolway extensions put extensions.yaml"],
    "extensions history": ["toolway extensions put extensions1.yaml", "toolway extensions put extensions.yaml", "toolway extensions put extensions1.yaml"],
    "specs promote": ["toolway specs put shop1.yaml", "toolway specs put shop.yaml --rollout 10"],
}
# By the beginning of the example.
NOT_RUN = {
    "toolway bench": "it measures for 10 s and more; e2e_dev runs it",
    "toolway chat serve": "it serves until it is interrupted; e2e_chat starts it",
    "toolway demo": "README.md runs it, and it would be in the way of the stack",
    "toolway dev --": "it would be in the way of the stack",
    "toolway gateway": "it needs a fleet's servers, as do worker, collector and migrate; integration tests start them",
    "toolway mcp serve": "it waits for a client on standard input; e2e_dev.McpServe starts it",
    "toolway session delete": "what follows needs the session; e2e_dev.Verbs runs it",
    "toolway keys revoke": "a key's id is made at random; e2e_dev.Keys runs it",
    "toolway replay": "its other gateway is not there; e2e_dev.Replay runs it",
    "toolway worker --": "as above", "toolway collector": "as above", "toolway migrate": "as above",
}


def verbs_in(text):
    """The verbs that a help lists, in its order."""
    return re.findall(r"^  ([a-z-]+)  +\S", "\n".join(part for part in text.split("\n\n") if not part.startswith(("Options", "Arguments", "Topics"))), re.M)


def help_of(program, verb):
    return subprocess.run([program, *verb.split(), "--help"], capture_output=True, text=True, check=True).stdout


def all_verbs(program, verb=""):
    """Every verb that does something, by its path: `session open`."""
    text = help_of(program, verb)
    below = verbs_in(text.split("\nExamples:")[0])
    own = [verb] if "\nExamples:" in text else []
    return own + [each for name in below for each in all_verbs(program, f"{verb} {name}".strip())]


def examples(program, verb):
    text = help_of(program, verb).split("\nExamples:\n")[1].split("\n\n")[0]
    return [line.strip() for line in text.split("\n") if line.strip()]


def steps_of_help(program):
    steps = []
    for verb in sorted(all_verbs(program), key=lambda each: each != "session open"):
        for example in examples(program, verb):
            if any(example.startswith(begin) for begin in NOT_RUN):
                continue
            steps += [pages.Step("prepare", 0, command) for command in BEFORE.get(verb, [])]
            steps.append(pages.Step("command", 0, example))
    return steps
