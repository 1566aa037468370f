# What examples of `--help` name: a stack, a session with a finished call, and files.
cp -r tests/e2e/docs/prepared/help/* . && cp -r my-tools offered && mkdir -p ~/.config/fish/completions
toolway tools new count --kind mcp -n notes --into notes && cp notes/mcp/count.yaml servers.yaml
toolway dev --specs offered --python-path my-tools --set mcp.servers=servers.yaml
toolway specs put shop1.yaml
toolway session open chat -n time,filesystem
toolway call hash_file path=README.md --session chat --wait
