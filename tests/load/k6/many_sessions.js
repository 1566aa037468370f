// Calls over two thousand sessions: many_sessions.yaml for k6.
import { call, constant, countKept, kept, openSessions } from './lib/toolway.js';

export const options = {
  scenarios: { all: constant(500, 30) },
  summaryTrendStats: ['med', 'p(90)', 'p(95)', 'p(99)', 'max'],
  thresholds: Object.assign({ toolway_completion: ['p(99)<100'], toolway_errors: ['rate<0.001'] }, kept),
};

export function setup() {
  return openSessions('all', 2000);
}

export default function (sessions) {
  call(sessions, 'bench.echo', { payload: 'x'.repeat(64) });
}

export function teardown(sessions) {
  countKept(sessions);
}
