// k6/http, and a Toolway that answers it and completes every call at once, unless a fault is asked for. Paths and answers are those of docs/api.md.
import { clock, fault } from './state.js';

/// Sessions by name: the events of each, how many of its calls are recorded, and what was asked of it.
export const sessions = {};
let made = 0;

/// Whether a fault is to happen now.
function happens(name, when = true) {
  if (fault.name !== name || !when) return false;
  fault.times++;
  return true;
}

function answer(status, body) {
  return { status, body: JSON.stringify(body), json: (field) => (field ? body[field] : body) };
}

function makeCall(session, body, recorded) {
  const { tool_call_id } = body;
  const call_id = `call-${++made}`;
  if (!recorded) return call_id;
  session.completed++;
  const reports = body.arguments.chunks || 0;
  const types = ['started', ...Array(reports).fill('progress'), 'completed'];
  types.forEach((type, i) => session.events.push({ id: `1-${session.events.length + 1}`, call_id, tool_call_id, seq: i + 1, type }));
  return call_id;
}

function callIn(session, body, params) {
  if (happens('refuse')) return answer(503, { code: 'bus_unavailable' });
  session.asked.push(body);
  const chosen = session.asked.length % 100 === 0;
  const call_id = makeCall(session, body, !happens('lose', chosen));
  if (happens('twice', chosen)) makeCall(session, body, true);
  clock.now += (body.arguments.wait_ms || 0) / 1000;
  if (!params.headers.prefer) return answer(202, { status: 'queued', call_id });
  return answer(200, { status: 'completed', call_id, outcome: 'succeeded' });
}

function eventsOf(session, query) {
  const limit = Number(query.get('limit') || 100);
  if (limit > 1000) return answer(400, { code: 'invalid_request' });
  let from = query.get('after') === '0' ? 0 : Number(query.get('after').split('-')[1]);
  if (happens('again', from > 0)) from--;
  const events = session.events.slice(from, from + limit);
  return answer(200, { events, next: events.length ? events[events.length - 1].id : query.get('after'), more: session.events.length > from + limit });
}

function request(method, url, body, params) {
  const { pathname, searchParams } = new URL(url);
  const [, version, kind, name, what] = pathname.split('/');
  if (version !== 'v1' || kind !== 'sessions') throw new Error(`${method} ${url}: there is no such thing`);
  if (!params.headers['x-toolway-user']) throw new Error(`${method} ${url}: no user asks`);
  if (method === 'POST' && !name) {
    sessions[JSON.parse(body).session_id] = { events: [], completed: 0, asked: [] };
    return answer(201, {});
  }
  const session = sessions[name];
  if (!session) return answer(404, { code: 'unknown_session' });
  if (method === 'POST' && what === 'calls') return callIn(session, JSON.parse(body), params);
  if (method === 'GET' && !what) return answer(200, { counts: { queued: 0, running: 0, completed: session.completed } });
  if (method === 'GET' && what === 'events' && params.headers.accept === 'application/json') return eventsOf(session, searchParams);
  if (method === 'GET' && what === 'events') {
    clock.now += parseFloat(params.timeout) / 1000; // a stream has no end of its own
    return answer(0, {});
  }
  throw new Error(`${method} ${url}: there is no such thing`);
}

export default {
  get: (url, params) => request('GET', url, null, params),
  post: (url, body, params) => request('POST', url, body, params),
  batch: (requests) => requests.map((each) => request(...each)),
};
