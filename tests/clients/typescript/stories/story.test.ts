// The story that every client runs: remember, recall, watch, change, page through 10,000, meditate, forget.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Status } from "nice-grpc";
import { RichClientError } from "nice-grpc-error-details";
import { MeditationStatus, type Meditation } from "kimberly-client/node/meditation_service";
import { MemoryState } from "kimberly-client/node/memory";
import { ListOrder } from "kimberly-client/node/memory_service";
import { ChangeKind, type MemoryChange } from "kimberly-client/node/memory_streams";
import { newUser, serving } from "./serving.js";

const TOTAL = 10_000;
const BATCH = 1_000;
const KEY = "The spare key hangs behind the blue door.";
const MOVED = "The spare key lies under the red mat.";

describe("the story", () => {
  const kimberly = serving();
  const userId = newUser();

  const recalled = async () => {
    const { results } = await kimberly.memories.queryMemories({ userId, query: "where is the spare key?" });
    return results.map((result) => result.memory?.content);
  };

  async function pageThrough(): Promise<string[]> {
    const seen: string[] = [];
    let pageToken = "";
    do {
      const order = ListOrder.LIST_ORDER_OLDEST_FIRST;
      const page = await kimberly.memories.listMemories({ userId, pageSize: 1_000, pageToken, order });
      assert.ok(page.memories.length >= 1 && page.memories.length <= 1_000);
      seen.push(...page.memories.map((memory) => memory.content));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    return seen;
  }

  // Reads changes since a cursor, or from now; the first message is a heartbeat. Ends after `count` changes.
  async function* watch(cursor: string, count: number) {
    for await (const message of kimberly.memories.watchMemories({ userId, cursor, includeMemory: true })) {
      yield message;
      if (message.change && --count === 0) return;
    }
  }

  it("runs over @grpc/grpc-js", async () => {
    // Remember
    const contents = [...Array.from({ length: TOTAL - 1 }, (_, n) => `note number ${n}`), KEY];
    let taken = 0;
    let key = { id: "", etag: "" };
    for (let start = 0; start < TOTAL; start += BATCH) {
      const memories = contents.slice(start, start + BATCH).map((content) => ({ content }));
      const { receipts } = await kimberly.memories.batchCreateMemories({ userId, memories, requestId: `batch-${start}` });
      taken += receipts.reduce((sum, receipt) => sum + receipt.sizeBytes, 0);
      key = receipts.at(-1) ?? key;
    }

    // Recall
    assert.equal((await recalled())[0], KEY);

    // Watch from now on, change it, and change it again with the outdated etag
    const watching = watch("", 1);
    assert.equal((await watching.next()).value?.change, undefined);
    const change = { userId, ...key, memory: { content: MOVED }, updateMask: ["content"] };
    const changed = await kimberly.memories.updateMemory(change);
    await assert.rejects(kimberly.memories.updateMemory(change), (error) => {
      assert.ok(error instanceof RichClientError, String(error));
      assert.equal(error.code, Status.ABORTED);
      const info = error.extra.find((detail) => detail.$type === "google.rpc.ErrorInfo");
      assert.ok(info?.$type === "google.rpc.ErrorInfo");
      assert.deepEqual([info.reason, info.metadata["etag"]], ["ETAG_MISMATCH", changed.receipt?.etag]);
      return true;
    });
    assert.equal((await recalled())[0], MOVED);
    let cursor = "";
    for await (const message of watching) {
      cursor = message.cursor;
      if (!message.change) continue;
      assert.deepEqual(
        [message.change.kind, message.change.memoryId, message.change.memory?.content],
        [ChangeKind.CHANGE_KIND_UPDATED, key.id, MOVED],
      );
    }

    // Page through everything: each memory once, in order
    assert.deepEqual(await pageThrough(), [...contents.slice(0, -1), MOVED]);

    // Meditate: the dry run changes nothing, the real run follows its plan and is watched
    const userSettings = { longTermQuotaBytes: Math.floor(taken * 0.99) };
    await kimberly.settings.updateSettings({ userId, userSettings, updateMask: ["long_term_quota_bytes"] });
    const plan = await kimberly.meditations.meditate({ userId, dryRun: true });
    const planned = plan.decisions.filter((decision) => decision.step === "retain").map((decision) => decision.memoryId);
    assert.ok(planned.length > 0 && planned.length < TOTAL / 10);
    assert.equal(plan.meditation?.archived, planned.length);
    const { user } = await kimberly.metrics.getMetrics({ userId });
    assert.equal(user?.archive?.items, 0, "a dry run changed something");
    const { meditation } = await kimberly.meditations.meditate({ userId, planToken: plan.planToken });
    const applied: string[] = [];
    let last: Meditation | undefined;
    for await (const event of kimberly.meditations.watchMeditation({ userId, id: meditation?.id })) {
      if (event.decision?.step === "retain") applied.push(event.decision.memoryId);
      last = event.progress ?? last;
    }
    assert.equal(last?.status, MeditationStatus.MEDITATION_STATUS_COMPLETE, last?.error);
    assert.deepEqual(applied, planned);

    // Forget
    const { receipt } = await kimberly.memories.deleteMemory({ userId, id: key.id });
    assert.equal(receipt?.state, MemoryState.MEMORY_STATE_DELETED);
    assert.ok(receipt.deleteAfter instanceof Date);
    assert.ok(!(await recalled()).includes(MOVED));

    // Resume watching: the changes since then arrive without gaps or repetitions
    const missed: MemoryChange[] = [];
    for await (const { change } of watch(cursor, applied.length + 1)) if (change) missed.push(change);
    const archived = applied.map((id) => [ChangeKind.CHANGE_KIND_ARCHIVED, id]);
    assert.deepEqual(
      missed.map(({ kind, memoryId }) => [kind, memoryId]),
      [...archived, [ChangeKind.CHANGE_KIND_DELETED, key.id]],
    );
  });
});
