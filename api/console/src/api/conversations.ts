// What would be learned of a conversation; nothing of it is stored.
import { post } from "./client";
import { ofUser } from "./user";

// Most messages that the api reads at once.
export const MOST_MESSAGES = 1_000;

export interface Message {
  role: string;
  content: string;
  name?: string;
}

export interface Statement {
  content: string;
  kind: string;
  subject: string;
  importance: number;
  confidence: number;
  startByte: number;
  endByte: number;
}

export interface LeftOut {
  reason: string;
  startByte: number;
  endByte: number;
}

export interface Learned {
  statements: Statement[];
  leftOut: LeftOut[];
}

// One answer for each message; none where the server's extraction is off.
export function wouldLearn(messages: Message[], signal?: AbortSignal) {
  const body = { sessionId: "console", messages, dryRun: true };
  return post<{ extracted: Learned[] }>(ofUser("conversation:observe"), body, signal);
}
