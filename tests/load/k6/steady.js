// A thousand calls a second, evenly, for a minute: steady.yaml for k6.
import { constant, countKept, load, openSessions, shortOrReporting } from './lib/toolway.js';

export const options = load({ all: constant(1000, 60) }, { toolway_completion: ['med<10', 'p(99)<50'], toolway_errors: ['rate<0.001'] });

export function setup() {
  return openSessions('all', 64);
}

export default function (sessions) {
  shortOrReporting(sessions);
}

export function teardown(sessions) {
  countKept(sessions);
}
