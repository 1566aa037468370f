// Runs a script as k6 would, one iteration after the other, against the stand-in; says as JSON what it asked for and what came
// of it. usage: run.js SCRIPT ITERATIONS FAULT
import { pathToFileURL } from 'node:url';
import { clock, fault, figures, iteration } from './state.js';
import { sessions } from './http.js';

const [, , script, iterations, faultName] = process.argv;
globalThis.__ENV = process.env;

// Chance is the same in each run.
let chance = 1;
Math.random = () => (chance = (chance * 48271) % 2147483647) / 2147483647;

fault.name = faultName;
const module = await import(pathToFileURL(script));
const data = JSON.stringify(module.setup());
const longest = {};
for (const [name, scenario] of Object.entries(module.options.scenarios)) {
  const vu = module[scenario.exec || 'default'];
  longest[name] = 0;
  for (let number = 0; number < Number(iterations); number++) {
    Object.assign(iteration, { name, number });
    const began = clock.now;
    vu(JSON.parse(data));
    longest[name] = Math.max(longest[name], clock.now - began);
  }
}
module.teardown(JSON.parse(data));

const all = Object.values(sessions);
const asked = all.flatMap((session) => session.asked);
console.log(
  JSON.stringify({
    options: module.options,
    figures,
    faults: fault.times,
    longest,
    sessions: all.length,
    calls: Object.keys(longest).filter((name) => asked.some((body) => body.tool_call_id.startsWith(`${name}-`))),
    called: all.filter((session) => session.asked.length > 0).length,
    reporting: asked.filter((body) => body.arguments.chunks > 0).length / asked.length,
  }),
);
