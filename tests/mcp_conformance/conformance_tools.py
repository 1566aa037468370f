"""What the conformance suite of the Model Context Protocol calls, written as an operator would."""

import base64
import json
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


def slow_compute(seconds: float = 1, label: str = ""):
    """Takes its time.

    Args:
        seconds: how long
        label: says what it is for
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


def test_tool_with_task(context: Context) -> str:
    """Asks for a name, and then takes its time."""
    name = context.ask("What is your name?", NAME, key="user_name").content.get("name")
    context.cancelled.wait(1)
    return "Done for " + name + "."


def protocol_error_job():
    """Hands on the error of a server that it asks."""
    raise ToolError("mcp_refused", "the server refused the call", details={"code": -32603, "data": {"retry": False}})


def echo(**arguments):
    """Returns its arguments."""
    return arguments


NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
OK = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
CONFIRM = {"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]}


def said(answer):
    return "action=%s, content=%s" % (answer.action, json.dumps(answer.content))


def test_elicitation(message: str, context: Context) -> str:
    """Asks the user for a name and an address."""
    answer = context.ask(message, {
        "type": "object", "required": ["username", "email"], "properties": {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"}}})
    return "User response: " + said(answer)


def test_sampling(prompt: str, context: Context) -> str:
    """Asks the client's model."""
    return "LLM response: " + context.sample(prompt, 100)["content"]["text"]


def test_elicitation_sep1034_defaults(context: Context) -> str:
    """Asks with a default for every simple type."""
    answer = context.ask("Please review", {"type": "object", "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True}}})
    return "Elicitation completed: " + said(answer)


def test_elicitation_sep1330_enums(context: Context) -> str:
    """Asks with every kind of choice."""
    titled = [{"const": "value%d" % n, "title": title} for n, title in ((1, "First"), (2, "Second"), (3, "Third"))]
    options = ["option1", "option2", "option3"]
    answer = context.ask("Please choose", {"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
                       "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}}}})
    return "Elicitation completed: " + said(answer)


def test_input_required_result_elicitation(context: Context) -> str:
    """Asks for a name and greets it."""
    return "Hello, %s!" % context.ask("What is your name?", NAME, key="user_name").content.get("name")


def test_input_required_result_sampling(context: Context) -> str:
    """Asks the client's model a question."""
    return context.sample("What is the capital of France?", 100, key="capital_question")["content"]["text"]


def test_input_required_result_list_roots(context: Context) -> str:
    """Names the client's folders."""
    return "Roots: " + ", ".join(root["uri"] for root in context.roots(key="client_roots"))


def test_input_required_result_request_state(context: Context) -> str:
    """Asks for a confirmation."""
    answer = context.ask("Please confirm", OK, key="confirm")
    return "state-ok: " + said(answer)


def test_input_required_result_tampered_state(context: Context) -> str:
    """The same, for a client that changes the state."""
    return said(context.ask("Please confirm", OK, key="confirm"))


def test_input_required_result_multiple_inputs(context: Context) -> str:
    """Asks three questions at once."""
    answers = context.ask_all({
        "user_name": ("elicitation/create", {"message": "What is your name?", "requestedSchema": NAME}),
        "greeting": ("sampling/createMessage", {"maxTokens": 50, "messages": [
            {"role": "user", "content": {"type": "text", "text": "Generate a greeting"}}]}),
        "client_roots": ("roots/list", {})})
    return json.dumps(answers)


def test_input_required_result_multi_round(context: Context) -> str:
    """Asks a second question after the first."""
    name = context.ask("Step 1: What is your name?", NAME, key="step1")
    color = context.ask("Step 2: What is your favorite color?", {
        "type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]}, key="step2")
    return "%s likes %s." % (name.content.get("name"), color.content.get("color"))


def test_input_required_result_capabilities(context: Context) -> str:
    """Asks what the client can be asked, and nothing else."""
    questions = {}
    if "form" in context.askable:
        questions["user_name"] = "elicitation/create", {"message": "What is your name?", "requestedSchema": NAME}
    if "sampling" in context.askable:
        questions["greeting"] = "sampling/createMessage", {"maxTokens": 50, "messages": [
            {"role": "user", "content": {"type": "text", "text": "Generate a greeting"}}]}
    if "roots" in context.askable:
        questions["client_roots"] = "roots/list", {}
    return json.dumps(context.ask_all(questions))


def test_missing_capability(context: Context) -> str:
    """Needs a client with a model."""
    return context.sample("Say something.", 100)["content"]["text"]


def test_streaming_elicitation(context: Context) -> str:
    """Asks while it streams."""
    context.log("about to ask")
    return said(context.ask("Please confirm", OK, key="confirm"))


def confirm_delete(filename: str, context: Context) -> str:
    """Deletes a file, once the user has confirmed it; it deletes nothing.

    Args:
        filename: the file
    """
    answer = context.ask("Delete %s?" % filename, {
        "type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]}, key="confirm")
    if answer and answer.content["confirm"]:
        return "Deleted %s." % filename
    return "Kept %s." % filename


def multi_input(context: Context) -> str:
    """Asks two questions at once."""
    answers = context.ask_all({
        "name": ("elicitation/create", {"message": "What is your name?", "requestedSchema": NAME}),
        "ok": ("elicitation/create", {"message": "Is that right?", "requestedSchema": CONFIRM})})
    return json.dumps(answers)
