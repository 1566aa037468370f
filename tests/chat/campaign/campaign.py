#!/usr/bin/env python3
"""Conversations whose chat processes are killed in mid-turn, or that everything else happens to as well; then what became of them is judged.

usage: campaign.py PROGRAM [--kills N] [--interrupts N] [--seed S] [--talkers N] [--chats N]

--kills N        kills chat processes (-9), a second from one to the next, until N turns were killed in mid-turn. Every turn must succeed, at
                 most 35 s after the last kill that it saw, with every write of its tools done once, and every call that outlived its turn,
                 or that no model made, told once. Turns are in the order in which they were accepted.
--interrupts N   stops and interrupts turns, kills chat processes, gateway, worker and Postgres, has the model fail in twelve ways, and sets
                 limits, until N such things happened. Turns may fail; histories must stay valid, and no tool may run twice.
Both             the model is as strict as the APIs, and must never find a reason for 400; `strict_check.py` judges each history in four formats.
"""

import argparse
import collections
import itertools
import json
import random
import sys
import threading
import time
import urllib.error

from stack import Stack
from strict_model import StrictModel
import strict_check

FORMATS = ("toolway", "openai", "openai-responses", "anthropic")
ENDS_WITHIN_S = 35
KILL_INTERVAL_S = 1.0
SESSION_TURNS = 12  # then a talker begins another session
# Tokens: less than such a session has, so that a turn reads and sends a part of it.
SMALL_WINDOW = 6000
SHOWN = 5


