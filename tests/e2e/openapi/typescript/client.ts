// A client as somebody would write it with the types that openapi-typescript makes of docs/openapi.yaml.
import type { components, operations, paths } from "./api";

type Call = components["schemas"]["Call"];
type CallPage = paths["/v1/calls"]["get"]["responses"]["200"]["content"]["application/json"];
type Problem = components["schemas"]["Problem"];
type Query = NonNullable<operations["listUserCalls"]["parameters"]["query"]>;

async function answered<T>(response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T;
  const problem = (await response.json()) as Problem;
  const again: components["schemas"]["ErrorCode"][] = ["overloaded", "queue_full", "shutting_down"];
  throw new Error(`${problem.code}: ${problem.detail}${again.includes(problem.code) ? " (try again)" : ""}`);
}

export async function callTool(url: string, session: string, call: Call): Promise<components["schemas"]["WaitedCall"]> {
  const body: operations["callTool"]["requestBody"]["content"]["application/json"] = call;
  return answered(await fetch(`${url}/v1/sessions/${session}/calls`, {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "wait=30" },
    body: JSON.stringify(body),
  }));
}

/** How long the calls that a query finds ran, page by page. */
export async function* runTimes(url: string, query: Query): AsyncGenerator<number> {
  for (let before: string | null = null; ;) {
    const asked = new URLSearchParams(Object.entries({ ...query, ...(before === null ? {} : { before }) }).map(([name, value]) => [name, String(value)]));
    const page: CallPage = await answered(await fetch(`${url}/v1/calls?${asked}`));
    for (const call of page.calls) if (call.outcome === "succeeded" && call.ran_ms !== null) yield call.ran_ms;
    if (page.next === null) return;
    before = page.next;
  }
}

export const slow = (url: string) => runTimes(url, { outcome: "succeeded", min_duration: "1s", since: "1h", limit: 1000 });
