"""An OTLP/HTTP receiver that decodes what it gets with OpenTelemetry's own messages, strictly: an unknown field, a
wrong type or a malformed id is an error."""

import base64
import http.server
import json
import threading

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

IDS = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def with_base64_ids(value):
    """OTLP's JSON has ids in hexadecimal, where protobuf's JSON has bytes in base64: the one difference."""
    if isinstance(value, list):
        return [with_base64_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for name, item in value.items():
        if name in IDS:
            raw = bytes.fromhex(item)
            if len(raw) != IDS[name] or not any(raw):
                raise ValueError(f"{name} {item!r} is not an id of {IDS[name]} bytes")
            result[name] = base64.b64encode(raw).decode()
        else:
            result[name] = with_base64_ids(item)
    return result


def decode(body, message):
    return json_format.ParseDict(with_base64_ids(json.loads(body)), message, ignore_unknown_fields=False)


class Receiver:
    """Listens on loopback, on a port from the kernel."""

    def __init__(self):
        self.traces, self.metrics, self.mistakes, self.headers = [], [], [], []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.take(self.path, dict(self.headers.items()), body)
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def take(self, path, headers, body):
        with self.lock:
            self.headers.append({name.lower(): value for name, value in headers.items()})
            try:
                if path == "/v1/traces":
                    self.traces.append(decode(body, ExportTraceServiceRequest()))
                elif path == "/v1/metrics":
                    self.metrics.append(decode(body, ExportMetricsServiceRequest()))
                else:
                    raise ValueError(f"nothing is at {path}")
            except Exception as mistake:  # the test shows them all
                self.mistakes.append(f"{path}: {mistake}: {body[:300]!r}")

    def spans(self):
        """(service, span) of all."""
        with self.lock:
            return [(attribute(of_resource.resource.attributes, "service.name"), span)
                    for request in self.traces for of_resource in request.resource_spans
                    for of_scope in of_resource.scope_spans for span in of_scope.spans]

    def points(self, name):
        """(service, metric, data point) of a metric."""
        with self.lock:
            return [(attribute(of_resource.resource.attributes, "service.name"), metric, point)
                    for request in self.metrics for of_resource in request.resource_metrics
                    for of_scope in of_resource.scope_metrics for metric in of_scope.metrics
                    if metric.name == name
                    for point in getattr(metric, metric.WhichOneof("data")).data_points]


def attribute(attributes, key):
    for item in attributes:
        if item.key == key:
            return getattr(item.value, item.value.WhichOneof("value"))
    return None
