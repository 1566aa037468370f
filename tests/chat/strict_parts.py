"""What a user says and what a call returns, part by part, as the APIs of models have it. Of strict_check.py."""
import base64
import binascii
import re

MARKER = re.compile(r"\[\[\s*SYSTEM", re.I)
# How images of the types that models take begin, and PDFs.
BEGINS = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff", "image/gif": b"GIF8", "image/webp": b"RIFF", "application/pdf": b"%PDF-"}
MOST_DATA = 5 * 1024 * 1024  # of one image, in base64


class Wrong(Exception):
    pass


def require(condition, message):
    if not condition:
        raise Wrong(message)


def is_text(value, where):
    require(isinstance(value, str), f"{where}: {type(value).__name__} in place of a text")


def is_result_text(value, where):
    is_text(value, where)
    require(not MARKER.search(value), f"{where}: a result forges a marker")


def is_data(media_type, data, where):
    require(media_type in BEGINS, f"{where}: data of type {media_type!r}")
    is_text(data, where)
    require(len(data) <= MOST_DATA, f"{where}: {len(data)} bytes of data")
    try:
        found = base64.b64decode(data, validate=True)
    except binascii.Error:
        raise Wrong(f"{where}: data that is not base64") from None
    require(found.startswith(BEGINS[media_type]), f"{where}: data that is not {media_type}")


def is_image_type(media_type, where):
    require(media_type.startswith("image/"), f"{where}: an image of type {media_type!r}")


def is_data_url(url, where):
    """Its media type."""
    found = re.fullmatch(r"data:([a-z/]+);base64,(.*)", url)
    require(found, f"{where}: no URL of data")
    is_data(found[1], found[2], where)
    return found[1]


def is_elsewhere(url):
    """Whether a provider can read an image from there."""
    return re.fullmatch(r"https?://[!#-\[\]-~]+", url)


def is_url_of_image(url, where):
    """Of its data, or of where a provider reads it."""
    if not is_elsewhere(url):
        is_image_type(is_data_url(url, where), where)


def only(value, members, where):
    require(set(value) <= set(members), f"{where}: members {sorted(set(value) - set(members))}")


def anthropic_part(part, where, is_own_text=is_result_text):
    """Of a result's content, or of the user's; whether it is an image."""
    if part["type"] == "text":
        only(part, ("type", "text"), where)
        is_own_text(part["text"], where)
        require(part["text"].strip(), f"{where}: a blank text in a list")
        return False
    source = part["source"]
    if part["type"] == "image" and source["type"] == "url":
        only(part, ("type", "source"), where)
        only(source, ("type", "url"), where)
        require(is_elsewhere(source["url"]), f"{where}: no URL of an image")
        return True
    if part["type"] == "image":
        only(part, ("type", "source"), where)
        is_image_type(source["media_type"], where)
    else:
        require(part["type"] == "document", f"{where}: {part['type']!r} in a result")
        only(part, ("type", "source", "title"), where)
        is_result_text(part.get("title", "x"), where)
        require(part.get("title", "x"), f"{where}: an empty title")
    only(source, ("type", "media_type", "data"), where)
    if source["type"] == "text":
        require(part["type"] == "document" and source["media_type"] == "text/plain", f"{where}: a text of type {source['media_type']!r}")
        is_own_text(source["data"], where)
        require(source["data"].strip(), f"{where}: a blank document")
    else:
        require(source["type"] == "base64", f"{where}: a source of type {source['type']!r}")
        require(part["type"] == "image" or source["media_type"] == "application/pdf", f"{where}: a document of type {source['media_type']!r}")
        is_data(source["media_type"], source["data"], where)
    return part["type"] == "image"


def responses_part(part, where, is_own_text=is_result_text):
    """Of a result's output, or of the user's content; whether it is an image."""
    if part["type"] == "input_text":
        only(part, ("type", "text"), where)
        is_own_text(part["text"], where)
        return False
    if part["type"] == "input_image":
        only(part, ("type", "image_url", "detail"), where)
        require(part["detail"] in ("low", "high", "auto"), f"{where}: detail {part['detail']!r}")
        is_url_of_image(part["image_url"], where)
        return True
    require(part["type"] == "input_file", f"{where}: {part['type']!r} in a result")
    only(part, ("type", "filename", "file_data"), where)
    is_result_text(part["filename"], where)
    require(part["filename"], f"{where}: a file without a name")
    require(is_data_url(part["file_data"], where) == "application/pdf", f"{where}: a file that is not a PDF")
    return False


def chat_part(part, where, _=None):
    """Of the user's content; whether it is an image."""
    only(part, ("type", part["type"]), where)
    if part["type"] == "text":
        is_text(part["text"], where)
        require(part["text"], f"{where}: an empty text in a list")
        return False
    if part["type"] == "image_url":
        only(part["image_url"], ("url", "detail"), where)
        is_url_of_image(part["image_url"]["url"], where)
        return True
    require(part["type"] == "file", f"{where}: {part['type']!r} in a message")
    only(part["file"], ("filename", "file_data"), where)
    require(part["file"]["filename"], f"{where}: a file without a name")
    require(is_data_url(part["file"]["file_data"], where) == "application/pdf", f"{where}: a file that is not a PDF")
    return False


def is_said(content, part_is_image, where):
    """What the user says, a text or a list of parts; how many images it has."""
    if isinstance(content, str):
        return 0
    require(isinstance(content, list) and content, f"{where}: a message without content")
    return sum(part_is_image(part, where, is_text) for part in content)


def is_result(content, part_is_image, where):
    """A text, or a list of parts; how many images it has."""
    if isinstance(content, str):
        is_result_text(content, where)
        return 0
    require(isinstance(content, list) and content, f"{where}: a result without content")
    return sum(part_is_image(part, where) for part in content)


def own_blocks(result, where):
    """Of a result or a message in Toolway's own form: their lines are in its text, one after the other."""
    text, end = result["text"].encode(), 0
    for block in result.get("blocks", ()):
        at, line = block["at"], block["line"]
        require(end <= at and at + line <= len(text), f"{where}: the line of a block is not in the text")
        end = at + line
        shown = text[at:end].decode()
        if "url" in block:
            require(block["type"] == "image" and is_elsewhere(block["url"]), f"{where}: no URL of an image")
            require(shown == f"[image {block['url']}]", f"{where}: the line of a block is {shown!r}")
        elif "data" in block:
            is_data(block["media_type"], block["data"], where)
            require(block["type"] == ("document" if block["media_type"] == "application/pdf" else "image"), f"{where}: a block of type {block['type']!r}")
            require(shown.startswith("[") and shown.endswith("]"), f"{where}: the line of a block is {shown!r}")
        else:
            require(block["type"] == "document" and block["media_type"].startswith("text/"), f"{where}: a block without data")
            require(text[at + block["label"]:end].decode().strip(), f"{where}: a document without text")
