// The story in a web page, over gRPC-Web from another origin: runs in the browser and reports to its own server.
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { ErrorInfoSchema } from "kimberly-client/web/google/rpc/error_details";
import { MeditationService, MeditationStatus } from "kimberly-client/web/meditation_service";
import { MemoryState } from "kimberly-client/web/memory";
import { ListOrder, MemoryService } from "kimberly-client/web/memory_service";
import { ChangeKind } from "kimberly-client/web/memory_streams";
import { MetricsService } from "kimberly-client/web/metrics_service";
import { SettingsService } from "kimberly-client/web/settings_service";

const TOTAL = 10_000;
const BATCH = 1_000;
const KEY = "The spare key hangs behind the blue door.";
const MOVED = "The spare key lies under the red mat.";

const parameters = new URLSearchParams(location.search);
const transport = createGrpcWebTransport({ baseUrl: parameters.get("api") ?? "", defaultTimeoutMs: 60_000 });
const memories = createClient(MemoryService, transport);
const meditations = createClient(MeditationService, transport);
const metrics = createClient(MetricsService, transport);
const settings = createClient(SettingsService, transport);
const userId = `browser-${crypto.randomUUID()}`;
const told: string[] = [];

// The report of this page to its server.
export interface Report {
  told: string[];
  error?: string;
  code?: string;
}

function check(holds: boolean, claim: string): void {
  if (!holds) throw new Error(`does not hold: ${claim}`);
  told.push(claim);
}

async function recalled() {
  const { results } = await memories.queryMemories({ userId, query: "where is the spare key?" });
  return results.map((result) => result.memory?.content);
}

async function remember() {
  const contents = [...Array.from({ length: TOTAL - 1 }, (_, n) => `note number ${n}`), KEY];
  let taken = 0;
  let key = { id: "", etag: "" };
  for (let start = 0; start < TOTAL; start += BATCH) {
    const drafts = contents.slice(start, start + BATCH).map((content) => ({ content }));
    const { receipts } = await memories.batchCreateMemories({ userId, memories: drafts, requestId: `batch-${start}` });
    taken += receipts.reduce((sum, receipt) => sum + Number(receipt.sizeBytes), 0);
    key = receipts.at(-1) ?? key;
  }
  return { contents, taken, key: { id: key.id, etag: key.etag } };
}

async function change(key: { id: string; etag: string }) {
  const request = { userId, ...key, memory: { content: MOVED }, updateMask: { paths: ["content"] } };
  const { receipt } = await memories.updateMemory(request);
  try {
    await memories.updateMemory(request);
  } catch (error) {
    const stale = ConnectError.from(error);
    const [info] = stale.findDetails(ErrorInfoSchema);
    check(stale.code === Code.Aborted && info?.reason === "ETAG_MISMATCH", "a stale etag is refused");
    check(info?.metadata["etag"] === receipt?.etag, "the error holds the current etag");
    return;
  }
  throw new Error("an update with a stale etag went through");
}

async function pageThrough() {
  const seen: string[] = [];
  let pageToken = "";
  do {
    const order = ListOrder.OLDEST_FIRST;
    const page = await memories.listMemories({ userId, pageSize: 1_000, pageToken, order });
    seen.push(...page.memories.map((memory) => memory.content));
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return seen;
}

// Returns the current cursor. The stream is closed after its first message.
async function now(): Promise<string> {
  for await (const { cursor } of memories.watchMemories({ userId })) return cursor;
  throw new Error("the stream of changes ended before its first message");
}

// Reads the changes since a cursor until one memory is deleted.
async function since(cursor: string, id: string) {
  const seen: string[] = [];
  for await (const { change } of memories.watchMemories({ userId, cursor })) {
    if (change) seen.push(`${ChangeKind[change.kind]} ${change.memoryId}`);
    if (change?.kind === ChangeKind.DELETED && change.memoryId === id) return seen;
  }
  throw new Error("the stream of changes ended before the deletion");
}

async function meditate(taken: number) {
  const userSettings = { longTermQuotaBytes: BigInt(Math.floor(taken * 0.99)) };
  await settings.updateSettings({ userId, userSettings, updateMask: { paths: ["long_term_quota_bytes"] } });
  const plan = await meditations.meditate({ userId, dryRun: true });
  check(plan.decisions.length > 0 && plan.decisions.length < TOTAL / 10, "the dry run plans a little");
  const { metrics: usage } = await metrics.getMetrics({ userId });
  check(usage.case === "user" && usage.value.archive?.items === 0n, "the dry run changes nothing");
  const { meditation } = await meditations.meditate({ userId, planToken: plan.planToken });
  const applied: string[] = [];
  let last = MeditationStatus.UNSPECIFIED;
  for await (const { event } of meditations.watchMeditation({ userId, id: meditation?.id ?? "" })) {
    if (event.case === "decision" && event.value.step === "retain") applied.push(event.value.memoryId);
    if (event.case === "progress") last = event.value.status;
  }
  check(last === MeditationStatus.COMPLETE, "the meditation is watched to its end");
  const planned = plan.decisions.filter((decision) => decision.step === "retain").map((decision) => decision.memoryId);
  check(applied.join() === planned.join(), "the meditation does what the dry run said");
  return applied;
}

async function tell() {
  const { contents, taken, key } = await remember();
  check((await recalled())[0] === KEY, "what was remembered is recalled");
  const cursor = await now();
  await change(key);
  check((await recalled())[0] === MOVED, "what was changed is recalled");
  const expected = [...contents.slice(0, -1), MOVED];
  check((await pageThrough()).join("\n") === expected.join("\n"), "10,000 memories come page by page, once and in order");
  const archived = await meditate(taken);
  const { receipt } = await memories.deleteMemory({ userId, id: key.id });
  check(receipt?.state === MemoryState.DELETED, "what is forgotten is deleted");
  check(!(await recalled()).includes(MOVED), "what is forgotten is not recalled");
  const changes = [`UPDATED ${key.id}`, ...archived.map((id) => `ARCHIVED ${id}`), `DELETED ${key.id}`];
  check((await since(cursor, key.id)).join() === changes.join(), "every change is watched, in order and once");
}

async function report(): Promise<Report> {
  try {
    await tell();
    return { told };
  } catch (error) {
    const code = error instanceof ConnectError ? Code[error.code] : undefined;
    return { told, error: String(error), ...(code === undefined ? {} : { code }) };
  }
}

await fetch("/report", { method: "POST", body: JSON.stringify(await report()) });
