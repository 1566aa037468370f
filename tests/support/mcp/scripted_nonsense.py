"""What scripted_server.py does wrong when its tool `nonsense` is called, kind by kind."""
import json
import os
import time


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def nonsense(call, kind, tools):
    """What the tool `nonsense` sends; returns its result, if it has one."""
    channel = call.channel
    if kind == "invalid_json":
        channel.send_raw('{"jsonrpc":"2.0","id":' + str(call.id) + ',"result":{]}')
    elif kind == "no_id_invalid_json":
        channel.send_raw('{"jsonrpc":"2.0",]}')
    elif kind == "batch":
        channel.send_raw(json.dumps([{"jsonrpc": "2.0", "id": call.id, "result": text("in a batch")}]))
    elif kind == "unknown_id":
        call.send({"id": 999_999_999, "result": text("whose?")})
        call.send({"id": "a text", "result": text("whose?")})
        return text("after unknown ids")
    elif kind == "huge_id":
        channel.send_raw('{"jsonrpc":"2.0","id":123456789012345678901234567890,"result":{}}')
        return text("after a huge id")
    elif kind == "twice":
        call.send({"id": call.id, "result": text("first")})
        return text("second")
    elif kind == "wrong_types":
        call.send({"id": call.id, "result": {"content": "no list"}})
    elif kind == "wrong_result":
        call.send({"id": call.id, "result": [1, 2]})
    elif kind == "long_line":
        channel.send_long(call.id, 100 * 1024 * 1024)
    elif kind == "not_utf8":
        channel.send_bytes(b'{"jsonrpc":"2.0","id":' + str(call.id).encode() + b',"result":{"content":[{"type":"text","text":"\xff"}]}}')
    elif kind == "deep":
        channel.send_raw('{"jsonrpc":"2.0","id":' + str(call.id) + ',"result":{"content":' + "[" * 5000 + "]" * 5000 + "}}")
    elif kind == "close_stdout":
        os.close(1)
        time.sleep(60)
    elif kind == "bad_base64":
        return {"content": [{"type": "image", "data": "!!!", "mimeType": "image/png"}]}
    elif kind == "result_type":
        return {"resultType": "no such type", "content": []}
    elif kind == "changes_list_meanwhile":
        tools.change(["came_in_mid_call"])
        return text("and the answer")
    elif kind == "silence":
        call.cancelled.wait(60)
    elif kind == "asks_and_does_not_read":
        channel.stop_reading()
        ping = json.dumps({"jsonrpc": "2.0", "id": "x" * 60, "method": "ping"})
        while True:
            channel.send_raw("\n".join([ping] * 100))
    elif kind == "changes_list_and_does_not_read":
        channel.stop_reading()
        asked = call.id
        while True:
            asked += 1
            call.send({"method": "notifications/tools/list_changed"})
            call.send({"id": asked, "result": {"tools": [], "nextCursor": f"{asked}" + "x" * 4096}})
    elif kind == "asks_under_long_ids":
        for _ in range(200):
            channel.send_raw(json.dumps({"jsonrpc": "2.0", "id": "x" * 900, "method": "ping"}))
        return text("after long ids")
    return None
