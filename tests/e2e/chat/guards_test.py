"""What keeps a turn in its session, with callers who are asked who they are: its token and the chat process's own key count together alone, and a
`session_id` among the arguments of a model's call is an argument that the tool does not have."""

import json
import sys
import unittest

from conversation_case import KeyCase

PROGRAM = sys.argv.pop(1)
POLICY = """
roles:
  agent: {permissions: ["call:filesystem.*", "call:tasks.*"]}
  chat: {permissions: ["chat:act", "chat:continue"]}
"""
SCRIPT = """
turns:
  - when: smuggle
    replies:
      - calls:
          - {tool: filesystem.list_directory, arguments: {path: ".", session_id: two}}
          - {tool: filesystem.list_directory, arguments: {path: "."}}
      - text: 'It said: {{result}}'
  - replies: [{text: Hello.}]
"""


class Guards(KeyCase):
    program = PROGRAM

    @classmethod
    def setUpClass(cls):
        cls.begin(POLICY, SCRIPT)
        cls.ann, cls.chat = cls.key("ann", "agent"), cls.key("chat", "chat")
        for session in ("one", "two"):
            cls.ask("/v1/sessions", cls.ann, {"session_id": session, "namespaces": ["filesystem", "tasks"]}, 201)

    def calls(self, session):
        page = self.ask(f"/v1/sessions/{session}/calls", self.ann)
        return sorted(call["tool"] for call in page["calls"])

    def test_the_key_of_a_chat_process_does_nothing_without_a_token(self):
        self.ask("/v1/sessions/one/messages", self.ann, {"content": "hi"}, Prefer="wait=60")
        before = self.calls("one")
        message = {"role": "assistant", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "filesystem__list_directory", "arguments": "{}"}}]}
        for path, body in (("/tool_calls?format=openai", message), ("/messages", {"content": "hi"}), ("/messages", {"continue": True}),
                           ("/calls", {"tool": "filesystem.list_directory", "arguments": {}})):
            problem = self.ask("/v1/sessions/one" + path, self.chat, body, 401)
            self.assertEqual(problem["code"], "unauthenticated", path)
            self.assertIn("X-Toolway-On-Behalf", problem["detail"], path)
        for path in ("/v1/sessions/one/messages", "/v1/sessions", "/v1/calls", "/v1/tools", "/v1/approvals"):
            self.ask(path, self.chat, None, 401)
        # Nor in a session of its own.
        self.ask("/v1/sessions", self.chat, {"session_id": "own", "namespaces": ["filesystem"]}, 401)
        self.assertEqual(self.calls("one"), before)

    def test_tools_come_in_the_same_order_each_time(self):
        """Providers keep what comes first of a request, as long as it has the same bytes."""
        self.ask("/v1/sessions", self.ann, {"session_id": "three", "namespaces": ["tasks", "filesystem"]}, 201)
        for form in ("openai", "openai-responses", "anthropic"):
            lists = [json.dumps(self.ask(f"/v1/sessions/{session}/tools?format={form}", self.ann)["tools"]) for session in ("one", "three", "one")]
            self.assertGreater(len(json.loads(lists[0])), 3)
            self.assertEqual(lists, [lists[0]] * 3, form)

    def test_a_session_among_the_arguments_is_an_argument(self):
        said = self.ask("/v1/sessions/one/messages", self.ann, {"content": "Please smuggle."}, Prefer="wait=60")
        self.assertEqual(said["outcome"], "succeeded", said)
        results = [message for message in self.ask("/v1/sessions/one/messages", self.ann)["messages"] if message["role"] == "results"][-1]["results"]
        self.assertEqual([result.get("is_error", False) for result in results], [True, False], results)
        self.assertIn("session_id", results[0]["text"])
        self.assertEqual(self.calls("two"), [], "nothing ran in the session that was named")
        # A tool that gateways answer themselves looks in the session of the turn.
        call = self.ask("/v1/sessions/two/calls", self.ann, {"tool": "filesystem.list_directory", "arguments": {"path": "."}}, Prefer="wait=30")["call_id"]
        for arguments in ({"call_id": call}, {"call_id": call, "session_id": "two"}):
            model = {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {
                "name": "tasks__check_task_status", "arguments": json.dumps(arguments)}}]}
            answer = self.ask("/v1/sessions/one/tool_calls?format=openai", self.ann, model)
            self.assertTrue(answer["messages"][0]["content"].startswith("tool_error: "), answer)


if __name__ == "__main__":
    unittest.main()
