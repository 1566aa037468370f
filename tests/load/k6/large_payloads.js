// Large arguments and results next to small calls: large_payloads.yaml for k6.
import { call, constant, countKept, load, openSessions } from './lib/toolway.js';

export const options = load(
  {
    large: Object.assign(constant(20, 30, 3), { exec: 'large' }),
    small: Object.assign(constant(200, 30), { exec: 'small' }),
  },
  { 'toolway_completion{scenario:large}': ['med<200', 'p(99)<2000'], 'toolway_completion{scenario:small}': ['med<20', 'p(99)<500'], toolway_errors: ['rate<0.001'] },
);

export function setup() {
  return { large: openSessions('large', 16), small: openSessions('small', 16) };
}

export function large(data) {
  const part = Math.random();
  if (part < 0.5) call(data.large, 'bench.echo', { payload: 'x'.repeat(200000) });
  else call(data.large, 'bench.work', { result_bytes: part < 0.9 ? 300000 : 2000000 });
}

export function small(data) {
  call(data.small, 'bench.echo', { payload: 'x'.repeat(64) });
}

export function teardown(data) {
  countKept(data.large);
  countKept(data.small);
}
