"""`toolway chat serve` as the official SDKs of OpenAI and Anthropic see it: streamed and not, with calls and their results."""

import http.client
import json
import os
import pathlib
import signal
import sys
import tempfile
import time
import unittest

import anthropic
import openai

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[0] / "telemetry"))
from dev_stack import Dev, Served  # noqa: E402

PROGRAM = sys.argv.pop(1)
SCRIPT = {"turns": [{"when": "hello", "replies": [{"text": "Hello, you."}]},
                    {"when": "cut", "replies": [{"text": "Half", "finish": "length"}]},
                    {"replies": [{"text": "Let me see.", "calls": [{"tool": "time.now", "arguments": {"zone": "UTC"}}, {"tool": "plain"}]},
                                 {"text": "It is {{result/hour}}."}]}]}
RESULTS = ('{"hour": 12}', "nothing")


def setUpModule():
    global url
    directory = tempfile.TemporaryDirectory(prefix="toolway-sdk-")
    unittest.addModuleCleanup(directory.cleanup)
    root = pathlib.Path(directory.name)
    (root / "script.json").write_text(json.dumps(SCRIPT))
    served = Served(PROGRAM, root / "script.json")
    unittest.addModuleCleanup(served.__exit__)
    url = served.__enter__()


class OpenAi(unittest.TestCase):
    def setUp(self):
        self.client = openai.OpenAI(base_url=url + "/v1", api_key="none", max_retries=0)
        self.addCleanup(self.client.close)

    def test_chat_completions(self):
        messages = [{"role": "user", "content": "what time is it?"}]
        message = self.client.chat.completions.create(model="m", messages=messages).choices[0].message
        self.assertEqual([call.function.name for call in message.tool_calls], ["time__now", "plain"])
        messages.append(message.model_dump(exclude_none=True))
        messages += [{"role": "tool", "tool_call_id": call.id, "content": text} for call, text in zip(message.tool_calls, RESULTS)]
        with self.client.chat.completions.stream(model="m", messages=messages, stream_options={"include_usage": True}) as stream:
            last = stream.get_final_completion()
        self.assertEqual(last.choices[0].message.content, "It is 12.")
        self.assertGreater(last.usage.prompt_tokens, 0)

    def test_chat_completions_streamed_calls(self):
        with self.client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "time?"}]) as stream:
            choice = stream.get_final_completion().choices[0]
        self.assertEqual(choice.finish_reason, "tool_calls")
        self.assertEqual(choice.message.content, "Let me see.")
        self.assertEqual(json.loads(choice.message.tool_calls[0].function.arguments), {"zone": "UTC"})

    def test_responses(self):
        items = [{"role": "user", "content": "what time is it?"}]
        reply = self.client.responses.create(model="m", input=items, store=False)
        items += [item.model_dump(exclude_none=True) for item in reply.output]
        calls = [item for item in reply.output if item.type == "function_call"]
        items += [{"type": "function_call_output", "call_id": call.call_id, "output": text} for call, text in zip(calls, RESULTS)]
        deltas = []
        for event in self.client.responses.create(model="m", input=items, store=False, stream=True):
            if event.type == "response.output_text.delta":
                deltas.append(event.delta)
            elif event.type == "response.completed":
                self.assertEqual(event.response.output_text, "It is 12.")
        self.assertEqual("".join(deltas), "It is 12.")
        cut = self.client.responses.create(model="m", input="cut", store=False)
        self.assertEqual((cut.status, cut.incomplete_details.reason), ("incomplete", "max_output_tokens"))

    def test_a_call_without_a_result_is_refused(self):
        call = {"id": "a", "type": "function", "function": {"name": "t", "arguments": "{}"}}
        with self.assertRaises(openai.BadRequestError) as refused:
            self.client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": [call]}])
        self.assertIn("has no result", str(refused.exception))


class Anthropic(unittest.TestCase):
    def setUp(self):
        self.client = anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)
        self.addCleanup(self.client.close)

    def test_messages(self):
        messages = [{"role": "user", "content": "what time is it?"}]
        with self.client.messages.stream(model="m", max_tokens=100, messages=messages) as stream:
            self.assertEqual("".join(stream.text_stream), "Let me see.")
            reply = stream.get_final_message()
        calls = [block for block in reply.content if block.type == "tool_use"]
        self.assertEqual((reply.stop_reason, calls[0].name, calls[0].input), ("tool_use", "time__now", {"zone": "UTC"}))
        messages.append({"role": "assistant", "content": [block.model_dump(include={"type", "text", "id", "name", "input"}) for block in reply.content]})
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": text}
                                                     for call, text in zip(calls, RESULTS)]})
        last = self.client.messages.create(model="m", max_tokens=100, messages=messages)
        self.assertEqual((last.content[0].text, last.stop_reason), ("It is 12.", "end_turn"))

    def test_a_call_without_a_result_is_refused(self):
        block = {"type": "tool_use", "id": "a", "name": "t", "input": {}}
        with self.assertRaises(anthropic.BadRequestError) as refused:
            self.client.messages.create(model="m", max_tokens=1, messages=[{"role": "user", "content": "x"}, {"role": "assistant", "content": [block]}])
        self.assertIn("has no result", str(refused.exception))


