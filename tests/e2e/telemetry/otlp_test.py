"""A whole `toolway dev` sends its spans and metrics to a receiver that decodes them."""

import collections
import sys
import unittest

from dev_stack import Dev
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from receiver import Receiver, attribute

PROGRAM = sys.argv.pop(1)
OPEN_METRICS = "application/openmetrics-text;version=1.0.0"
CALLS = 20
CLIENTS_TRACE = "0af7651916cd43dd8448eb211c80319c"
CLIENTS_SPAN = "b7ad6b7169203331"
MCP_TRACE = "0af7651916cd43dd8448eb211c80319d"
NOT_SAMPLED = "11111111111111111111111111111111"


class Otlp(unittest.TestCase):
    """One stack, one run; then what the receiver holds is looked at from every side."""

    @classmethod
    def setUpClass(cls):
        with Receiver() as cls.receiver:
            environment = {"OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=s3cret%20key",
                           "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test",
                           "OTEL_METRIC_EXPORT_INTERVAL": "500"}
            with Dev(PROGRAM, "--otlp", cls.receiver.url, "--trace-sample", "1", environment=environment) as dev:
                dev.open_session("chat", "time", "filesystem")
                cls.ends = [dev.call("chat", "get_current_time") for _ in range(CALLS)]
                cls.failed = dev.call("chat", "read_file", {"path": "no/such/file"})
                cls.clients = dev.call("chat", "get_current_time",
                                       traceparent=f"00-{CLIENTS_TRACE}-{CLIENTS_SPAN}-01", tracestate="vendor=1")
                cls.silent = dev.call("chat", "get_current_time", traceparent=f"00-{NOT_SAMPLED}-{CLIENTS_SPAN}-00")
                cls.over_mcp = cls.call_over_mcp(dev)
                cls.scrapes = {role: dev.scrape(role, OPEN_METRICS) for role in ("gateway", "worker", "collector")}
                dev.stop()
        cls.traces = collections.defaultdict(list)
        for service, span in cls.receiver.spans():
            cls.traces[span.trace_id.hex()].append((service, span))

    @staticmethod
    def call_over_mcp(dev):
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
                "traceparent": f"00-{MCP_TRACE}-{CLIENTS_SPAN}-01", "tracestate": "vendor=1"}
        return dev.post("/mcp/chat", {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                      "params": {"name": "time__get_current_time", "arguments": {}, "_meta": meta}},
                        accept="application/json, text/event-stream", mcp_protocol_version="2026-07-28", mcp_method="tools/call",
                        mcp_name="time__get_current_time")

    def test_everything_is_decoded(self):
        self.assertEqual(self.receiver.mistakes, [])
        self.assertGreater(len(self.receiver.traces), 0)
        self.assertGreater(len(self.receiver.metrics), 0)
        for headers in self.receiver.headers:
            self.assertEqual(headers["content-type"], "application/json")
            self.assertEqual(headers["x-api-key"], "s3cret key")

    def test_the_resource_says_who_speaks(self):
        resources = [r.resource for request in self.receiver.traces for r in request.resource_spans]
        instances = collections.defaultdict(set)
        for resource in resources:
            self.assertEqual(attribute(resource.attributes, "service.namespace"), "toolway")
            self.assertTrue(attribute(resource.attributes, "service.version"))
            self.assertEqual(attribute(resource.attributes, "deployment.environment.name"), "test")
            instances[attribute(resource.attributes, "service.name")].add(
                attribute(resource.attributes, "service.instance.id"))
        self.assertEqual(set(instances), {"toolway-gateway", "toolway-worker", "toolway-collector"})
        for of_service in instances.values():
            self.assertEqual(len(of_service), 1)

    def test_every_trace_is_whole(self):
        self.assertGreaterEqual(len(self.traces), CALLS)
        for trace, spans in self.traces.items():
            ids = {span.span_id for _, span in spans}
            self.assertEqual(len(ids), len(spans), "no span comes twice")
            strangers = {span.parent_span_id.hex() for _, span in spans} - {span_id.hex() for span_id in ids}
            shown = [(service, span.name, span.span_id.hex(), span.parent_span_id.hex()) for service, span in spans]
            if trace in (CLIENTS_TRACE, MCP_TRACE):
                self.assertEqual(strangers, {CLIENTS_SPAN}, shown)
            else:
                self.assertEqual(strangers, {""}, shown)
            roots = [span for _, span in spans if span.parent_span_id not in ids]
            self.assertEqual(len(roots), 1, shown)
            for _, span in spans:
                self.assertGreaterEqual(span.end_time_unix_nano, span.start_time_unix_nano)

    def of_tool(self, tool):
        return [spans for spans in self.traces.values()
                if any(attribute(span.attributes, "gen_ai.tool.name") == tool for _, span in spans)]

    def test_a_call_is_one_trace_from_gateway_to_collector(self):
        self.assertTrue(all(end["outcome"] == "succeeded" for end in self.ends), self.ends)
        traces = self.of_tool("time.get_current_time")
        self.assertGreaterEqual(len(traces), CALLS + 2)
        for spans in traces:
            self.assertEqual({"toolway-gateway", "toolway-worker", "toolway-collector"}, {service for service, _ in spans},
                            [(service, span.name) for service, span in spans])

    def test_a_clients_decision_holds(self):
        self.assertIn(CLIENTS_TRACE, self.traces)
        self.assertTrue(all(span.trace_state == "vendor=1" for _, span in self.traces[CLIENTS_TRACE]))
        self.assertNotIn(NOT_SAMPLED, self.traces)

    def test_what_an_mcp_client_says_in_its_meta_is_continued(self):
        self.assertFalse(self.over_mcp["result"].get("isError", False), self.over_mcp)
        spans = {span.name: span for _, span in self.traces[MCP_TRACE]}
        call = spans["tools/call time__get_current_time"]
        self.assertEqual((call.parent_span_id.hex(), attribute(call.attributes, "mcp.protocol.version")), (CLIENTS_SPAN, "2026-07-28"))
        self.assertEqual(spans["send call.native"].parent_span_id, call.span_id)
        self.assertIn("execute_tool time.get_current_time", spans)
        (link,) = call.links
        (request,) = [span for _, span in self.traces[link.trace_id.hex()] if span.span_id == link.span_id]
        self.assertEqual(request.name, "POST /mcp/{s}")

    def test_a_failure_says_its_type(self):
        self.assertNotEqual(self.failed["outcome"], "succeeded")
        errors = [span for spans in self.of_tool("filesystem.read_file") for _, span in spans if span.status.code == 2]
        self.assertTrue(errors)
        for span in errors:
            self.assertTrue(attribute(span.attributes, "error.type"))

    def test_metrics_are_cumulative_and_agree(self):
        points = [point for service, metric, point in self.receiver.points("toolway_calls_completed_total")
                  if service == "toolway-worker" and metric.sum.is_monotonic and metric.sum.aggregation_temporality == 2
                  and attribute(point.attributes, "tool") == "time.get_current_time"
                  and attribute(point.attributes, "outcome") == "succeeded"]
        self.assertTrue(points)
        last = max(points, key=lambda point: point.time_unix_nano)
        self.assertEqual(last.as_double, CALLS + 3)
        self.assertLess(last.start_time_unix_nano, last.time_unix_nano)
        for _, metric, point in self.receiver.points("toolway_call_run_seconds"):
            self.assertEqual(len(point.bucket_counts), len(point.explicit_bounds) + 1)
            self.assertEqual(sum(point.bucket_counts), point.count)
            self.assertEqual(metric.unit, "s")
        services = {service for service, _, _ in self.receiver.points("process_resident_memory_bytes")}
        self.assertEqual(services, {"toolway-gateway", "toolway-worker", "toolway-collector"})

    def test_no_span_was_lost(self):
        for result in ("dropped", "failed"):
            for service, _, point in self.receiver.points("toolway_trace_spans_total"):
                if attribute(point.attributes, "result") == result:
                    self.assertEqual(point.as_double, 0, (service, result))

    def test_openmetrics_is_what_its_strict_parser_reads(self):
        exemplars = 0
        for role, (content_type, text) in self.scrapes.items():
            self.assertEqual(content_type, "application/openmetrics-text; version=1.0.0; charset=utf-8", role)
            for family in text_string_to_metric_families(text):
                for sample in family.samples:
                    if sample.exemplar:
                        exemplars += 1
                        self.assertEqual(len(sample.exemplar.labels["trace_id"]), 32)
                        self.assertIn(sample.exemplar.labels["trace_id"], self.traces)
        self.assertGreater(exemplars, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
