"""A Prometheus of its own on a port from the kernel, with our rules, and its HTTP API."""
import http.client
import json
import pathlib
import re
import signal
import urllib.parse

from children import Child
from wait import wait_for

RULES = pathlib.Path(__file__).resolve().parent.parent / "prometheus" / "rules"


def scaled(rules, factor):
    """The text of rules with every `for:` divided by `factor`; thresholds and windows stay as they are."""
    seconds = {"s": 1, "m": 60, "h": 3600, "d": 86400}
    return re.sub(r"^(\s+for: )(\d+)([smhd])$",
                  lambda m: f"{m[1]}{max(1, round(int(m[2]) * seconds[m[3]] / factor))}s", rules, flags=re.M)


class Prometheus:
    """Scrapes what `targets` (file_sd) names. `hurry` divides how long alerts wait before they fire."""

    def __init__(self, program, directory, targets, scrape="1s", hurry=1):
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "rules").mkdir(exist_ok=True)
        for file in sorted(RULES.glob("*.yml")):
            (directory / "rules" / file.name).write_text(scaled(file.read_text(), hurry))
        config = directory / "prometheus.yml"
        config.write_text(
            f"global: {{scrape_interval: {scrape}, scrape_timeout: {scrape}, evaluation_interval: {scrape}}}\n"
            "rule_files: [rules/*.yml]\n"
            "scrape_configs:\n"
            f"  - {{job_name: toolway, file_sd_configs: [{{files: ['{targets}'], refresh_interval: 2s}}]}}\n")
        self.child = Child(
            [program, f"--config.file={config}", f"--storage.tsdb.path={directory / 'data'}", "--web.listen-address=127.0.0.1:0"],
            directory / "prometheus.log")
        self.address = None

    def wait_until_ready(self):
        def listening():
            if self.child.ended():
                raise RuntimeError(f"prometheus ended:\n{self.child.log_end()}")
            said = re.search(r'"Listening on".*address=(\S+)', pathlib.Path(self.child.log).read_text())
            return said and said[1]
        self.address = wait_for("prometheus listens", listening)
        wait_for("prometheus is ready", lambda: self._request("/-/ready")[0] == 200)

    @property
    def url(self):
        return f"http://{self.address}"

    def _request(self, path, form=None):
        connection = http.client.HTTPConnection(self.address, timeout=30)
        try:
            if form is None:
                connection.request("GET", path)
            else:
                connection.request("POST", path, urllib.parse.urlencode(form), {"Content-Type": "application/x-www-form-urlencoded"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def _api(self, path, form=None):
        status, body = self._request("/api/v1/" + path, form)
        answer = json.loads(body)
        if answer["status"] != "success":
            raise ValueError(f"{status} {answer.get('error')}: {form}")
        return answer["data"]

    def query(self, expression):
        """The instant vector now: a list of {metric, value}. Raises ValueError with what Prometheus says of the query."""
        return self._api("query", {"query": expression})["result"]

    def query_range(self, expression, start, end, step):
        return self._api("query_range", {"query": expression, "start": start, "end": end, "step": step})["result"]

    def rules(self):
        return [rule for group in self._api("rules")["groups"] for rule in group["rules"]]

    def alerts(self, name=None):
        """The alerts that fire, of one name or all."""
        return [a for a in self._api("alerts")["alerts"]
                if a["state"] == "firing" and name in (None, a["labels"]["alertname"])]

    def firing(self):
        """Their names."""
        return {a["labels"]["alertname"] for a in self.alerts()}

    def stop(self):
        return self.child.stop(signal.SIGTERM)
