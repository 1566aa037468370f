// No request of a conversation of which something can be left out is larger than the model's window less the longest reply, and the estimate of it is within 15 %
// once the provider has counted two: random conversations with the engine, counted by real tokenizers.
//
// usage: node window_test.mjs PROGRAM MODULES [COUNT [FIRST]]     PROGRAM: toolway-tokens; MODULES: where npm has installed
// what npm/package-lock.json pins; COUNT conversations from the seed FIRST on
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {count_body, open_counters} from './count.mjs';

// Of the estimates of requests whose conversation had two counted before. With `any`, each text is of another of 17 kinds, so
// that most requests have kinds which the provider has not counted yet.
const WITHIN = 0.15;
const PARTS = {alike: 0.99, mixed: 0.98, change: 0.98, any: 0.85};

// Servers have new and old vocabularies, and write tools as OpenAI does or as JSON.
function server_of({history, api}, counters) {
  if (api === '/v1/messages') return {counter: counters.claude, as_json: true};
  return {counter: history % 4 < 2 ? counters.o200k : counters.cl100k, as_json: history % 2 === 0};
}

async function play(program, modules, count, first, note) {
  const counters = open_counters(modules);
  const child = spawn(program, [first, count], {stdio: ['pipe', 'pipe', 'inherit']});
  const ended = once(child, 'close');
  const ends = [];
  for await (const line of createInterface({input: child.stdout, crlfDelay: Infinity})) {
    const asked = JSON.parse(line);
    if (asked.turns !== undefined) {
      ends.push(asked);
      Object.values(counters).forEach(counter => counter.forget());
      continue;
    }
    const {counter, as_json} = server_of(asked, counters);
    const {body, ...request} = asked;
    request.tokens = count_body(asked.api, body, counter.text, as_json);
    note(request);
    child.stdin.write(`${request.tokens}\n`);
  }
  const [status] = await ended;
  if (status !== 0) throw new Error(`${program} ended with status ${status}`);
  return ends;
}

const percent = part => `${(100 * part).toFixed(1)} %`;
const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
const ascending = numbers => numbers.sort((a, b) => a - b);
const error_of = request => Math.abs(request.estimate - request.tokens) / request.tokens;

function distribution(name, requests) {
  const errors = ascending(requests.map(error_of));
  const inside = errors.filter(error => error <= WITHIN).length / errors.length;
  console.log(`${name.padEnd(28)} ${String(errors.length).padStart(6)}   p50 ${percent(at(errors, 0.5))}   p90 ${percent(at(errors, 0.9))}   ` +
    `p99 ${percent(at(errors, 0.99))}   max ${percent(errors.at(-1))}   within ${percent(WITHIN)}: ${percent(inside)}`);
  return inside;
}

// What is wrong with the estimates, a line each.
function judge_estimates(requests) {
  const asked = requests.filter(request => !request.summary);
  console.log('error of the estimate      requests');
  distribution('first request', asked.filter(request => request.counted === 0));
  distribution('second', asked.filter(request => request.counted === 1));
  const wrong = [];
  for (const [texts, part] of Object.entries(PARTS)) {
    const calibrated = asked.filter(request => request.counted >= 2 && request.texts === texts);
    if (distribution(`calibrated, texts: ${texts}`, calibrated) < part)
      wrong.push(`of ${texts}, less than ${percent(part)} of the estimates are within ${percent(WITHIN)}`);
  }
  return wrong;
}

function judge_windows(requests) {
  const too_large = request => request.tokens + request.reply > request.window;
  const over = requests.filter(request => request.sure && too_large(request));
  // What cannot be left out is sent when it likely fits.
  const tight = requests.filter(request => !request.sure);
  console.log(`${tight.length} requests had nothing to leave out and might not fit; ${tight.filter(too_large).length} of them did not`);
  const full = ascending(requests.map(request => request.tokens / (request.window - request.reply)));
  console.log(`requests fill their windows: p50 ${percent(at(full, 0.5))}, p90 ${percent(at(full, 0.9))}, at most ${percent(full.at(-1))}`);
  const wrong = over.map(request => `larger than its window: ${JSON.stringify(request)}`);
  // Who sends next to nothing exceeds nothing.
  if (at(full, 0.9) < 0.6) wrong.push('requests leave their windows empty');
  if (tight.filter(too_large).length > tight.length / 20) wrong.push('too many requests are sent that do not fit');
  return wrong;
}

const [program, modules, count = '300', first = '1'] = process.argv.slice(2);
const requests = [];
const ends = await play(program, modules, count, first, request => requests.push(request));
const sum = name => ends.reduce((total, end) => total + end[name], 0);
console.log(`${ends.length} conversations, ${sum('turns')} turns, ${requests.length} requests, ` +
  `${requests.filter(request => request.summary).length} of them for summaries; ${sum('too_long')} messages were too long to send`);
const wrong = [...judge_windows(requests), ...judge_estimates(requests)];
if (ends.length !== Number(count)) wrong.push(`${count} conversations were asked for`);
for (const line of wrong.slice(0, 20)) console.log(`WRONG: ${line}`);
console.log(wrong.length === 0 ? 'No request of which something could be left out was larger than its window.' : `${wrong.length} things are wrong.`);
process.exitCode = wrong.length === 0 ? 0 : 1;
