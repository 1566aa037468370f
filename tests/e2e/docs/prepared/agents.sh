# What the page takes for granted: a stack with a chat process whose model is a script.
toolway dev --chat --script examples/agents/long_tools.yaml
