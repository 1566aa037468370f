// What the clients in JavaScript share. They get URL, REVISION, CELL and the cell's arguments, and print what they saw as lines of JSON.
import { createInterface } from "node:readline";

export const [url, revision, cell, ...given] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

// Says it, and waits until the judge has looked.
export async function pause(seen) {
  console.log(JSON.stringify(seen));
  await lines.next();
}

export const textOf = (result) => result.content[0].text;
export const schemasOf = (tools) => Object.fromEntries(tools.map((tool) => [tool.name, tool.inputSchema]));
export const slow = (seconds) => ({ name: "slow_compute", arguments: { seconds } });

export async function run(cells) {
  try {
    console.log(JSON.stringify(await cells[cell](...given)));
    process.exit(0);
  } catch (error) {
    console.log(JSON.stringify({ error: String(error.stack ?? error) }));
    process.exit(1);
  }
}
