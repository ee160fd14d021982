// Client for the memory of one user, for Node.js: observe, context, add, search, correct, forget, core, files. For all other calls
// of the API use the generated stubs, kimberly-client/node/….
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  ChannelCredentials,
  createChannel,
  createClientFactory,
  Metadata,
  type CallOptions,
  type Channel,
  type ClientMiddlewareCall,
} from "nice-grpc";
import { deadlineMiddleware, type DeadlineOptions } from "nice-grpc-client-middleware-deadline";
import { errorDetailsClientMiddleware } from "nice-grpc-error-details";
import {
  type CompactSessionResponse,
  ContextPart,
  ConversationServiceDefinition,
  ExtractionMode,
  type GetContextResponse,
  type Message as WireMessage,
  ObserveRequest,
  ObserveResponse,
  type ObserveStreamRequest,
} from "../generated/node/kimberly/v1/conversation_service.js";
import { CoreMemoryServiceDefinition } from "../generated/node/kimberly/v1/core_memory_service.js";
import { Role } from "../generated/node/kimberly/v1/detail.js";
import { DocumentServiceDefinition, type IngestDocumentResponse } from "../generated/node/kimberly/v1/document_service.js";
import { Tier, type MemoryReceipt } from "../generated/node/kimberly/v1/memory.js";
import {
  type DeepPartial,
  type EndSessionResponse,
  MemoryServiceDefinition,
  type QueryResult,
} from "../generated/node/kimberly/v1/memory_service.js";
import { MemoryToolServiceDefinition } from "../generated/node/kimberly/v1/memory_tool_service.js";
import { NamedRecordServiceDefinition } from "../generated/node/kimberly/v1/named_record_service.js";
import { RecordServiceDefinition } from "../generated/node/kimberly/v1/record_service.js";
import { Core } from "./core.js";
import { errors } from "./errors.js";
import { Files } from "./files.js";

export type { Block, Core } from "./core.js";
export { KimberlyError } from "./errors.js";
export { type Files, MemoryToolError } from "./files.js";
export type { CompactSessionResponse, EndSessionResponse, GetContextResponse, IngestDocumentResponse, MemoryReceipt, ObserveResponse, QueryResult };

// Retries calls while the server is unavailable. This is safe: every write has a request id, except compacting, which has no effect
// the second time. Same as service_config.json.
export const SERVICE_CONFIG = {
  loadBalancingConfig: [{ round_robin: {} }],
  methodConfig: [
    {
      name: [{}],
      retryPolicy: {
        maxAttempts: 4,
        initialBackoff: "0.25s",
        maxBackoff: "5s",
        backoffMultiplier: 2,
        retryableStatusCodes: ["UNAVAILABLE"],
      },
    },
  ],
};

/** The host and port of a server's URL. */
export function target(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  // URL hides the port 80 of http, but of no other protocol.
  const named = () => new URL(url.trim().replace(/^http:/i, "grpc:")).port;
  return `${hostname}:${port || (protocol === "https:" ? 443 : named() || 7420)}`;
}

/** Tags: several, or a single one. */
export type Tags = string | readonly string[];
export type Part = "core" | "wishes" | "goals" | "snapshots" | "recalled" | "turns";
export type TierName = "short_term" | "long_term" | "permanent";

/** A message as in APIs of language models. Other members are ignored. */
export interface Message {
  role: "user" | "human" | "assistant" | "ai" | "system" | "developer" | "tool" | "function";
  content?: string | null | ReadonlyArray<string | { type?: string; text?: string | object }>;
  id?: string;
  name?: string;
  time?: Date;
  tool?: string;
  tool_call_id?: string;
  attributes?: Record<string, unknown>;
}

export interface Options {
  /** The URL of the server, http://127.0.0.1:7420 by default. Without a port it means port 7420, or 443 with https. */
  url?: string;
  /** The key that `kimberly keys create` wrote; by default the environment variable KIMBERLY_TOKEN. Without either, calls carry no key. */
  key?: string;
  /** The id of the user whose memory this is; by default the server's default user. */
  user?: string;
  /** The limit of each call in milliseconds, retries included; 10,000 by default. */
  timeout?: number;
  /** A PEM file with certificates of trusted authorities. */
  ca?: string;
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
// Limits of a single call in messages and bytes; beyond either, messages are streamed.
const AT_ONCE = 1_000;
const BYTES_AT_ONCE = 4 << 20;
const ROLES: Record<Message["role"], Role> = {
  user: Role.ROLE_USER,
  human: Role.ROLE_USER,
  assistant: Role.ROLE_ASSISTANT,
  ai: Role.ROLE_ASSISTANT,
  system: Role.ROLE_SYSTEM,
  developer: Role.ROLE_SYSTEM,
  tool: Role.ROLE_TOOL,
  function: Role.ROLE_TOOL,
};
const PARTS: Record<Part, ContextPart> = {
  core: ContextPart.CONTEXT_PART_CORE,
  wishes: ContextPart.CONTEXT_PART_WISHES,
  goals: ContextPart.CONTEXT_PART_GOALS,
  snapshots: ContextPart.CONTEXT_PART_SNAPSHOTS,
  recalled: ContextPart.CONTEXT_PART_RECALLED,
  turns: ContextPart.CONTEXT_PART_TURNS,
};
const TIERS: Record<TierName, Tier> = {
  short_term: Tier.TIER_SHORT_TERM,
  long_term: Tier.TIER_LONG_TERM,
  permanent: Tier.TIER_PERMANENT,
};

/**
 * The memory of one user. It holds one connection: create it once and reuse it. A failed call rejects with `KimberlyError`.
 */
export class Memory implements AsyncDisposable {
  readonly user: string;
  /** Blocks of text that are part of every prompt. */
  readonly core: Core;
  /** Files that an assistant keeps with the commands of its memory tool. */
  readonly files: Files;
  readonly #timeout: number;
  readonly #channel: Channel;
  readonly #conversations;
  readonly #memories;
  readonly #records;
  readonly #documents;

