"""What judges the conversations of tests/chat/campaign: each thing that must not be is found."""
import argparse
import json
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parents[1] / "chat"
sys.path[:0] = [str(HERE), str(HERE / "campaign")]
import campaign  # noqa: E402
import strict_model  # noqa: E402

CALL = {"role": "assistant", "parts": [{"call": {"id": "a", "tool": "t", "arguments": "{}"}}]}
RESULT = {"role": "results", "results": [{"call_id": "a", "text": "x", "ran_as": "c1", "detached": True}]}
TOLD = {"role": "injected", "text": "[[SYSTEM: t completed: x]]", "about": ["c1"]}


class FakeStack:
    def __init__(self, directory, messages):
        self.directory, self.found, self.killed_at = pathlib.Path(directory), messages, {}
        self.attempts, self.began = [], {}

    def insist(self, path, raw=False):
        if raw:
            plain = {"toolway": {"format": "toolway", "version": 1, "messages": self.found}, "openai": {"messages": []},
                     "openai-responses": {"input": []}, "anthropic": {"messages": []}}
            return json.dumps(plain[path.split("=")[-1]])
        if path.endswith("/explain"):
            began = self.began.get(path.split("/")[-2])
            return {"attempts": [{"started_at": began}] if began else self.attempts}
        found = [{"number": i + 1, "turn": "t", **one} for i, one in enumerate(self.found)]
        return {"messages": found if "after=0" in path else []}


class Judging(unittest.TestCase):
    def judge(self, messages, effects="", model_wrong=(), turn=None, expected=(), began=()):
        with tempfile.TemporaryDirectory() as directory:
            stack = FakeStack(directory, messages)
            stack.began = dict(began)
            model = argparse.Namespace(wrong=list(model_wrong), faults={}, asked=0)
            made = campaign.Campaign(stack, model, argparse.Namespace(kills=1, interrupts=0, seed=1, talkers=1))
            made.effects.write_text(effects)
            made.sessions, made.expected = ["s"], set(expected)
            if turn:
                found, stack.attempts, stack.killed_at, ended = turn
                made.judge_turn("s", found, {"id": "p", "rounds": []}, ended)
            made.judge()
            return made.wrong

    def test_what_is_as_it_should_be(self):
        self.assertEqual(self.judge([{"role": "user", "text": "x"}, CALL, RESULT, TOLD], "a\nb\n", expected=["a"]), [])

    def test_each_thing_that_must_not_be(self):
        good = [{"role": "user", "text": "x"}, CALL, RESULT, TOLD]
        self.assertIn("a tool ran 2 times: a", self.judge(good, "a\nb\na\n")[0])
        self.assertIn("a tool did not run: c", self.judge(good, "a\n", expected=["c"])[0])
        self.assertIn("told 2 times", self.judge([*good, TOLD])[0])
        self.assertIn("toolway: ", self.judge(good[:2])[0])
        self.assertIn("answered 400", self.judge(good, model_wrong=["x"])[0])

    def test_turns_keep_the_order_in_which_they_began(self):
        def of(*turns):
            return [message for turn in turns for message in ({"role": "user", "text": turn, "turn": turn},
                                                              {"role": "assistant", "parts": [{"text": "ok"}], "turn": turn})]
        self.assertEqual(self.judge(of("1", "2", "3")), [])
        self.assertIn("turn 2 came before 1, which had begun", self.judge(of("2", "1"), began={"1": "10:00", "2": "10:01"})[0])
        self.assertEqual(self.judge(of("2", "1"), began={"1": "10:02", "2": "10:01"}), [], "it had not begun, and has no place")
        mixed = of("1", "2")
        self.assertIn("turns are mixed", self.judge([mixed[0], mixed[2], mixed[3], mixed[1]], began={"1": "10:00", "2": "10:00"})[0])
        self.assertIn("a user's message is there twice: 1", "\n".join(self.judge([*of("1"), {"role": "user", "text": "1", "turn": "1"}])))

    def test_a_turn_ends_well_and_soon_after_a_kill(self):
        ended = {"call_id": "c", "outcome": "succeeded", "attempt": 1, "result": {"reply": "Done with p"}}
        good = [{"role": "user", "text": "x"}]
        self.assertEqual(self.judge(good, turn=(ended, [], {}, 100)), [])
        self.assertIn("the turn ended as", self.judge(good, turn=({**ended, "outcome": "failed"}, [], {}, 100))[0])
        self.assertIn("the turn ended as", self.judge(good, turn=({**ended, "result": {"reply": "Half"}}, [], {}, 100))[0])
        again, attempts = {**ended, "attempt": 3}, [{"worker_id": "w1"}, {"worker_id": "w2"}, {"worker_id": "w3"}]
        self.assertEqual(self.judge(good, turn=(again, attempts, {"w1": 1, "w2": 65, "w3": 101}, 100)), [])
        self.assertIn("35.5 s after a kill", self.judge(good, turn=(again, attempts, {"w1": 1, "w2": 64.5, "w3": 101}, 100))[0])

    def test_calls_that_outlive_their_turn(self):
        self.assertEqual(campaign.detached_in([CALL, RESULT]), ["c1"])


class Model(unittest.TestCase):
    def test_its_next_calls_follow_from_the_conversation(self):
        plan = {"id": "p", "rounds": [[{"tool": "a"}, {"tool": "b"}], [{"tool": "c"}]]}
        said = {"role": "user", "content": "plan:" + json.dumps(plan)}
        result = {"role": "tool", "tool_call_id": "x", "content": "y"}
        told = {"role": "user", "content": "[[SYSTEM: x completed: y]]"}
        for results, tools in ((0, "ab"), (2, "c"), (3, "")):
            found = strict_model.state_of("openai", {"messages": [said, *[result] * results, told]})
            self.assertEqual(found, (plan, results))
            self.assertEqual("".join(call["tool"] for call in strict_model.next_calls(*found)), tools)
        blocks = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "y"}] * 2}
        self.assertEqual(strict_model.state_of("anthropic", {"messages": [said, blocks]}), (plan, 2))
        output = {"type": "function_call_output", "call_id": "x", "output": "y"}
        self.assertEqual(strict_model.state_of("openai-responses", {"input": [said, output]}), (plan, 1))


if __name__ == "__main__":
    unittest.main()
