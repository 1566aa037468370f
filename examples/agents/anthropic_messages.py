#!/usr/bin/env python3
"""An agent on Anthropic's Messages API, with Toolway's tools."""
import anthropic

from command_line import main


def model(name):
    client = anthropic.Anthropic()  # ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL

    def ask(messages, tools):
        reply = client.messages.create(model=name, max_tokens=4096, messages=messages, tools=tools)
        message = {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in reply.content]}
        return [message], message, "".join(block.text for block in reply.content if block.type == "text")

    return ask


if __name__ == "__main__":
    main(__doc__, "anthropic", model, "claude-haiku-4-5")
