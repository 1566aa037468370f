"""The process that answers messages."""
import unittest

from rendered import pods, render
from test_wiring import value_of


class Chat(unittest.TestCase):
    def rendered(self, *sets):
        return {name: (spec, spec["containers"][0]) for name, _, spec, _ in pods(render((), sets))}

    def test_there_is_none_unless_it_is_asked_for(self):
        self.assertFalse([name for name in self.rendered() if name.endswith("chat")])

    def test_it_knows_its_gateways_its_key_and_its_model(self):
        found = self.rendered("chat.enabled=true", "chat.keySecret.name=chat-key", "chat.env[0].name=TOOLWAY_AI_PROVIDER", "chat.env[0].value=anthropic")
        ((_, container),) = [one for name, one in found.items() if name.endswith("chat")]
        self.assertRegex(value_of(container["args"], "--url"), "^http://.*-gateway:80$")
        variables = {one["name"]: one for one in container["env"]}
        self.assertEqual(variables["TOOLWAY_API_KEY"]["valueFrom"]["secretKeyRef"], {"name": "chat-key", "key": "key"})
        self.assertEqual(variables["TOOLWAY_AI_PROVIDER"]["value"], "anthropic")
        self.assertIn("TOOLWAY_POSTGRES_URL", variables)
        ((_, migration),) = [one for name, one in found.items() if "migrate" in name]
        self.assertIn("chat", value_of(migration["args"], "--pool").split(","))


if __name__ == "__main__":
    unittest.main()
