// The loop around a model: ask it, run the calls it makes, give it their results, until it makes none.
//
// The conversation is a file, written before anything depends on it. So the loop may be killed at any moment: started again, it continues
// where it was. Calls that were running are not affected, and a message whose results are missing is run again under its old key, which
// gives the same calls.
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";

import { lateMessage, type Session } from "./toolway_session.js";

interface State<Message> {
  id: string;
  messages: Message[];
  unanswered: Message | null;
  running: string[];
  text: string | null;
  ended: boolean;
}

/** What a model reads, and what the loop must not forget, in a file (none: in memory). */
export class Conversation<Message> {
  readonly state: State<Message> = { id: randomUUID(), messages: [], unanswered: null, running: [], text: null, ended: true };

  constructor(private readonly path?: string) {
    if (path && existsSync(path)) this.state = JSON.parse(readFileSync(path, "utf8")) as State<Message>;
  }

  /** Adds messages and changes what else is kept, in one step. */
  add(messages: Message[], changes: Partial<State<Message>> = {}): void {
    this.state.messages.push(...messages);
    Object.assign(this.state, changes);
    if (!this.path) return;
    const file = openSync(this.path + ".new", "w");
    writeSync(file, JSON.stringify(this.state));
    fsyncSync(file);
    closeSync(file);
    renameSync(this.path + ".new", this.path);
  }
}

/** What the model says: the message to append and to run, and its text. */
export type Model<Tool, Message> = (messages: Message[], tools: Tool[]) => Promise<{ message: Message; text: string | null }>;

/** Runs the calls of the model's last message and adds their results. False: it has none. */
async function answerCalls<Tool, Message>(session: Session<Tool, Message>, conversation: Conversation<Message>, inlineMs?: number) {
  const { state } = conversation;
  const [answers, detached] = await session.run(state.unanswered, `${state.id}-${state.messages.length}`, inlineMs);
  if (answers.length > 0) conversation.add(answers, { unanswered: null, running: [...state.running, ...detached] });
  return answers.length > 0;
}

/** Adds what detached calls have returned since; with `wait` it waits for one of them. */
async function addLateResults<Tool, Message>(session: Session<Tool, Message>, conversation: Conversation<Message>, wait: boolean) {
  const { state } = conversation;
  for (let first = state.running[0]; first !== undefined; first = state.running[0]) {
    const [ended, cursor] = await session.completions();
    const late = ended.filter((call) => state.running.includes(call.call_id));
    if (wait && late.length === 0) {
      await session.wait(first);
      continue;
    }
    const running = state.running.filter((id) => !late.some((call) => call.call_id === id));
    conversation.add(late.map((call) => lateMessage(call) as Message), { running, unanswered: null });
    await session.ack(cursor); // after they are stored: a kill in between shows them again, and `running` leaves them out
    return;
  }
}

/**
 * Until the model calls nothing and none of its calls is running. Returns its last words.
 * A conversation that was interrupted continues where it was; `userMessage` is added to a new one, and to one that had ended.
 */
export async function converse<Tool, Message>(
  model: Model<Tool, Message>, session: Session<Tool, Message>, conversation: Conversation<Message>, userMessage: Message, inlineMs?: number,
): Promise<string | null> {
  const { state } = conversation;
  if (state.ended) conversation.add([userMessage], { ended: false });
  for (;;) {
    if (state.unanswered === null) {
      await addLateResults(session, conversation, false);
      const { message, text } = await model(state.messages, await session.tools());
      conversation.add([message], { unanswered: message, text });
    }
    if (await answerCalls(session, conversation, inlineMs)) continue;
    if (state.running.length === 0) {
      conversation.add([], { unanswered: null, ended: true });
      return state.text;
    }
    await addLateResults(session, conversation, true);
  }
}
