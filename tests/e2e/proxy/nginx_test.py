"""The gateway behind nginx, with the configuration of docs/operations/proxy/nginx.conf."""

import os
import sys
import unittest

from behind_a_proxy import BehindAProxy, NginxProxy

NGINX = sys.argv.pop(1)
PROGRAM = sys.argv.pop(1)

MAIN = """daemon off;
{user}
pid {directory}/nginx.pid;
error_log {directory}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    include {directory}/nginx.conf;
}}
"""


class Nginx(NginxProxy):
    def places(self):
        return [("127.0.0.1:8080;", f"{self.gateway};"), ("listen 80;", f"listen 127.0.0.1:{self.port};"),
                ("/etc/nginx/toolway-users", f"{self.directory}/users")]

    def command(self):
        user = "user root;" if os.geteuid() == 0 else ""
        (self.directory / "main.conf").write_text(MAIN.format(directory=self.directory, user=user))
        self.write_users()
        return [NGINX, "-p", self.directory, "-c", self.directory / "main.conf", "-e", self.directory / "error.log"]


class BehindNginx(BehindAProxy, unittest.TestCase):
    proxy_type = Nginx
    program = PROGRAM


if __name__ == "__main__":
    unittest.main(verbosity=2)
