"""Values that are wrong are refused, with words that say where."""
import json
import unittest

from rendered import CHART, EXAMPLES, template

REFUSED = [
    ("image.tga=x", "tga"),
    ("logLevel=loud", "logLevel"),
    ("logFormat=xml", "logFormat"),
    ("nats.replicas=2", "replicas"),
    ("nats.keys.worker=", "worker"),
    ("nats.url=http://nats:4222", "url"),
    ("nats.monitoring.endpoint=http://nats:8222", "endpoint"),
    ("postgres.existingSecret=Not A Name", "existingSecret"),
    ("gateway.replicas=-1", "replicas"),
    ("gateway.replicas=two", "replicas"),
    ("gateway.trustUserHeader={everybody}", "trustUserHeader"),
    ("gateway.auth.methods=keys\\,keys", "methods"),
    ("gateway.auth.methods=", "methods"),
    ("gateway.allowOrigins={app.example}", "allowOrigins"),
    ("gateway.service.type=ExternalName", "type"),
    ("gateway.service.targetPort=8081", "targetPort"),
    ("gateway.service.targetPort=Proxy", "targetPort"),
    ("gateway.extraContainers[0].name=proxy", "image"),
    ("gateway.extraContainers[0].name=gateway,gateway.extraContainers[0].image=x", "name"),
    ("gateway.extraContainers[0].name=p,gateway.extraContainers[0].image=x,gateway.extraContainers[0].ports[0].name=http,"
     "gateway.extraContainers[0].ports[0].containerPort=8081", "ports"),
    ("gateway.extraContainers[0].name=p,gateway.extraContainers[0].image=x,gateway.extraContainers[0].ports[0].name=proxy,"
     "gateway.extraContainers[0].ports[0].containerPort=8080", "containerPort"),
    ("gateway.extraVolumes[0].name=tmp", "extraVolumes"),
    ("gateway.extraFiles.a/b=x", "a/b"),
    ("gateway.specs.urls={ftp://specs}", "urls"),
    ("migration.when=after", "when"),
    ("pools.Native.slots=1", "Native"),
    ("pools.gpu.replicas=1", "slots"),
    ("pools.native.slots=0", "slots"),
    ("pools.native.slots=1001", "slots"),
    ("pools.native.partitions=3", "partitions"),
    ("pools.native.terminationGracePeriodSeconds=19", "terminationGracePeriodSeconds"),
    ("pools.native.pool=a.b", "pool"),
    ("pools.native.settings.proxy=x", "proxy"),
    ("pools.native.sandbox.procMount=Masked", "procMount"),
    ("pools.native.sandbox.seccompProfile.type=Localhost", "localhostProfile"),
    ("securityContext.runAsUser=0", "runAsUser"),
    ("telemetry.traceSample=1.5", "traceSample"),
    ("podDisruptionBudget.maxUnavailable=0", "maxUnavailable"),
    ("topologySpread.zone=Sometimes", "zone"),
    ("collector.keepDays=-1", "keepDays"),
    ("collector.keepAuditDays=-1", "keepAuditDays"),
    ("collector.sealKeysSecret=Not A Name", "sealKeysSecret"),
    ("monitoring.fleet=two words", "fleet"),
    ("monitoring.docsUrl=docs", "docsUrl"),
]
# What takes more than one value to be wrong: the templates say it.
CONTRADICTIONS = [
    (["nats.existingSecret="], "nats.existingSecret or nats.url"),
    (["nats.existingSecret=", "nats.url=nats://ann:secret@nats:4222"], "belong into a Secret"),
    (["pools.native.scaling.enabled=true"], "nats.monitoring.endpoint"),
    (["pools.native.scaling.enabled=true", "nats.monitoring.endpoint=n:1", "pools.native.scaling.minReplicas=9"], "minReplicas"),
    (["pools.native.scaling.enabled=true", "nats.monitoring.endpoint=n:1", "pools.native.scaling.callsPerReplica=129"], "callsPerReplica"),
    (["gateway.ingress.enabled=true"], "gateway.ingress.host"),
    (["gateway.trustUserHeader={loopback}"], "gateway.auth.methods"),
    (["gateway.auth.methods=jwt"], "gateway.auth.configMap"),
    (["gateway.auth.configMap=issuers"], "gateway.auth.configMap"),
    (["gateway.service.targetPort=proxy"], "gateway.service.targetPort is proxy"),
    (["pools.gpu-a.slots=1", "pools.gpu-a.pool=gpu", "pools.gpu-a.partitions=2", "pools.gpu-b.slots=1", "pools.gpu-b.pool=gpu"],
     "pools.gpu-b.partitions"),
]


class Values(unittest.TestCase):
    def test_what_is_wrong_is_refused_by_name(self):
        for value, named in REFUSED:
            with self.subTest(value=value):
                done = template((), (value,))
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("values don't meet the specifications", done.stderr)
                self.assertIn(named, done.stderr)

    def test_contradictions_are_refused(self):
        for values, words in CONTRADICTIONS:
            with self.subTest(values=values):
                done = template((), tuple(values))
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words, done.stderr)

    def test_a_password_that_is_refused_is_not_shown(self):
        self.assertNotIn("s3cret", template((), ("nats.existingSecret=", "nats.url=nats://ann:s3cret@nats:4222")).stderr)

    def test_every_object_of_the_schema_is_closed(self):
        def open_ones(schema, where):
            if schema.get("type") == "object" and "properties" in schema and schema.get("additionalProperties") is not False:
                yield where
            for key, inner in schema.items():
                if isinstance(inner, dict):
                    yield from open_ones(inner, f"{where}/{key}")
        found = list(open_ones(json.loads((CHART / "values.schema.json").read_text()), "#"))
        self.assertEqual(found, ["#/properties/gateway/properties/extraContainers/items", "#/properties/gateway/properties/extraVolumes/items",
                                 "#/properties/poolDefaults/properties/extraEnv/items", "#/definitions/pool/properties/extraEnv/items"])

    def test_there_are_examples(self):
        self.assertEqual([example.name for example in EXAMPLES],
                         ["sidecar-values.yaml", "values-kind.yaml", "values-large.yaml", "values-sandbox.yaml", "values-small.yaml"])


if __name__ == "__main__":
    unittest.main()
