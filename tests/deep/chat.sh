#!/usr/bin/env bash
# Conversations with the chat engine that are interrupted at random, and what became of them (tests/chat/campaign).
# usage: tests/deep/chat.sh [INTERRUPTS [KILLS [SEED]]]     100,000 and 1,000
#
# 1. 100,000 interrupts of engines in one process: stops, kills, faults of the model, the gateway and the store, limits.
# 2. A hundredth as many on a whole stack, with kill -9 of chat processes, gateway, worker and Postgres.
# 3. 1,000 turns whose chat process is killed in mid-turn.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
interrupts=${1:-100000} kills=${2:-1000} seed=${3:-20}

./run test '^(unit_chat|e2e_chat)'
TOOLWAY_CHAT_INTERRUPTS=$interrupts TOOLWAY_CHAT_SEED=$seed build/tests/unit_chat_tests --gtest_filter='Interrupts.*'
python3 tests/chat/campaign/campaign.py build/toolway --interrupts $((interrupts / 100)) --seed "$seed"
exec python3 tests/chat/campaign/campaign.py build/toolway --kills "$kills" --seed "$seed"
