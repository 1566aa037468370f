"""A server with the official Python SDK, 1.x or 2.x, as its PYTHONPATH says: `stdio`, or `http FILE`, where its port goes;
`stdio --slowly` takes 20 s to start."""

import os
import pathlib
import socket
import sys
import time

if "--slowly" in sys.argv:
    print("importing half of the world", file=sys.stderr, flush=True)
    time.sleep(20)

try:
    from mcp.server import MCPServer as Server  # 2.x
except ImportError:
    from mcp.server.fastmcp import FastMCP as Server  # 1.x

server = Server("python")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def refuse(reason: str) -> str:
    """Fails, for that reason."""
    raise ValueError(reason)


def serve_http(port_file):
    import uvicorn

    listener = socket.create_server(("127.0.0.1", 0))
    written = pathlib.Path(port_file + ".part")
    written.write_text(str(listener.getsockname()[1]))
    os.replace(written, port_file)
    uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="warning")).run(sockets=[listener])


if sys.argv[1] == "http":
    serve_http(sys.argv[2])
else:
    server.run()
