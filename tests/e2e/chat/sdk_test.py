"""`toolway chat serve` as the official SDKs of OpenAI and Anthropic see it: streamed and not, with calls and their results."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import anthropic
import openai

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
    process = subprocess.Popen([PROGRAM, "chat", "serve", "--script", root / "script.json", "--port-file", root / "port"],
                               stdout=subprocess.DEVNULL)
    unittest.addModuleCleanup(lambda: (process.kill(), process.wait()))
    while not (root / "port").exists():
        assert process.poll() is None
        time.sleep(0.02)
    url = f"http://127.0.0.1:{(root / 'port').read_text()}"


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


if __name__ == "__main__":
    unittest.main()
