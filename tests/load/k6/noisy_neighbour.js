// One user floods a pool with slow calls; another one's calls go on: noisy_neighbour.yaml for k6. Its stack needs few slots,
// such as `toolway dev --pool native=8`.
import { arrivals, call, constant, countKept, load, openSessions } from './lib/toolway.js';

export const options = load(
  {
    noisy: Object.assign(arrivals(0, [[5, 0], [1, 600], [9, 600], [1, 0], [24, 0]]), { exec: 'noisy' }),
    quiet: Object.assign(constant(20, 40, 4), { exec: 'quiet' }),
  },
  { 'toolway_completion{scenario:quiet}': ['p(99)<600'], 'toolway_errors{scenario:quiet}': ['rate<0.001'] },
);

export function setup() {
  return { noisy: openSessions('noisy', 4), quiet: openSessions('quiet', 4) };
}

export function noisy(data) {
  call(data.noisy, 'bench.work', { wait_ms: 50 }, { detached: true });
}

export function quiet(data) {
  call(data.quiet, 'bench.work', { wait_ms: 5 });
}

export function teardown(data) {
  countKept(data.noisy);
  countKept(data.quiet);
}
