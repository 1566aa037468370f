#!/usr/bin/env python3
"""An agent on OpenAI's Chat Completions, or any server that speaks them (OPENAI_BASE_URL), with Toolway's tools."""
import openai

from command_line import main


def model(name):
    client = openai.OpenAI()  # OPENAI_API_KEY, OPENAI_BASE_URL

    def ask(messages, tools):
        reply = client.chat.completions.create(model=name, messages=messages, tools=tools or openai.omit)
        message = reply.choices[0].message
        as_sent = message.model_dump(exclude_none=True)
        return [as_sent], as_sent, message.content

    return ask


if __name__ == "__main__":
    main(__doc__, "openai", model, "gpt-5-mini")
