// Event streams that break every five seconds and are made again, next to calls: sse_storm.yaml for k6, which cannot read a stream as it comes.
import { call, constant, countKept, followFor, load, openSessions } from './lib/toolway.js';

export const options = load(
  {
    calls: Object.assign(constant(300, 30, 4), { exec: 'calls' }),
    storm: Object.assign(constant(200, 30, 6), { exec: 'storm' }),
  },
  { toolway_completion: ['med<50', 'p(99)<3000'], toolway_errors: ['rate<0.001'] },
);

export function setup() {
  return { calls: openSessions('calls', 1000) };
}

export function calls(data) {
  call(data.calls, 'bench.echo', { payload: 'x'.repeat(64) });
}

export function storm(data) {
  followFor(data.calls, 5);
}

export function teardown(data) {
  countKept(data.calls);
}
