"""The loop around a model: ask it, run the calls it makes, give it their results, until it makes none.

The conversation is a file, written before anything depends on it. So the loop may be killed at any moment: started again, it continues
where it was. Calls that were running are not affected, and a message whose results are missing is run again under its old key, which
gives the same calls.
"""
import json
import os
import uuid

from toolway_session import late_message


class Conversation:
    """What a model reads, and what the loop must not forget, in a file (None: in memory)."""

    def __init__(self, path=None):
        self.path = path
        self.state = {"id": str(uuid.uuid4()), "messages": [], "unanswered": None, "running": [], "text": None, "ended": True}
        if path and os.path.exists(path):
            with open(path) as file:
                self.state = json.load(file)

    @property
    def messages(self):
        return self.state["messages"]

    def add(self, messages, **changes):
        """Adds messages and changes what else is kept, in one step."""
        self.state["messages"] += messages
        self.state.update(changes)
        if self.path:
            with open(self.path + ".new", "w") as file:
                json.dump(self.state, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(self.path + ".new", self.path)


def answer_calls(session, conversation, inline_ms):
    """Runs the calls of the model's last message and adds their results. False: it has none."""
    key = f"{conversation.state['id']}-{len(conversation.messages)}"
    answers, detached = session.run(conversation.state["unanswered"], key, inline_ms)
    if answers:
        conversation.add(answers, unanswered=None, running=conversation.state["running"] + detached)
    return bool(answers)


def add_late_results(session, conversation, wait):
    """Adds what detached calls have returned since; with `wait` it waits for one of them."""
    while running := conversation.state["running"]:
        ended, cursor = session.completions()
        late = [call for call in ended if call["call_id"] in running]
        if wait and not late:
            session.wait(running[0])
            continue
        left = [call_id for call_id in running if call_id not in {call["call_id"] for call in late}]
        conversation.add([late_message(call) for call in late], running=left, unanswered=None)
        session.ack(cursor)  # after they are stored: a kill in between shows them again, and `running` leaves them out
        return


def converse(model, session, conversation, user_message, inline_ms=None):
    """Until the model calls nothing and none of its calls is running. Returns its last words.

    A conversation that was interrupted continues where it was; `user_message` is added to a new one, and to one that had ended.
    `model(messages, tools)` returns the messages to append, what of them `tool_calls` takes, and the text.
    """
    state = conversation.state
    if state["ended"]:
        conversation.add([{"role": "user", "content": user_message}], ended=False)
    while True:
        if state["unanswered"] is None:
            add_late_results(session, conversation, wait=False)
            messages, runnable, text = model(conversation.messages, session.tools())
            conversation.add(messages, unanswered=runnable, text=text)
        if answer_calls(session, conversation, inline_ms):
            continue
        if not state["running"]:
            conversation.add([], unanswered=None, ended=True)
            return state["text"]
        add_late_results(session, conversation, wait=True)
