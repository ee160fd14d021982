// Previews what extraction learns from a conversation; nothing is stored.
import { post } from "./client";
import { ofUser } from "./user";

// Most messages that the api reads in one call.
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

// What the judge makes of a sentence or clause.
export interface Judged {
  startByte: number;
  endByte: number;
  probability: number;
  owner: string;
  polarity: string;
  slot: string;
  reasons: string[];
}

export interface Learned {
  statements: Statement[];
  leftOut: LeftOut[];
  judged: Judged[];
}

// Returns one answer per message; none if the server's extraction is off.
export function wouldLearn(messages: Message[], signal?: AbortSignal) {
  const body = { sessionId: "console", messages, dryRun: true };
  return post<{ extracted: Learned[] }>(ofUser("conversation:observe"), body, signal);
}
