// A session of Toolway, over its HTTP API. Node's standard library only.
//
// Requests are sent again when the gateway is away, restarts or asks for it (`retry-after`), for `patience` seconds. That is safe: opening
// a session and acknowledging are the same twice, and a message's calls carry an Idempotency-Key.
import { setTimeout as sleep } from "node:timers/promises";

/** A call that has ended, as the mailbox shows it. */
export interface Completion {
  call_id: string;
  tool_call_id: string | null;
  namespace: string;
  tool: string;
  outcome: string;
  result: unknown;
  result_ref: { size: number } | null;
  error: { message: string } | null;
}

interface Answered<Message> {
  messages: Message[];
  calls: { call_id: string | null; status: "completed" | "detached" | "refused" }[];
}

interface Options {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  accept?: string;
}

const isTemporary = (status: number, problem: string) =>
  [429, 502, 503, 504].includes(status) || problem.includes('"code":"request_in_flight"');

export class Session<Tool, Message> {
  private readonly path: string;

  private constructor(
    private readonly url: string,
    id: string,
    private readonly format: string,
    private readonly user: string | undefined,
    private readonly patience: number,
  ) {
    this.path = "/v1/sessions/" + encodeURIComponent(id);
  }

  /** Opens the session, or takes up the one that exists. `format`: openai, openai-responses or anthropic. */
  static async open<Tool, Message>(
    url: string, id: string, namespaces: string[], format = "openai", user?: string, patience = 60,
  ): Promise<Session<Tool, Message>> {
    const session = new Session<Tool, Message>(url.replace(/\/+$/, ""), id, format, user, patience);
    await session.ask("/v1/sessions", { method: "POST", body: { session_id: id, namespaces } });
    return session;
  }

  /** What goes into the model's request as `tools`. */
  async tools(): Promise<Tool[]> {
    return (await this.ask<{ tools: Tool[] }>(`${this.path}/tools?format=${this.format}`)).tools;
  }

  /**
   * Runs the calls of a model's message. Returns the messages that answer it, and the ids of the calls that are still running.
   * With the same `key` and message the calls are the same ones, however often this is asked: nothing runs twice.
   */
  async run(message: unknown, key: string, inlineMs?: number): Promise<[Message[], string[]]> {
    const wait = inlineMs === undefined ? "" : `&inline_ms=${inlineMs}`;
    const answer = await this.ask<Answered<Message>>(`${this.path}/tool_calls?format=${this.format}${wait}`, {
      method: "POST", body: message, headers: { "Idempotency-Key": key },
    });
    const running = answer.calls.flatMap((call) => (call.status === "detached" && call.call_id ? [call.call_id] : []));
    return [answer.messages, running];
  }

  /** What has ended since the last `ack`, and the cursor to acknowledge. */
  async completions(): Promise<[Completion[], string]> {
    const ended: Completion[] = [];
    let after = "";
    for (;;) {
      const page = await this.ask<{ completions: Completion[]; next: string; more: boolean }>(`${this.path}/completions${after}`);
      ended.push(...page.completions);
      if (!page.more) return [ended, page.next];
      after = "?after=" + page.next;
    }
  }

  async ack(cursor: string): Promise<void> {
    await this.ask(`${this.path}/completions:ack`, { method: "POST", body: { cursor } });
  }

  /** Until a call has ended: the stream of its events ends then, or when the gateway does. */
  async wait(callId: string): Promise<void> {
    const events = await this.send(`/v1/calls/${callId}/events`, { accept: "text/event-stream" });
    try {
      for await (const _ of events.body ?? []) continue;
    } catch {
      // the caller looks whether it has ended, and waits again
    }
  }

  private async ask<Answer>(path: string, options: Options = {}): Promise<Answer> {
    return (await (await this.send(path, options)).json()) as Answer;
  }

  private async send(path: string, { method = "GET", body, headers = {}, accept = "application/json" }: Options): Promise<Response> {
    const giveUp = Date.now() + this.patience * 1000;
    const request = {
      method,
      headers: { ...(this.user ? { "X-Toolway-User": this.user } : {}), "Content-Type": "application/json", Accept: accept, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    for (;;) {
      let pause = 0.5;
      let why: string;
      try {
        const answer = await fetch(this.url + path, request);
        if (answer.ok) return answer;
        const problem = await answer.text();
        why = `${answer.status} ${problem}`;
        if (!isTemporary(answer.status, problem)) throw new Error(`${method} ${path}: ${why}`);
        pause = Number(answer.headers.get("retry-after") ?? 1);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // fetch's word for a gateway that is away
        why = String(error.cause ?? error);
      }
      if (Date.now() > giveUp) throw new Error(`${method} ${path}: ${why}`);
      await sleep(pause * 1000);
    }
  }
}

/** A completion as a message on the user's side, in the form that all three APIs take. */
export function lateMessage(call: Completion): { role: "user"; content: string } {
  let what = `has ${call.outcome}: ${call.error?.message ?? ""}`;
  if (call.outcome === "succeeded") {
    const result = typeof call.result === "string" ? call.result : JSON.stringify(call.result, null, 2);
    what = "has ended. Its result:\n" + result;
    if (call.result_ref) what += `\n[This is only the beginning of ${call.result_ref.size} bytes.]`;
  }
  return { role: "user", content: `The call ${call.tool_call_id} of ${call.namespace}.${call.tool}, which ran in the background, ${what}` };
}
