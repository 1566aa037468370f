# What the page's commands take for granted: a stack, a tool that takes pairs, and the files that they name.
mkdir -p ~/specs && cp tests/e2e/docs/prepared/cli/* . && mv order.yaml ~/specs
toolway dev --specs ~/specs
