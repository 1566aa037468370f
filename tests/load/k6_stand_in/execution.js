// k6/execution: one VU, which runs one iteration after the other.
import { iteration } from './state.js';

export default {
  scenario: {
    get name() {
      return iteration.name;
    },
    get iterationInTest() {
      return iteration.number;
    },
  },
  vu: {
    get idInTest() {
      return 1 + (iteration.number % 10);
    },
  },
};
