# The two versions that the page compares, overlays for them, and a stack.
cp tests/e2e/docs/prepared/versions/* .
toolway dev