class Faces(unittest.TestCase):
    """A gateway with a chat process: its tools run on the server's side."""

    @classmethod
    def setUpClass(cls):
        cls.dev = Dev(PROGRAM, "--chat", "--script", HERE / "server_script.yaml", "--root", HERE)
        cls.addClassCleanup(cls.dev.__exit__)
        cls.dev.__enter__()
        cls.url = cls.dev.ready["http"]

    def setUp(self):
        self.openai = openai.OpenAI(base_url=self.url + "/v1", api_key="none", max_retries=0)
        self.addCleanup(self.openai.close)
        self.anthropic = anthropic.Anthropic(base_url=self.url, api_key="none", max_retries=0)
        self.addCleanup(self.anthropic.close)

    FILES = "Let me look.\n\nThe directory has "

    def test_chat_completions(self):
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]
        self.assertEqual(self.openai.chat.completions.create(model="any", messages=messages).choices[0].message.content, "Hello.")
        asked = {"model": "any", "messages": [{"role": "user", "content": "files?"}], "stream": True}
        pieces = [chunk.choices[0].delta.content or "" for chunk in self.openai.chat.completions.create(**asked)]
        self.assertTrue("".join(pieces).startswith(self.FILES), pieces)
        *_, last = self.openai.chat.completions.create(**asked, stream_options={"include_usage": True})
        self.assertEqual(last.choices, [])
        self.assertGreater(last.usage.prompt_tokens, 0)

    def test_responses(self):
        self.assertEqual(self.openai.responses.create(model="any", input="hi").output_text, "Hello.")
        with self.openai.responses.stream(model="any", input="files?") as stream:
            text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        self.assertTrue(text.startswith(self.FILES), text)

    def test_messages(self):
        asked = {"model": "any", "max_tokens": 4096}
        reply = self.anthropic.messages.create(**asked, messages=[{"role": "user", "content": "hi"}])
        self.assertEqual(reply.content[0].text, "Hello.")
        with self.anthropic.messages.stream(**asked, messages=[{"role": "user", "content": "files?"}]) as stream:
            text = "".join(stream.text_stream)
        self.assertTrue(text.startswith(self.FILES), text)

    def turns(self, session):
        """The turns of a session, which opens with its first request."""
        calls = json.loads(self.dev.ask(f"/v1/sessions/{session}/calls"))["calls"]
        return [call for call in calls if call["tool"] == "turn"]

    def eventually(self, what, seconds=20):
        deadline = time.monotonic() + seconds
        while not (found := what()):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        return found

    def post(self, session, body, **headers):
        """A connection that was asked, and may be left."""
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"))
        connection.request("POST", "/v1/chat/completions", json.dumps({"model": "any", **body}),
                           {"Content-Type": "application/json", "X-Toolway-Session": session, **headers})
        self.addCleanup(connection.close)
        return connection

    def test_a_turn_that_failed_is_not_tried_again(self):
        """Clients try again by themselves, and its tools would run again."""
        self.dev.ask("/v1/sessions", {"session_id": "mistakes", "namespaces": ["*"]}, 201)
        usual = {"default_headers": {"X-Toolway-Session": "mistakes"}, "api_key": "none"}
        messages = [{"role": "user", "content": "Make the same mistake."}]
        with self.assertRaisesRegex(openai.BadRequestError, "same failing call"), openai.OpenAI(base_url=self.url + "/v1", **usual) as client:
            client.chat.completions.create(model="any", messages=messages)
        with self.assertRaisesRegex(anthropic.BadRequestError, "same failing call"), anthropic.Anthropic(base_url=self.url, **usual) as client:
            client.messages.create(model="any", max_tokens=100, messages=messages)
        self.assertEqual(len(self.eventually(lambda: self.turns("mistakes"))), 2)

    def test_a_client_that_goes_away_has_its_turn_cancelled(self):
        for stream in (False, True):
            session = f"left-{stream}"
            self.dev.ask("/v1/sessions", {"session_id": session, "namespaces": ["*"]}, 201)
            connection = self.post(session, {"stream": stream, "messages": [{"role": "user", "content": "think long"}]})
            self.eventually(lambda: self.turns(session))
            connection.sock.close()
            self.assertEqual(self.eventually(lambda: [turn for turn in self.turns(session) if turn["state"] == "completed"])[0]["outcome"], "cancelled")

    def test_clients_that_go_away_at_any_moment_harm_no_one(self):
        """A gateway crashed when the completion of such a turn came while it was cancelled."""
        gateway = self.dev.pid_of("gateway")
        self.dev.ask("/v1/sessions", {"session_id": "leaving", "namespaces": ["*"]}, 201)
        for number in range(80):
            connection = self.post("leaving", {"stream": number % 4 == 0, "messages": [{"role": "user", "content": "think long"}]})
            time.sleep(number % 40 * 0.002)
            connection.sock.close()
        self.eventually(lambda: all(turn["state"] == "completed" for turn in self.turns("leaving")))
        self.assertEqual(self.dev.pid_of("gateway"), gateway)

    def test_a_request_that_comes_again_under_its_key_gets_the_same_turn(self):
        asked = {"messages": [{"role": "user", "content": "hi"}]}
        self.dev.ask("/v1/sessions", {"session_id": "keyed", "namespaces": ["*"]}, 201)
        answers = [self.post("keyed", asked, **{"Idempotency-Key": "k"}).getresponse() for _ in range(2)]
        self.assertEqual(answers[0].headers["x-toolway-call"], answers[1].headers["x-toolway-call"])
        self.assertEqual(answers[0].read(), answers[1].read())
        refused = self.post("keyed", {"messages": [{"role": "user", "content": "bye"}]}, **{"Idempotency-Key": "k"}).getresponse()
        self.assertEqual(refused.status, 400, refused.read())

    def streamed_though_killed(self, message, after):
        """What is read of a turn whose process is killed once its text has ended so."""
        text = ""
        stream = self.openai.chat.completions.create(model="any", messages=[{"role": "user", "content": message}], stream=True, timeout=90)
        for chunk in stream:
            if not chunk.choices:
                continue
            text += chunk.choices[0].delta.content or ""
            if text.endswith(after):
                os.kill(self.dev.pid_of("chat"), signal.SIGKILL)
        return text

    def test_text_is_shown_once_though_another_process_says_it_again(self):
        text = self.streamed_though_killed("speak slowly", "three")
        self.assertEqual(text, "one two three four five six seven eight nine ten eleven twelve")

    def test_messages_before_calls_are_shown_once_though_another_process_says_them_again(self):
        """Nothing of such a turn is stored: another process begins with its first message."""
        text = self.streamed_though_killed("look slowly", "three")
        self.assertEqual(text, "Let me look.\n\none two three four five six seven eight")

    def test_requests_that_are_not_served_are_refused_in_the_words_of_the_api(self):
        with self.assertRaisesRegex(openai.NotFoundError, "nothing is served") as refused:
            self.openai.responses.retrieve("resp_1")
        self.assertEqual((refused.exception.code, refused.exception.type), ("not_found", "not_found_error"))
        with self.assertRaisesRegex(anthropic.NotFoundError, "nothing is served") as refused:
            self.anthropic.messages.count_tokens(model="m", messages=[{"role": "user", "content": "hi"}])
        self.assertEqual(refused.exception.body["error"]["code"], "not_found")

    def test_models_are_those_of_the_chat_processes(self):
        self.assertEqual([model.id for model in self.openai.models.list()], ["scripted"])
        found = self.openai.models.retrieve("scripted")
        self.assertEqual((found.id, found.object, found.owned_by), ("scripted", "model", "toolway"))
        self.assertLess(abs(time.time() - found.created), 3600)
        with self.assertRaisesRegex(openai.NotFoundError, "no chat process has this model; there are: scripted"):
            self.openai.models.retrieve("gpt-5")
        self.assertEqual([model.id for model in self.anthropic.models.list(limit=1)], ["scripted"])
        found = self.anthropic.models.retrieve("scripted")
        self.assertEqual((found.id, found.type, found.display_name, found.created_at.year), ("scripted", "model", "scripted", time.gmtime().tm_year))
        with self.assertRaisesRegex(anthropic.NotFoundError, "there are: scripted"):
            self.anthropic.models.retrieve("claude")

    def test_what_would_change_the_meaning_is_refused(self):
        for name, value in {"n": 2, "response_format": {"type": "json_object"}, "stop": "x", "logprobs": True}.items():
            with self.assertRaisesRegex(openai.BadRequestError, name):
                self.openai.chat.completions.create(model="any", messages=[{"role": "user", "content": "hi"}], **{name: value})
        with self.assertRaisesRegex(openai.BadRequestError, "previous_response_id"):
            self.openai.responses.create(model="any", input="hi", previous_response_id="resp_1")

    def test_tools_of_the_request_are_refused_with_the_way_out(self):
        tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
        with self.assertRaisesRegex(openai.BadRequestError, "tool_calls"):
            self.openai.chat.completions.create(model="any", messages=[{"role": "user", "content": "hi"}], tools=[tool])
        with self.assertRaises(openai.BadRequestError):
            self.openai.chat.completions.create(model="any", messages=[{"role": "robot", "content": "hi"}])

    def test_a_session_of_the_callers_choice(self):
        mistyped = {"messages": [{"role": "user", "content": "hi"}], "extra_headers": {"X-Toolway-Session": "of-skd"}}
        with self.assertRaisesRegex(openai.NotFoundError, "no session"):
            self.openai.chat.completions.create(model="any", **mistyped)
        self.dev.ask("/v1/sessions", {"session_id": "of-sdk", "namespaces": ["*"]}, 201)
        answer = self.openai.chat.completions.with_raw_response.create(model="any", messages=[{"role": "user", "content": "hi"}],
                                                                       extra_headers={"X-Toolway-Session": "of-sdk"})
        self.assertTrue(answer.headers["x-toolway-call"])


if __name__ == "__main__":
    unittest.main()
