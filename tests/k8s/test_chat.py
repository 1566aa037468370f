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

    def test_it_may_have_a_role_of_its_own_in_postgres(self):
        found = self.rendered("chat.enabled=true", "chat.postgresSecret.name=toolway-chat")
        secrets = {name: one["valueFrom"]["secretKeyRef"] for name, (_, container) in found.items() for one in container["env"]
                   if one["name"] == "TOOLWAY_POSTGRES_URL"}
        own = {name for name, secret in secrets.items() if secret == {"name": "toolway-chat", "key": "uri"}}
        self.assertEqual([name.endswith("chat") for name in own], [True])
        self.assertGreater(len(secrets), 1)


if __name__ == "__main__":
    unittest.main()
