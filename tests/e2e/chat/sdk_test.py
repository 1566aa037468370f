"""`toolway chat serve` as the official SDKs of OpenAI and Anthropic see it: streamed and not, with calls and their results."""

import json
import pathlib
import sys
import tempfile
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

    FILES = "Let me look.The directory has "

    def test_chat_completions(self):
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]
        self.assertEqual(self.openai.chat.completions.create(model="any", messages=messages).choices[0].message.content, "Hello.")
        pieces = [chunk.choices[0].delta.content or "" for chunk in
                  self.openai.chat.completions.create(model="any", messages=[{"role": "user", "content": "files?"}], stream=True) if chunk.choices]
        self.assertTrue("".join(pieces).startswith(self.FILES), pieces)

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

    def test_tools_of_the_request_are_refused_with_the_way_out(self):
        tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
        with self.assertRaisesRegex(openai.BadRequestError, "tool_calls"):
            self.openai.chat.completions.create(model="any", messages=[{"role": "user", "content": "hi"}], tools=[tool])
        with self.assertRaises(openai.BadRequestError):
            self.openai.chat.completions.create(model="any", messages=[{"role": "robot", "content": "hi"}])

    def test_a_session_of_the_callers_choice(self):
        answer = self.openai.chat.completions.with_raw_response.create(model="any", messages=[{"role": "user", "content": "hi"}],
                                                                       extra_headers={"X-Toolway-Session": "of-sdk"})
        self.assertTrue(answer.headers["x-toolway-call"])


if __name__ == "__main__":
    unittest.main()
