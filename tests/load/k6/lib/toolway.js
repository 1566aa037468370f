// What the scripts share: sessions, calls with their figures, and whether every call was kept. For k6 1.x.
//
//   TOOLWAY_URL   gateways, with commas (http://127.0.0.1:8080)
//   LOAD_SECONDS  length of the whole, instead of the script's own; stages shrink alike
//   LOAD_SCALE    times the load (1)
import http from 'k6/http';
import { sleep } from 'k6';
import exec from 'k6/execution';
import { Counter, Rate, Trend } from 'k6/metrics';

const urls = (__ENV.TOOLWAY_URL || 'http://127.0.0.1:8080').split(',');
const scale = Number(__ENV.LOAD_SCALE || 1);

/// From the request to the completion in its answer (`Prefer: wait`).
const completion = new Trend('toolway_completion', true);
const errors = new Rate('toolway_errors');
/// Calls that were accepted, less calls that are recorded as completed at the end. A request without an answer whose call
/// ran all the same counts as -1.
const lost = new Counter('toolway_lost');
/// Events that a session's record gives twice, and requests for which two calls were made.
const repeats = new Counter('toolway_repeats');

/// A script's options. k6 does not start an iteration for which it has no VU, and a call that was never made has no
/// latency: `dropped_iterations` is bounded in each script.
export function load(scenarios, thresholds) {
  return {
    scenarios,
    setupTimeout: '10m',
    teardownTimeout: '30m',
    summaryTrendStats: ['med', 'p(90)', 'p(95)', 'p(99)', 'max'],
    thresholds: Object.assign({ dropped_iterations: ['count==0'], toolway_lost: ['count<=0'], toolway_repeats: ['count==0'] }, thresholds),
  };
}

function seconds(whole) {
  return Number(__ENV.LOAD_SECONDS || whole);
}

function scaled(count) {
  return Math.max(1, Math.round(count * scale));
}

/// VUs for iterations that take up to `longest` seconds: all of them at the start, since k6 drops the iteration for which it
/// has to make one. An iteration that is in progress at the end may end.
function workers(rate, longest) {
  const vus = Math.max(10, Math.ceil(rate * scale * longest));
  return { preAllocatedVUs: vus, maxVUs: vus, gracefulStop: '65s' };
}

/// Stages `[[seconds, calls/s at its end], ...]` as k6's ramping-arrival-rate has them, from `start` on.
export function arrivals(start, stages, longest = 1) {
  const whole = stages.reduce((sum, stage) => sum + stage[0], 0);
  const factor = seconds(whole) / whole;
  const most = Math.max(start, ...stages.map((stage) => stage[1]));
  return Object.assign(workers(most, longest), {
    executor: 'ramping-arrival-rate',
    startRate: Math.round(start * scale),
    timeUnit: '1s',
    stages: stages.map((stage) => ({ duration: `${Math.max(1, Math.round(stage[0] * factor * 1000))}ms`, target: Math.round(stage[1] * scale) })),
  });
}

/// A number of iterations a second, each of up to `longest` seconds, for `whole` seconds.
export function constant(rate, whole, longest = 1) {
  return Object.assign(workers(rate, longest), {
    executor: 'constant-arrival-rate',
    rate: scaled(rate),
    timeUnit: '1s',
    duration: `${Math.round(seconds(whole) * 1000)}ms`,
  });
}

function headers(user, more) {
  return Object.assign({ 'content-type': 'application/json', 'x-toolway-user': user }, more || {});
}

/// The answers to one request for each of `names`, a hundred at a time.
function forEach(names, request) {
  const answers = [];
  for (let from = 0; from < names.length; from += 100) {
    answers.push(...http.batch(names.slice(from, from + 100).map(request)));
  }
  return answers;
}

/// Opens a number of sessions of a user; the user and their names. For `setup`.
export function openSessions(user, count) {
  const run = `${Date.now().toString(36)}-${Math.floor(Math.random() * 1e9).toString(36)}`;
  const names = [];
  for (let i = 0; i < scaled(count); i++) names.push(`k6-${user}-${run}-${i}`);
  const answers = forEach(names, (name) => ['POST', `${urls[0]}/v1/sessions`, JSON.stringify({ session_id: name, namespaces: ['bench'] }), { headers: headers(user) }]);
  const refused = answers.find((answer) => answer.status !== 201);
  if (refused) throw new Error(`cannot open a session: HTTP ${refused.status}: ${refused.body}`);
  return { user, names };
}