  constructor({ url = "http://127.0.0.1:7420", key = process.env["KIMBERLY_TOKEN"], user = "", timeout = 10_000, ca }: Options = {}) {
    const { protocol, hostname } = new URL(url);
    if (protocol !== "http:" && protocol !== "https:") {
      throw new TypeError(`${url} is no address; write one such as http://127.0.0.1:7420`);
    }
    const secure = protocol === "https:";
    if (key && !secure && !LOOPBACK.includes(hostname)) {
      throw new TypeError(`a key is sent over https alone, or to this machine; ${url} is neither`);
    }
    const credentials = secure ? ChannelCredentials.createSsl(ca ? readFileSync(ca) : undefined) : ChannelCredentials.createInsecure();
    this.user = user;
    this.#timeout = timeout;
    this.#channel = createChannel(target(url), credentials, {
      "grpc.service_config": JSON.stringify(SERVICE_CONFIG),
      "grpc.max_receive_message_length": 64 << 20,
    });
    async function* bearer<Request, Response>(call: ClientMiddlewareCall<Request, Response>, options: CallOptions) {
      const metadata = new Metadata(options.metadata);
      if (key) metadata.set("authorization", `Bearer ${key}`);
      return yield* call.next(call.request, { ...options, metadata });
    }
    const isHere = LOOPBACK.includes(hostname);
    const failing = errors(target(url), isHere);
    const clients = createClientFactory().use(errorDetailsClientMiddleware).use(failing).use(bearer).use(deadlineMiddleware);
    this.#conversations = clients.create(ConversationServiceDefinition, this.#channel);
    this.#memories = clients.create(MemoryServiceDefinition, this.#channel);
    this.#records = clients.create(RecordServiceDefinition, this.#channel);
    this.#documents = clients.create(DocumentServiceDefinition, this.#channel);
    const write = () => this.#write();
    const within = () => this.#within();
    const named = clients.create(NamedRecordServiceDefinition, this.#channel);
    this.core = new Core(clients.create(CoreMemoryServiceDefinition, this.#channel), named, write, within);
    this.files = new Files(clients.create(MemoryToolServiceDefinition, this.#channel), write, within);
  }

  /**
   * Stores messages of a conversation: the newest ones or the whole conversation. Messages stored before are skipped. More than
   * 1,000 messages or 4 MiB are streamed and stored in pieces; `timeout` then applies to each piece. If that fails, observe all of
   * them again. Facts are extracted in the background; with `wait`, the call resolves after extraction and lists the created
   * memories in `extracted`.
   */
  async observe(
    session: string,
    messages: readonly Message[],
    { namespace = "", sensitive = false, wait = false }: { namespace?: string; sensitive?: boolean; wait?: boolean } = {},
  ): Promise<ObserveResponse> {
    const extraction = wait ? ExtractionMode.EXTRACTION_MODE_WAIT : ExtractionMode.EXTRACTION_MODE_UNSPECIFIED;
    const asked = { ...this.#write(), sessionId: session, messages: messages.map(wire), namespace, sensitive, extraction };
    const pieces = 1 + Math.floor((messages.length - 1) / AT_ONCE) + Math.floor(size(asked) / BYTES_AT_ONCE);
    if (pieces <= 1) return this.#conversations.observe(asked, this.#within());
    const whole = ObserveResponse.fromPartial({});
    for await (const { piece } of this.#conversations.observeStream(streamed(asked), { deadline: this.#timeout * pieces })) {
      whole.messages.push(...(piece?.messages ?? []));
      whole.extracted.push(...(piece?.extracted ?? []));
      whole.stored += piece?.stored ?? 0;
      whole.archived += piece?.archived ?? 0;
    }
    return whole;
  }

  /** Returns the context for the next prompt (`text`) and its items. Without a query, the last messages are the query. */
  async context(
    query = "",
    options: { session?: string; budgetTokens?: number; contextWindowTokens?: number; parts?: readonly Part[] } = {},
  ): Promise<GetContextResponse> {
    const { session = "", budgetTokens = 0, contextWindowTokens = 0, parts = [] } = options;
    const asked = { budgetTokens, contextWindowTokens, parts: parts.map((part) => PARTS[part]) };
    return this.#conversations.getContext({ userId: this.user, query, sessionId: session, ...asked }, this.#within());
  }

  /** Summarizes all but the newest messages of a session now; `keep` is how many to leave. It also happens automatically. */
  async compact(session: string, { keep, namespace = "" }: { keep?: number; namespace?: string } = {}): Promise<CompactSessionResponse> {
    return this.#conversations.compactSession({ userId: this.user, sessionId: session, keep, namespace }, this.#within());
  }

  /** Stores one memory. */
  async add(
    content: string,
    options: {
      tags?: Tags;
      tier?: TierName;
      speaker?: string;
      session?: string;
      occurredAt?: Date;
      namespace?: string;
    } = {},
  ): Promise<MemoryReceipt> {
    const { tags = [], tier = "long_term", speaker = "", session = "", occurredAt, namespace = "" } = options;
    const memory = { content, metadata: { tags: list(tags) }, tier: TIERS[tier], speaker, sessionId: session, occurredAt, namespace };
    const { receipt } = await this.#memories.createMemory({ ...this.#write(), memory }, this.#within());
    return receipt!;
  }

  /**
   * Stores a long text of at most 1,000,000 bytes. `search` and `context` return its best passages. A stored document with the same
   * `name` is updated. `source` is the origin of the text, such as a URL.
   */
  async addDocument(
    text: string,
    options: {
      name?: string;
      title?: string;
      mediaType?: "text/plain" | "text/markdown" | "text/html";
      tags?: Tags;
      source?: string;
      namespace?: string;
    } = {},
  ): Promise<IngestDocumentResponse> {
    const { tags = [], source: sourceRef = "", ...rest } = options;
    return this.#documents.ingestDocument({ ...this.#write(), text, ...rest, tags: list(tags), sourceRef }, this.#within());
  }

  /** Returns the memories that are relevant to a query, best first. */
  async search(
    query: string,
    options: { topK?: number; tags?: Tags; session?: string; minRelevance?: number } = {},
  ): Promise<QueryResult[]> {
    const { topK = 10, tags = [], session = "", minRelevance } = options;
    const asked = { query, topK, filter: { tagsAny: list(tags) }, activeSessionId: session, minScore: minRelevance };
    return (await this.#memories.queryMemories({ userId: this.user, ...asked }, this.#within())).results;
  }

  /** Replaces a memory by a corrected one and returns the receipt of the new one. The old one is kept as history. */
  async correct(id: string, content: string, { reason = "" }: { reason?: string } = {}): Promise<MemoryReceipt> {
    return (await this.#records.correctMemory({ ...this.#write(), id, content, reason }, this.#within())).receipt!;
  }

  /** Deletes a memory. It can be restored until `deleteAfter` of the receipt. */
  async forget(id: string): Promise<MemoryReceipt> {
    return (await this.#memories.deleteMemory({ ...this.#write(), id }, this.#within())).receipt!;
  }

  /** Ends a session: extracts facts, compacts its messages, and archives its short-term memories. */
  async endSession(session: string): Promise<EndSessionResponse> {
    return this.#memories.endSession({ ...this.#write(), sessionId: session }, this.#within());
  }

  /** Closes the connection. */
  close(): void {
    this.#channel.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #write() {
    return { userId: this.user, requestId: randomUUID() };
  }

  #within(): CallOptions & DeadlineOptions {
    return { deadline: this.#timeout };
  }
}

function wire(message: Message) {
  const role = ROLES[message.role];
  if (role === undefined) throw new TypeError(`there is no role ${message.role}; use one of ${Object.keys(ROLES).join(", ")}`);
  const { id, name, time, tool, tool_call_id: toolCallId, attributes } = message;
  return { id, role, content: text(message.content), name, time, tool, toolCallId, attributes } satisfies DeepPartial<WireMessage>;
}

function list(tags: Tags): string[] {
  return typeof tags === "string" ? [tags] : [...tags];
}

function size(request: DeepPartial<ObserveRequest>): number {
  return ObserveRequest.encode(ObserveRequest.fromPartial(request)).finish().length;
}

/** Returns the request as a stream. It begins with the session's first message, as the server counts repeated messages. */
async function* streamed({ messages, ...start }: DeepPartial<ObserveRequest>): AsyncIterable<DeepPartial<ObserveStreamRequest>> {
  yield { start };
  for (const message of messages ?? []) yield { message };
}

/** Returns the text of a content: the content itself, or its text parts joined. */
function text(content: Message["content"]): string {
  if (content == null || typeof content === "string") return content ?? "";
  const texts = content.map((part) => (typeof part === "string" ? part : part.text));
  return texts.filter((part) => typeof part === "string" && part).join("\n\n");
}
