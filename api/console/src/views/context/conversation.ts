// Parses a pasted conversation: JSON as programs write it, or lines that begin with the speaker.
import type { Message } from "../../api/conversations";

const ROLES: ReadonlyMap<string, string> = new Map(Object.entries({
  user: "ROLE_USER", human: "ROLE_USER", me: "ROLE_USER", you: "ROLE_USER", "you said": "ROLE_USER", ich: "ROLE_USER", mensch: "ROLE_USER", du: "ROLE_USER",
  assistant: "ROLE_ASSISTANT", ai: "ROLE_ASSISTANT", bot: "ROLE_ASSISTANT", assistent: "ROLE_ASSISTANT", model: "ROLE_ASSISTANT",
  chatgpt: "ROLE_ASSISTANT", "chatgpt said": "ROLE_ASSISTANT", claude: "ROLE_ASSISTANT", gemini: "ROLE_ASSISTANT",
  system: "ROLE_SYSTEM", developer: "ROLE_SYSTEM", tool: "ROLE_TOOL",
}));

// "Ana:" or "**User:**" at the beginning of a line, followed by the text or by lines of text. A name has at most three words.
const SPEAKS = /^[*_#>\s]*(\p{L}[\p{L}\p{N}.'’-]*(?: [\p{L}\p{N}.'’-]+){0,2})\s*:[*_]*(?=\s|$)\s*/u;

export function messagesOf(pasted: string): Message[] {
  const read = pasted.trim() === "" ? [] : (ofJson(pasted) ?? ofLines(pasted));
  return read.filter(({ content }) => content.trim() !== "");
}

function ofLines(pasted: string): Message[] {
  const said: Message[] = [];
  // "Note:" is no name if the text does not begin with a speaker.
  const hasNames = SPEAKS.test(pasted);
  for (const line of pasted.split("\n")) {
    const begins = SPEAKS.exec(line);
    const who = hasNames || isRole(begins?.[1]) ? begins : null;
    const last = said.at(-1);
    if (who) said.push({ ...speaker(who[1] ?? ""), content: line.slice(who[0].length) });
    else if (last) last.content += `\n${line}`;
    else said.push({ role: "ROLE_USER", content: line });
  }
  return said.map((one) => ({ ...one, content: one.content.trim() }));
}

function isRole(name: string | undefined): boolean {
  return name !== undefined && ROLES.has(name.toLowerCase());
}

// An unknown role is the name of a person.
function speaker(name: string): { role: string; name?: string } {
  const role = ROLES.get(name.toLowerCase());
  return role ? { role } : { role: "ROLE_USER", name };
}

function ofJson(pasted: string): Message[] | undefined {
  const values = parsed(pasted) ?? parsed(`[${pasted.trim().split(/\n+/).join(",")}]`);
  if (typeof values !== "object" || values === null) return undefined;
  const list = Array.isArray(values) ? values : (values as { messages?: unknown }).messages;
  return Array.isArray(list) ? list.flatMap(ofValue) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function ofValue(value: unknown): Message[] {
  if (typeof value !== "object" || value === null) return [];
  const { role, content, name } = value as Record<string, unknown>;
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.map((part) => (typeof part === "string" ? part : (part as { text?: unknown } | null)?.text));
  const text = texts.filter((part): part is string => typeof part === "string").join("\n");
  const who = typeof role === "string" ? speaker(role) : { role: "ROLE_USER" };
  return [{ role: who.role, content: text, ...(typeof name === "string" ? { name } : {}) }];
}
