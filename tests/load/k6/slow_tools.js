// Tools that take a second, next to short ones, which do not wait for them: slow_tools.yaml for k6.
import { call, constant, countKept, load, openSessions } from './lib/toolway.js';

export const options = load(
  {
    slow: Object.assign(constant(200, 30, 2), { exec: 'slow' }),
    quick: Object.assign(constant(200, 30), { exec: 'quick' }),
  },
  { 'toolway_completion{scenario:slow}': ['med<1100', 'p(99)<1500'], 'toolway_completion{scenario:quick}': ['p(99)<100'], toolway_errors: ['rate<0.001'] },
);

export function setup() {
  return { slow: openSessions('slow', 32), quick: openSessions('quick', 16) };
}

export function slow(data) {
  call(data.slow, 'bench.work', { wait_ms: 1000, chunks: 10 });
}

export function quick(data) {
  call(data.quick, 'bench.echo', { payload: 'x'.repeat(64) });
}

export function teardown(data) {
  countKept(data.slow);
  countKept(data.quick);
}
