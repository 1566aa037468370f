// Twenty thousand open sessions, and calls over two thousand of them: many_sessions.yaml for k6, which follows none.
import { call, constant, countKept, load, openSessions } from './lib/toolway.js';

export const options = load({ all: constant(500, 30) }, { toolway_completion: ['p(99)<100'], toolway_errors: ['rate<0.001'] });

export function setup() {
  openSessions('all', 18000);
  return openSessions('all', 2000);
}

export default function (sessions) {
  call(sessions, 'bench.echo', { payload: 'x'.repeat(64) });
}

export function teardown(sessions) {
  countKept(sessions);
}
