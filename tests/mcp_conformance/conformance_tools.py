"""The tools that the conformance suite of the Model Context Protocol calls, as an operator would write them."""
import base64
import logging
import time

from toolway import Context, ToolError

# A red pixel, and the header of a sound without samples.
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")
WAV = base64.b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")


def simple_text():
    return "This is a simple text response for testing."


def image_content(context: Context):
    context.content("image", data=PNG, mime_type="image/png")


def audio_content(context: Context):
    context.content("audio", data=WAV, mime_type="audio/wav")


def embedded_resource(context: Context):
    context.content("resource", uri="test://embedded-resource", mime_type="text/plain",
                    text="This is an embedded resource content.")


def multiple_content_types(context: Context):
    context.content("text", text="Multiple content types test:")
    context.content("image", data=PNG, mime_type="image/png")
    context.content("resource", uri="test://mixed-content-resource", mime_type="application/json",
                    text='{"test":"data","value":123}')


def with_logging(context: Context):
    context.log("Tool execution started")
    time.sleep(0.05)
    context.log("Tool processing data")
    time.sleep(0.05)
    context.log("Tool execution completed")
    return "The tool logged three messages."


def with_progress():
    for done in (0, 50, 100):
        yield {"progress": done, "total": 100, "message": "%d of 100" % done}
        time.sleep(0.05)
    return "The tool reported its progress."


def logs_at_every_level():
    for level in (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR):
        logging.getLogger("tool").log(level, "a message of level %s", logging.getLevelName(level))
    return "logged"


def error_handling():
    raise ToolError("intended", "This tool intentionally returns an error for testing")


def reconnection(context: Context):
    """Long enough for a client to lose its stream and come back."""
    for done in range(1, 6):
        context.progress(done, 5)
        if context.cancelled.wait(0.2):
            return None
    return "Reconnection test completed successfully"


def greet(name):
    return "Hello, %s!" % name


def slow_compute(seconds, context: Context, label=""):
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if context.cancelled.wait(min(left, 0.5)):
            return None
        context.progress(seconds - max(0.0, until - time.monotonic()), seconds)
    return "computed%s in %g s" % (" " + label if label else "", seconds)


def failing_job(context: Context):
    if not context.cancelled.wait(1):
        raise ToolError("job_failed", "the job failed, as it always does")


def echo(**arguments):
    return arguments
