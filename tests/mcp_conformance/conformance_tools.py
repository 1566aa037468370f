"""What the conformance suite of the Model Context Protocol calls, written as an operator would."""

import base64
import time

from toolway import Context, ToolError

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
WAV = base64.b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==")


def test_simple_text() -> str:
    """Returns text."""
    return "This is a simple text response for testing."


def test_image_content(context: Context):
    """Returns an image."""
    context.content("image", data=PNG, mime_type="image/png")


def test_audio_content(context: Context):
    """Returns a sound."""
    context.content("audio", data=WAV, mime_type="audio/wav")


def test_embedded_resource(context: Context):
    """Returns a resource."""
    context.content("resource", "This is an embedded resource content.", uri="test://embedded-resource", mime_type="text/plain")


def test_multiple_content_types(context: Context):
    """Returns text, an image and a resource."""
    context.content("text", "Multiple content types test:")
    context.content("image", data=PNG, mime_type="image/png")
    context.content("resource", '{"test":"data","value":123}', uri="test://mixed-content-resource", mime_type="application/json")


def test_tool_with_logging(context: Context) -> str:
    """Logs three lines as it goes."""
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        context.log(line)
        time.sleep(0.05)
    return "Tool with logging executed."


def test_tool_with_progress():
    """Reports its progress."""
    for progress in (0, 50, 100):
        yield {"progress": progress, "total": 100}
        time.sleep(0.05)
    return "Tool with progress executed."


def test_error_handling() -> str:
    """Always fails."""
    raise ToolError("intended", "This tool intentionally returns an error for testing")


def slow_compute(seconds: float = 1):
    """Takes its time.

    Args:
        seconds: how long
    """
    steps = max(1, round(seconds * 10))
    for step in range(steps):
        time.sleep(0.1)
        yield {"progress": step + 1, "total": steps}
    return {"steps": steps}


def greet(name: str) -> str:
    """Greets a person.

    Args:
        name: who
    """
    return "Hello, " + name + "!"


def test_logging_tool(context: Context) -> str:
    """Logs a message of every level."""
    for level in ("debug", "info", "warning", "error"):
        context.log("a message of level " + level, level)
    return "Logged."


def test_reconnection(context: Context) -> str:
    """Runs for a second, so that a client can lose its stream and come back."""
    for done in range(1, 6):
        context.progress(done, 5)
        context.cancelled.wait(0.2)
    return "Reconnection test completed successfully"


def failing_job(context: Context):
    """Fails after a second."""
    if not context.cancelled.wait(1):
        raise ToolError("job_failed", "the job failed, as it always does")


def echo(**arguments):
    """Returns its arguments."""
    return arguments
