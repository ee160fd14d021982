// An example session: connect, remember, recall, read an error, follow a stream, forget.
// Usage: session.js [ADDRESS]. Sends KIMBERLY_TOKEN as the credential, if set.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  ChannelCredentials,
  createChannel,
  createClientFactory,
  Metadata,
  Status,
  type CallOptions,
  type ClientMiddlewareCall,
} from "nice-grpc";
import { deadlineMiddleware } from "nice-grpc-client-middleware-deadline";
import { RichClientError, errorDetailsClientMiddleware } from "nice-grpc-error-details";
import { MeditationServiceDefinition, meditationStatusToJSON } from "../generated/node/kimberly/v1/meditation_service.js";
import {
  MemoryServiceDefinition,
  type CreateMemoryRequest,
  type DeepPartial,
} from "../generated/node/kimberly/v1/memory_service.js";

const address = process.argv[2] ?? "127.0.0.1:7420";
const token = process.env["KIMBERLY_TOKEN"];
const userId = "ana";
const deadline = 5_000; // milliseconds; set one for every call

// Adds the credential to every call.
async function* bearer<Request, Response>(call: ClientMiddlewareCall<Request, Response>, options: CallOptions) {
  const metadata = new Metadata(options.metadata);
  if (token) metadata.set("authorization", `Bearer ${token}`);
  return yield* call.next(call.request, { ...options, metadata });
}

// A channel that retries UNAVAILABLE (up to 4 attempts, with backoff) and detects dead connections.
const serviceConfig = new URL("../../../service_config.json", import.meta.url);
const channel = createChannel(address, ChannelCredentials.createInsecure(), {
  "grpc.service_config": readFileSync(serviceConfig, "utf8"),
  "grpc.keepalive_time_ms": 60_000,
  "grpc.keepalive_timeout_ms": 20_000,
});
const clients = createClientFactory().use(errorDetailsClientMiddleware).use(bearer).use(deadlineMiddleware);
const memories = clients.create(MemoryServiceDefinition, channel);
const meditations = clients.create(MeditationServiceDefinition, channel);

// Stores a memory. If its tier is full and a meditation makes room, waits for the meditation and retries.
async function remember(request: DeepPartial<CreateMemoryRequest>) {
  for (let tries = 0; tries < 10; tries++) {
    try {
      return await memories.createMemory(request, { deadline });
    } catch (error) {
      if (!(error instanceof RichClientError)) throw error;
      const info = error.extra.find((detail) => detail.$type === "google.rpc.ErrorInfo");
      // With RetryInfo, waiting helps. Without it, the message says which limit to raise.
      const waits = error.extra.some((detail) => detail.$type === "google.rpc.RetryInfo");
      if (info?.$type !== "google.rpc.ErrorInfo" || info.reason !== "QUOTA_EXCEEDED" || !waits) throw error;
      for await (const _ of watch(info.metadata["meditation_id"])) {
      }
    }
  }
  throw new Error("ten meditations made no room");
}

// Streams the progress of a meditation until it ends.
function watch(id: string | undefined) {
  return meditations.watchMeditation({ userId, id }, { deadline: 60_000 });
}

// Remember. The requestId makes a retry safe: the same id with the same body is stored once.
const draft = { content: "Ana's train to Lisbon leaves on Friday at 9:40.", speaker: "Ana", metadata: { tags: ["travel"] } };
const { receipt } = await remember({ userId, memory: draft, requestId: randomUUID() });
console.log(`remembered ${receipt?.sizeBytes} bytes as ${receipt?.id}`);

// Recall
const { results } = await memories.queryMemories({ userId, query: "When does the train leave?", topK: 3 }, { deadline });
for (const { score, memory } of results) {
  console.log(`recalled ${score.toFixed(2)}  ${memory?.content}`);
}

// The reason of an error says what happened, its details say where.
try {
  await memories.createMemory({ userId, memory: {} }, { deadline });
} catch (error) {
  if (!(error instanceof RichClientError)) throw error;
  const info = error.extra.find((detail) => detail.$type === "google.rpc.ErrorInfo");
  const bad = error.extra.find((detail) => detail.$type === "google.rpc.BadRequest");
  if (info?.$type !== "google.rpc.ErrorInfo" || info.reason !== "INVALID_FIELD") throw error;
  const field = bad?.$type === "google.rpc.BadRequest" ? bad.fieldViolations[0]?.field : undefined;
  console.log(`refused with ${Status[error.code]}, ${info.reason}: ${field}`);
}

// Follow a stream: the progress of a meditation.
const { meditation } = await meditations.meditate({ userId }, { deadline });
for await (const { progress } of watch(meditation?.id)) {
  if (progress) console.log(`meditation: ${meditationStatusToJSON(progress.status)}`);
}

// Forget. The memory can be restored until deleteAfter.
const forgotten = await memories.deleteMemory({ userId, id: receipt?.id, etag: receipt?.etag }, { deadline });
console.log(`forgot ${forgotten.receipt?.id}, restorable until ${forgotten.receipt?.deleteAfter?.toISOString().slice(0, 10)}`);
channel.close();
