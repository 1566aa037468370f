// One side of BullMQ's bench, in a process of its own:
//     node bullmq.mjs worker REDIS_PORT SLOTS PROGRESS [client's numbers: is the client too]
//     node bullmq.mjs client REDIS_PORT IN_FLIGHT WARM_UP_S SECONDS PAYLOAD PROGRESS
// The client keeps IN_FLIGHT jobs open, follows the queue's events, and prints a line of JSON. A job is done once its event
// `completed` has come; one whose reports of progress have not all come, that fails, or comes twice, is an error.
import { Queue, QueueEvents, Worker } from 'bullmq';

const [role, port, ...rest] = process.argv.slice(2);
const numbers = rest.map(Number);
const connection = { host: '127.0.0.1', port: Number(port), maxRetriesPerRequest: null };
const kQueue = 'bench';

async function work(slots, reports) {
  const echo = async (job) => {
    for (let i = 1; i <= reports; i += 1) await job.updateProgress(i);
    return job.data;
  };
  const worker = new Worker(kQueue, echo, { connection, concurrency: slots });
  await worker.waitUntilReady();
  process.on('SIGTERM', () => worker.close().then(() => process.exit(0)));
  return worker;
}

async function call(inFlight, warmUp, seconds, bytes, reports) {
  // Only what is in flight is kept, as our streams keep no call that is recorded.
  const queue = new Queue(kQueue, { connection, defaultJobOptions: { removeOnComplete: true, removeOnFail: true } });
  // From the first event on: by itself it begins with what comes after it has asked, and is ready before it asks.
  const events = new QueueEvents(kQueue, { connection, lastEventId: '0-0' });
  await Promise.all([queue.waitUntilReady(), events.waitUntilReady()]);
  const payload = { payload: 'x'.repeat(bytes) };
  const open = new Map();
  const took = [];
  let errors = 0;
  let made = 0;
  let first = 0;
  const measureFrom = performance.now() + warmUp * 1000;
  const stopAt = measureFrom + seconds * 1000;
  let last = measureFrom;

  events.on('progress', ({ jobId }) => {
    const job = open.get(jobId);
    if (job === undefined) errors += 1;
    else job.reports += 1;
  });
  events.on('failed', () => { errors += 1; });
  const done = new Promise((resolve) => {
    const next = () => {
      const now = performance.now();
      if (now >= stopAt) return open.size === 0 && resolve();
      const id = `call-${made += 1}`;
      open.set(id, { since: now, reports: 0 });
      queue.add('echo', payload, { jobId: id }).catch((error) => { console.error(error); process.exit(1); });
      return undefined;
    };
    events.on('completed', ({ jobId }) => {
      const job = open.get(jobId);
      if (job === undefined || job.reports !== reports) errors += 1;
      open.delete(jobId);
      const now = performance.now();
      if (job !== undefined && job.since >= measureFrom) {
        first = first || job.since;
        took.push(now - job.since);
        last = now;
      }
      next();
    });
    for (let i = 0; i < inFlight; i += 1) next();
  });
  await done;
  took.sort((a, b) => a - b);
  const share = (of) => took[Math.floor(of * (took.length - 1))];
  console.log(JSON.stringify({
    calls: took.length, errors, calls_per_s: took.length / ((last - first) / 1000), p50_ms: share(0.5), p99_ms: share(0.99),
  }));
  await Promise.all([events.close(), queue.close()]);
}

if (role === 'client') {
  await call(...numbers);
} else {
  const worker = await work(...numbers.slice(0, 2));
  if (numbers.length === 2) {
    console.log('ready');
  } else {
    await call(...numbers.slice(2));
    await worker.close();
  }
}
