// A thousand calls a second for an hour: soak.yaml for k6. What processes hold is for Prometheus to say.
import { call, constant, countKept, kept, openSessions } from './lib/toolway.js';

export const options = {
  scenarios: { all: constant(1000, 3600) },
  summaryTrendStats: ['med', 'p(90)', 'p(95)', 'p(99)', 'max'],
  thresholds: Object.assign({ toolway_completion: ['p(99)<500'], toolway_errors: ['rate<0.001'] }, kept),
};

export function setup() {
  return openSessions('all', 64);
}

export default function (sessions) {
  if (Math.random() < 0.9) call(sessions, 'bench.echo', { payload: 'x'.repeat(64) });
  else call(sessions, 'bench.stream', { payload: 'x'.repeat(64), chunks: 5 });
}

export function teardown(sessions) {
  countKept(sessions);
}
