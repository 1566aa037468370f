// A thousand calls a second, evenly, for a minute: steady.yaml for k6.
import { call, constant, countKept, kept, openSessions } from './lib/toolway.js';

export const options = {
  scenarios: { all: constant(1000, 60) },
  summaryTrendStats: ['med', 'p(90)', 'p(95)', 'p(99)', 'max'],
  thresholds: Object.assign({ toolway_completion: ['med<10', 'p(99)<50'], toolway_errors: ['rate<0.001'] }, kept),
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
