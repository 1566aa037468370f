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
export const completion = new Trend('toolway_completion', true);
export const errors = new Rate('toolway_errors');
/// Calls that are not completed at the end.
export const lost = new Counter('toolway_lost');
/// Completions that a session has beside its calls.
export const repeats = new Counter('toolway_repeats');

export const kept = { toolway_lost: ['count==0'], toolway_repeats: ['count==0'] };

export function seconds(whole) {
  return Number(__ENV.LOAD_SECONDS || whole);
}

export function scaled(count) {
  return Math.max(1, Math.round(count * scale));
}

/// Stages `[[seconds, calls/s at its end], ...]` as k6's ramping-arrival-rate has them, from `start` on.
export function arrivals(start, stages) {
  const whole = stages.reduce((sum, stage) => sum + stage[0], 0);
  const factor = seconds(whole) / whole;
  const most = Math.max(start, ...stages.map((stage) => stage[1]));
  return {
    executor: 'ramping-arrival-rate',
    startRate: Math.round(start * scale),
    timeUnit: '1s',
    preAllocatedVUs: Math.max(10, Math.round(most * scale * 0.1)),
    maxVUs: Math.max(100, Math.round(most * scale * 2)),
    stages: stages.map((stage) => ({ duration: `${Math.max(1, Math.round(stage[0] * factor * 1000))}ms`, target: Math.round(stage[1] * scale) })),
  };
}

export function constant(rate, whole) {
  return {
    executor: 'constant-arrival-rate',
    rate: scaled(rate),
    timeUnit: '1s',
    duration: `${Math.round(seconds(whole) * 1000)}ms`,
    preAllocatedVUs: Math.max(10, Math.round(rate * scale * 0.1)),
    maxVUs: Math.max(100, Math.round(rate * scale * 2)),
  };
}

function headers(user, more) {
  return Object.assign({ 'content-type': 'application/json', 'x-toolway-user': user }, more || {});
}

/// Opens so many sessions of a user; their names. For `setup`.
export function openSessions(user, count) {
  const run = `${Date.now().toString(36)}-${Math.floor(Math.random() * 1e9).toString(36)}`;
  const names = [];
  for (let i = 0; i < scaled(count); i++) {
    const name = `k6-${user}-${run}-${i}`;
    const answer = http.post(`${urls[0]}/v1/sessions`, JSON.stringify({ session_id: name, namespaces: ['bench'] }), { headers: headers(user) });
    if (answer.status !== 201) throw new Error(`cannot open a session: HTTP ${answer.status}: ${answer.body}`);
    names.push(name);
  }
  return { user, names };
}

/// Makes one call and waits for its completion; with a key, it goes on through the next gateway when one does not answer.
export function call(sessions, tool, args, options) {
  const name = sessions.names[exec.scenario.iterationInTest % sessions.names.length];
  const key = options && options.sameKey ? `${name}-${exec.scenario.name}-${exec.scenario.iterationInTest}` : null;
  const more = key ? { prefer: 'wait=30', 'idempotency-key': key } : { prefer: 'wait=30' };
  const began = Date.now();
  let answer;
  for (let attempt = 0; attempt < (key ? 60 : 1); attempt++) {
    const url = urls[(exec.vu.idInTest + attempt) % urls.length];
    answer = http.post(`${url}/v1/sessions/${name}/calls`, JSON.stringify({ tool, arguments: args }), { headers: headers(sessions.user, more), tags: { name: 'call' } });
    if (answer.status === 200 || answer.status === 202) break;
    if (key) sleep(attempt === 0 ? 0.001 : 0.2);
  }
  const done = answer.status === 200 && answer.json('outcome') === 'succeeded';
  errors.add(!done);
  if (done) completion.add(Date.now() - began);
  return answer;
}

/// Whether every call of the sessions is completed, once each; waits up to a minute for the last ones. For `teardown`.
export function countKept(sessions) {
  for (const name of sessions.names) {
    let open = 0;
    for (let tried = 0; tried < 60; tried++) {
      const answer = http.get(`${urls[0]}/v1/sessions/${name}`, { headers: headers(sessions.user) });
      const counts = answer.status === 200 ? answer.json('counts') : null;
      open = counts ? counts.queued + counts.running : 1;
      if (open === 0) break;
      sleep(1);
    }
    if (open > 0) lost.add(open);
    repeats.add(repeatedIn(sessions.user, name));
  }
}

/// Completions of a call that has one already, in a session's own record of its events.
function repeatedIn(user, name) {
  const seen = {};
  let repeated = 0;
  let after = '0';
  for (let page = 0; page < 10; page++) {
    const answer = http.get(`${urls[0]}/v1/sessions/${name}/events?after=${after}`, { headers: headers(user, { accept: 'application/json' }) });
    if (answer.status !== 200) return repeated;
    const events = answer.json('events') || [];
    for (const event of events) {
      if (event.type === 'completed') {
        if (seen[event.call_id]) repeated++;
        seen[event.call_id] = true;
      }
      after = event.id;
    }
    if (events.length === 0) return repeated;
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
