// A thousand calls a second over several gateways (TOOLWAY_URL with commas) that you or your cluster restart while it runs: rolling_restart.yaml for k6.
import { constant, countKept, load, openSessions, shortOrReporting } from './lib/toolway.js';

export const options = load({ all: constant(1000, 40, 2) }, { toolway_completion: ['p(99)<500'], toolway_errors: ['rate==0'] });

export function setup() {
  return openSessions('all', 64);
}

export default function (sessions) {
  shortOrReporting(sessions, { sameKey: true });
}

export function teardown(sessions) {
  countKept(sessions);
}
