// k6/metrics: sums and numbers of samples.
import { figures } from './state.js';

class Metric {
  constructor(name) {
    this.figure = figures[name] = { sum: 0, samples: 0 };
  }

  add(value) {
    if (Number.isNaN(Number(value))) throw new Error('not a number');
    this.figure.sum += Number(value);
    this.figure.samples++;
  }
}

export { Metric as Counter, Metric as Rate, Metric as Trend };
