// A thousand calls a second over several gateways (TOOLWAY_URL with commas) that are restarted meanwhile, by you or by your cluster: rolling_restart.yaml for k6.
import { call, constant, countKept, kept, openSessions } from './lib/toolway.js';

export const options = {
  scenarios: { all: constant(1000, 40) },
  summaryTrendStats: ['med', 'p(90)', 'p(95)', 'p(99)', 'max'],
  thresholds: Object.assign({ toolway_completion: ['p(99)<500'], toolway_errors: ['rate==0'] }, kept),
};

export function setup() {
  return openSessions('all', 64);
}

export default function (sessions) {
  call(sessions, 'bench.echo', { payload: 'x'.repeat(64) }, { sameKey: true });
}

export function teardown(sessions) {
  countKept(sessions);
}
