"""What a tool can find out from /proc about the process that started it, and about the others: a Python tool, a command and an
MCP server alike."""
import json
import os
import sys


def bytes_of(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def memory_of(pid):
    """All of it that can be read; None: none."""
    maps = bytes_of(f"/proc/{pid}/maps")
    if maps is None:
        return None
    found = b""
    try:
        with open(f"/proc/{pid}/mem", "rb", 0) as memory:
            for line in maps.decode().splitlines():
                place, rights = line.split()[:2]
                begin, end = (int(number, 16) for number in place.split("-"))
                if "rw" not in rights or end - begin > 256 << 20:
                    continue
                memory.seek(begin)
                try:
                    found += memory.read(end - begin)
                except OSError:
                    pass
    except OSError:
        return None
    return found


def look(marks: str):
    """Where one of `marks` (separated by commas) is: `name file mark`. And whether the parent can be inspected."""
    words = [mark.encode() for mark in marks.split(",")]
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        name = (bytes_of(f"/proc/{pid}/comm") or b"?").decode().strip()
        for file in ("environ", "cmdline"):
            text = bytes_of(f"/proc/{pid}/{file}") or b""
            found += [f"{name} {file} {word.decode()}" for word in words if word in text]
    parent = os.getppid()
    memory = memory_of(parent)
    found += [f"parent mem {word.decode()}" for word in words if memory and word in memory]
    try:
        files = len(os.listdir(f"/proc/{parent}/fd"))
    except OSError:
        files = None
    return {"found": sorted(set(found)), "environ": bytes_of(f"/proc/{parent}/environ") is not None, "mem": memory is not None,
            "fd": files is not None, "parent": (bytes_of(f"/proc/{parent}/comm") or b"").decode().strip()}


def serve():
    tools = [{"name": "look", "description": "Looks.", "inputSchema": {"type": "object", "properties": {"marks": {"type": "string"}}}}]
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if "id" not in message:
            continue
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        if method == "initialize":
            answer["result"] = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "spy", "version": "1"}}
        elif method == "tools/list":
            answer["result"] = {"tools": tools}
        elif method == "tools/call":
            seen = look(**message["params"]["arguments"])
            answer["result"] = {"content": [{"type": "text", "text": json.dumps(seen)}], "structuredContent": seen}
        else:
            answer["error"] = {"code": -32601, "message": "no"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        print(json.dumps(look(sys.stdin.read())))
