# What the page's commands take for granted: a stack, and a directory of specs.
cp -r tests/e2e/docs/prepared/spec-sources/specs .
toolway dev
