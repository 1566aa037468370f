// Quiet, ten times as many calls within a second, and quiet again: burst.yaml for k6.
import { arrivals, call, countKept, load, openSessions } from './lib/toolway.js';

export const options = load(
  { all: arrivals(200, [[15, 200], [1, 2000], [10, 2000], [1, 200], [20, 200]]) },
  { toolway_completion: ['med<20', 'p(99)<500'], toolway_errors: ['rate<0.001'] },
);

export function setup() {
  return openSessions('all', 64);
}

export default function (sessions) {
  call(sessions, 'bench.echo', { payload: 'x'.repeat(64) });
}

export function teardown(sessions) {
  countKept(sessions);
}
