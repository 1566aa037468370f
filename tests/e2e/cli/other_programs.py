"""What may listen where a gateway is expected, each on a port of its own."""

import socket
import threading
import time


def answer(status, body, kind="text/html"):
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return (head + body).encode()


class Program:
    """Sends the same to each connection and closes it; `reply` None: takes connections, and says nothing."""

    def __init__(self, reply, reads=True):
        self.reply, self.reads, self.open = reply, reads, []
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        if self.reply is None:
            self.open.append(connection)
            return
        try:
            if self.reads:
                connection.recv(65536)
            connection.sendall(self.reply)
            time.sleep(0.05)
        except OSError:
            pass
        connection.close()

    def close(self):
        self.socket.close()
        for connection in self.open:
            connection.close()


PROBLEM = '{"type":"/errors/not_found","status":404,"detail":"nothing is served at this path; see /docs","code":"not_found"}'


def programs():
    return {
        "a web page": Program(answer("200 OK", "<html>Welcome</html>")),
        "another JSON API": Program(answer("200 OK", '[{"id": 1}]', "application/json")),
        "a server that knows no such page": Program(answer("404 Not Found", "<html>nothing</html>")),
        "a proxy without its gateway": Program(answer("502 Bad Gateway", "<html>bad gateway</html>")),
        "a program that speaks no HTTP": Program(b"SSH-2.0-OpenSSH_9.2p1\r\n", reads=False),
        "a program that closes at once": Program(b"", reads=False),
        "a program that says nothing": Program(None),
        "a gateway of another version": Program(answer("404 Not Found", PROBLEM, "application/problem+json")),
    }
