#!/usr/bin/env bash
# Random conversations with the chat engine, whose requests real tokenizers count.
# usage: tests/deep/tokens.sh [COUNT [FIRST]]     10,000 from the first one on
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# It installs the tokenizers and builds what plays the conversations.
./run test unit_chat.tokens
exec node tests/tokens/window_test.mjs build/tests/tokens/toolway-tokens build/tokenizers "${1:-10000}" "${2:-1}"