class Campaign:
    def __init__(self, stack, model, options):
        self.stack, self.model, self.options = stack, model, options
        self.lock = threading.Lock()
        self.done = threading.Event()
        self.effects = stack.directory / "effects.log"
        self.effects.touch()
        self.sessions, self.wrong = [], []
        self.turns = collections.Counter()  # by outcome
        self.happened = collections.Counter()
        self.takeovers, self.slowest, self.came_late = 0, 0.0, 0
        self.expected = set()  # what tools must have written
        self.elsewhere = collections.defaultdict(set)  # by session: calls that no model made

    def fail(self, what):
        with self.lock:
            self.wrong.append(what)

    # What users do.
    def talk(self, number):
        rng = random.Random(f"{self.options.seed}-{number}")
        for part in range(10**6):
            if self.done.is_set():
                return
            session = f"talk-{number}-{part}"
            self.stack.insist("/v1/sessions", {"session_id": session, "namespaces": ["shop", "tasks"]})
            with self.lock:
                self.sessions.append(session)
            for turn in range(SESSION_TURNS):
                if self.done.is_set():
                    return
                try:
                    self.turn(session, f"{number}.{part}.{turn}", rng)
                except Exception as error:  # noqa: BLE001 what a talker cannot do is a finding, whatever it is
                    self.fail(f"{session}: {type(error).__name__}: {error}")

    def plan(self, name, rng):
        rounds, count = [], 0
        for _ in range(rng.choice((0, 1, 1, 2))):
            calls = []
            for _ in range(rng.choice((1, 1, 2, 3))):
                arguments = {"effects": str(self.effects), "text": f"{name}.{count}"}
                slow = rng.random() < 0.6
                if slow:
                    arguments["seconds"] = rng.choice((0.2, 0.6, 1.4))
                calls.append({"tool": "shop__slow_note" if slow else "shop__note", "arguments": arguments})
                count += 1
            rounds.append(calls)
        return {"id": name, "rounds": rounds}

    def turn(self, session, name, rng):
        plan = self.plan(name, rng)
        # They hold for the conversation, so each message says all.
        options = {"on_completion": "turn", "inline_ms": 0 if rng.random() < 0.3 else 20_000, "max_iterations": 10}
        if self.options.interrupts and rng.random() < 0.1:
            options["max_iterations"] = 1
            self.count("limit")
        body = {"content": "plan:" + json.dumps(plan), "options": options}
        if self.options.interrupts and rng.random() < 0.1:
            body["on_busy"] = "interrupt"
        # What ended before a conversation began is not told.
        if rng.random() < 0.15 and self.stack.insist(f"/v1/sessions/{session}/messages?limit=1")["messages"]:
            self.call_elsewhere(session, name)
        call = self.begin(session, body, name)
        if call is None:
            return
        # Now and then the next message comes while this turn runs.
        if rng.random() < 0.1:
            return
        self.wait(session, call, plan)

    def call_elsewhere(self, session, name):
        """A program calls a tool of the session, and not its model."""
        text = f"elsewhere-{name}"
        body = {"tool": "shop.note", "arguments": {"effects": str(self.effects), "text": text}}
        call = self.begin(session, body, text, "calls")
        if call is not None:
            with self.lock:
                self.elsewhere[session].add(call)
                if self.options.kills:
                    self.expected.add(text)

    def begin(self, session, body, name, what="messages"):
        while not self.done.is_set():
            try:
                return self.stack.ask(f"/v1/sessions/{session}/{what}", body, **{"Idempotency-Key": name})["call_id"]
            except urllib.error.HTTPError as error:
                if error.code not in (409, 429, 500, 502, 503, 504):
                    raise
            except OSError:
                pass
            time.sleep(0.2)
        return None

    def wait(self, session, call, plan):
        deadline = time.monotonic() + 240
        while True:
            found = self.stack.insist(f"/v1/calls/{call}")
            if found["state"] == "completed":
                break
            if time.monotonic() > deadline:
                return self.fail(f"{session}: turn {call} did not end within four minutes: {found}")
            time.sleep(0.1)
        self.judge_turn(session, found, plan, time.monotonic())

    def judge_turn(self, session, found, plan, ended):
        with self.lock:
            self.turns[found["outcome"]] += 1
            self.takeovers += found["attempt"] - 1
        if not self.options.kills:
            return
        if found["outcome"] != "succeeded" or found["result"]["reply"] != "Done with " + plan["id"]:
            self.fail(f"{session}: the turn ended as {found}")
        with self.lock:
            self.expected |= {one["arguments"]["text"] for calls in plan["rounds"] for one in calls}
        if found["attempt"] > 1:
            attempts = self.stack.insist(f"/v1/calls/{found['call_id']}/explain")["attempts"]
            kills = [self.stack.killed_at[one["worker_id"]] for one in attempts if one["worker_id"] in self.stack.killed_at]
            took = ended - max((at for at in kills if at <= ended), default=ended)
            with self.lock:
                self.slowest = max(self.slowest, took)
            if took > ENDS_WITHIN_S:
                self.fail(f"{session}: turn {found['call_id']} ended {took:.1f} s after a kill: {attempts}")

    # What happens to them.
    def count(self, what):
        with self.lock:
            self.happened[what] += 1

    def kill_chats(self):
        rng = random.Random(self.options.seed)
        while self.takeovers < self.options.kills:
            begun = time.monotonic()
            self.stack.kill_chat(rng.randrange(len(self.stack.chats)))
            self.count("kill of a chat process")
            time.sleep(max(0.0, KILL_INTERVAL_S - (time.monotonic() - begun)))

    def interrupt(self):
        rng = random.Random(self.options.seed)
        last_server = time.monotonic()
        while sum(self.happened.values()) + sum(self.model.faults.values()) < self.options.interrupts:
            what = rng.choices(("stop", "chat", "gateway", "worker", "postgres"), (80, 12, 3, 3, 3))[0]
            if what == "stop":
                with self.lock:
                    session = rng.choice(self.sessions[-2 * self.options.talkers:]) if self.sessions else None
                try:
                    if session:
                        self.stack.ask(f"/v1/sessions/{session}/stop", {})
                        self.count("stop")
                except OSError:
                    pass
            elif what == "chat":
                self.stack.kill_chat(rng.randrange(len(self.stack.chats)))
                self.count("kill of a chat process")
            elif time.monotonic() - last_server > 10:
                last_server = time.monotonic()
                self.stack.kill(what)
                self.count(f"kill of the {what}" if what != "postgres" else "kill of Postgres")
            time.sleep(0.1)

    # What became of them.
    def settle(self):
        """Waits until every turn has ended."""
        for session in self.sessions:
            deadline = time.monotonic() + 180
            while True:
                calls = self.stack.insist(f"/v1/sessions/{session}/calls?limit=200")["calls"]
                open_ = [one for one in calls if one["state"] != "completed"]
                if not open_ and not self.stack.insist(f"/v1/sessions/{session}/messages?limit=1")["turn"] and self.all_told(session):
                    break
                if time.monotonic() > deadline:
                    self.fail(f"{session}: it does not come to an end: {open_ or 'calls whose end is not told'}")
                    break
                time.sleep(0.2)

    def messages(self, session):
        found, after = [], 0
        while True:
            page = self.stack.insist(f"/v1/sessions/{session}/messages?limit=100&after={after}")["messages"]
            if not page:
                return found
            found += page
            after = page[-1]["number"]

    def all_told(self, session):
        if not self.options.kills:
            return True
        messages = self.messages(session)
        told = {call for message in messages for call in message.get("about", [])}
        # What no model called begins no turn.
        if not self.elsewhere[session] <= told:
            body = {"content": "plan:" + json.dumps({"id": "last", "rounds": []})}
            call = self.stack.insist(f"/v1/sessions/{session}/messages", body)["call_id"]
            while self.stack.insist(f"/v1/calls/{call}")["state"] != "completed":
                time.sleep(0.1)
            return False
        return set(detached_in(messages)) <= told

    def judge_order(self, session, history):
        """Turns have ids that rise as they are accepted. None comes before one that had begun earlier; none is mixed with another."""
        turns = [turn for turn, _ in itertools.groupby(message["turn"] for message in history)]
        if len(turns) != len(set(turns)):
            self.fail(f"{session}: turns are mixed: {turns}")
        for place, later in enumerate(turns):
            for earlier in turns[place + 1:]:
                if earlier > later:
                    continue
                self.came_late += 1
                if self.began(earlier) < self.began(later):
                    self.fail(f"{session}: turn {later} came before {earlier}, which had begun: {turns}")
        said = collections.Counter(message["text"] for message in history if message["role"] == "user")
        for text in (text for text, times in said.items() if times > 1 and '"last"' not in text):
            self.fail(f"{session}: a user's message is there twice: {text}")

    def judge_empty(self, session):
        """It was opened when the campaign ended, or no turn of it got as far as its message."""
        for call in self.stack.insist(f"/v1/sessions/{session}/calls?limit=200")["calls"]:
            if call["outcome"] == "succeeded":
                self.fail(f"{session}: call {call['call_id']} succeeded, but the session has no messages")

    def began(self, call):
        return self.stack.insist(f"/v1/calls/{call}/explain")["attempts"][0]["started_at"]

    def judge(self):
        lines = collections.Counter(self.effects.read_text().split())
        for line, times in lines.items():
            if times > 1:
                self.fail(f"a tool ran {times} times: {line}")
        for line in sorted(self.expected - set(lines)):
            self.fail(f"a tool did not run: {line}")
        messages = injected = told_elsewhere = 0
        for session in self.sessions:
            history = self.messages(session)
            messages += len(history)
            told = collections.Counter(call for message in history for call in message.get("about", []))
            injected += len(told)
            for call, times in told.items():
                if times > 1:
                    self.fail(f"{session}: the end of call {call} is told {times} times")
            told_elsewhere += len(self.elsewhere[session] & set(told))
            numbers = [message["number"] for message in history]
            if numbers != list(range(1, len(numbers) + 1)):
                self.fail(f"{session}: messages {numbers}")
            if not history:
                self.judge_empty(session)
                continue
            if self.options.kills:
                self.judge_order(session, history)
            for name in FORMATS:
                text = self.stack.insist(f"/v1/sessions/{session}/export?format={name}", raw=True)
                if why := strict_check.check(name, text):
                    self.fail(f"{session}: {name}: {why}")
        self.wrong += [f"the model would have answered 400: {what}" for what in self.model.wrong]
        return {"turns": dict(self.turns), "killed in mid-turn": self.takeovers, "ended at most after a kill, s": round(self.slowest, 1),
                "turns that came after a later one": self.came_late,
                "happened": dict(self.happened), "faults of the model": {name: n for name, n in self.model.faults.items() if n},
                "requests to the model": self.model.asked, "sessions": len(self.sessions), "messages": messages,
                "writes of tools": len(lines), "ends of calls that were told": injected,
                "of them of calls that no model made": told_elsewhere}

    def run(self):
        talkers = [threading.Thread(target=self.talk, args=(number,)) for number in range(self.options.talkers)]
        for one in talkers:
            one.start()
        try:
            if self.options.kills:
                self.kill_chats()
            else:
                self.interrupt()
        finally:
            self.done.set()
            for one in talkers:
                one.join()
        self.settle()
        return self.judge()


def detached_in(messages):
    return [result["ran_as"] for message in messages if message["role"] == "results" for result in message["results"]
            if result.get("detached") and result.get("ran_as")]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--interrupts", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--talkers", type=int, default=24)
    parser.add_argument("--chats", type=int, default=6)
    options = parser.parse_args(arguments)
    if (options.kills > 0) == (options.interrupts > 0):
        parser.error("one of --kills and --interrupts")
    model = StrictModel(options.seed, 0.25 if options.interrupts else 0)
    begun = time.monotonic()
    small = ("--context-window", str(SMALL_WINDOW)) if options.interrupts else ()
    with Stack(options.program, model.url(), options.chats, small) as stack:
        campaign = Campaign(stack, model, options)
        told = campaign.run()
    print(json.dumps({"seed": options.seed, "seconds": round(time.monotonic() - begun), **told, "wrong": len(campaign.wrong)}, indent=1))
    for what in campaign.wrong[:SHOWN]:
        print(what, file=sys.stderr)
    return 1 if campaign.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