/// Makes one call. It waits for the completion, unless `detached`: then it is done when it is accepted. With `sameKey` it goes
/// on through the next gateway when one does not answer.
export function call(sessions, tool, args, options) {
  const { sameKey, detached } = options || {};
  const name = sessions.names[exec.scenario.iterationInTest % sessions.names.length];
  const request = `${exec.scenario.name}-${exec.scenario.iterationInTest}`;
  const more = {};
  if (!detached) more.prefer = 'wait=30';
  if (sameKey) more['idempotency-key'] = `${name}-${request}`;
  const body = JSON.stringify({ tool, arguments: args, tool_call_id: request });
  const began = Date.now();
  let answer;
  for (let attempt = 0; attempt < (sameKey ? 60 : 1); attempt++) {
    const url = urls[(exec.vu.idInTest + attempt) % urls.length];
    answer = http.post(`${url}/v1/sessions/${name}/calls`, body, { headers: headers(sessions.user, more), tags: { name: 'call' } });
    if (answer.status === 200 || answer.status === 202) break;
    if (sameKey) sleep(attempt === 0 ? 0.001 : 0.2);
  }
  const accepted = answer.status === 200 || answer.status === 202;
  if (accepted) lost.add(1);
  const completed = answer.status === 200 && answer.json('outcome') === 'succeeded';
  errors.add(detached ? !accepted : !completed);
  if (completed) completion.add(Date.now() - began);
}

/// Nine short calls in ten, and one with five reports of progress.
export function shortOrReporting(sessions, options) {
  if (Math.random() < 0.9) call(sessions, 'bench.echo', { payload: 'x'.repeat(64) }, options);
  else call(sessions, 'bench.stream', { payload: 'x'.repeat(64), chunks: 5 }, options);
}

/// Takes what is recorded as completed from what was accepted, and looks for repeats. For `teardown`.
export function countKept(sessions) {
  lost.add(-recordedCompletions(sessions));
  for (const name of sessions.names) repeats.add(repeatedIn(sessions.user, name));
}

/// How many calls of the sessions Postgres has as completed, when none is open and none was added for five seconds, or after
/// two minutes.
function recordedCompletions(sessions) {
  let recorded = 0;
  let still = 0;
  for (let second = 0; second < 120 && still < 5; second++) {
    sleep(1);
    const answers = forEach(sessions.names, (name) => ['GET', `${urls[0]}/v1/sessions/${name}`, null, { headers: headers(sessions.user) }]);
    const counts = answers.map((answer) => (answer.status === 200 ? answer.json('counts') : null));
    if (counts.some((count) => !count)) continue;
    const completed = counts.reduce((sum, count) => sum + count.completed, 0);
    const open = counts.reduce((sum, count) => sum + count.queued + count.running, 0);
    still = open === 0 && completed === recorded ? still + 1 : 0;
    recorded = completed;
  }
  return recorded;
}

/// Events that a session's record gives twice, and completions with a tool_call_id that another one has.
function repeatedIn(user, name) {
  const seen = new Set();
  let repeated = 0;
  const again = (key) => seen.size === seen.add(key).size;
  let page = { more: true, next: '0' };
  while (page.more) {
    const answer = http.get(`${urls[0]}/v1/sessions/${name}/events?limit=1000&after=${page.next}`, { headers: headers(user, { accept: 'application/json' }), tags: { name: 'events' } });
    if (answer.status !== 200) throw new Error(`cannot read a session's events: HTTP ${answer.status}: ${answer.body}`);
    page = answer.json();
    for (const event of page.events) {
      if (again(`${event.call_id} ${event.seq} ${event.type}`)) repeated++;
      else if (event.type === 'completed' && again(event.tool_call_id)) repeated++;
    }
  }
  return repeated;
}

/// Follows a session's event stream for so long, and hangs up.
export function followFor(sessions, length) {
  const name = sessions.names[exec.vu.idInTest % sessions.names.length];
  http.get(`${urls[exec.vu.idInTest % urls.length]}/v1/sessions/${name}/events`, {
    headers: headers(sessions.user, { accept: 'text/event-stream' }),
    timeout: `${Math.round(length * 1000)}ms`,
    responseType: 'none',
    tags: { name: 'stream' },
  });
}
