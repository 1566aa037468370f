#!/usr/bin/env python3
"""An agent on OpenAI's Responses API, with Toolway's tools. The conversation stays on this side (`store=False`)."""
import openai

from command_line import main


def model(name):
    client = openai.OpenAI()  # OPENAI_API_KEY, OPENAI_BASE_URL

    def ask(messages, tools):
        reply = client.responses.create(model=name, input=messages, tools=tools, store=False, include=["reasoning.encrypted_content"])
        items = [item.model_dump(exclude_none=True) for item in reply.output]
        return items, items, reply.output_text

    return ask


if __name__ == "__main__":
    main(__doc__, "openai-responses", model, "gpt-5-mini")
