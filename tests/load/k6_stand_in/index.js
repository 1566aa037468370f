// k6, as far as the scripts use it: time passes without waiting.
import { clock } from './state.js';

export function sleep(seconds) {
  clock.now += seconds;
}
