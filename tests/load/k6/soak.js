// A thousand calls a second for an hour: soak.yaml for k6. What processes hold is for Prometheus to say.
import { constant, countKept, load, openSessions, shortOrReporting } from './lib/toolway.js';

export const options = load({ all: constant(1000, 3600) }, { toolway_completion: ['p(99)<500'], toolway_errors: ['rate<0.001'] });

export function setup() {
  return openSessions('all', 64);
}

export default function (sessions) {
  shortOrReporting(sessions);
}

export function teardown(sessions) {
  countKept(sessions);
}
