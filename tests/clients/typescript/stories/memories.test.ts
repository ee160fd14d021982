// Remember, recall, list, change, delete and restore memories from TypeScript.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Status } from "nice-grpc";
import { RichClientError } from "nice-grpc-error-details";
import { MemoryState } from "kimberly-client/node/memory";
import { ListOrder } from "kimberly-client/node/memory_service";
import { newUser, serving } from "./serving.js";

describe("memories", () => {
  const kimberly = serving();

  async function remember(userId: string, content: string) {
    const { receipt } = await kimberly.memories.createMemory({ userId, memory: { content } });
    assert.ok(receipt);
    return receipt;
  }

  async function failure(call: Promise<unknown>): Promise<RichClientError> {
    try {
      await call;
    } catch (error) {
      assert.ok(error instanceof RichClientError, String(error));
      return error;
    }
    return assert.fail("the call should have failed");
  }

  it("recalls what was remembered, best first", async () => {
    const userId = newUser();
    await remember(userId, "The spare key hangs behind the blue door.");
    await remember(userId, "Lunch with Chen was moved to Thursday.");
    const { results } = await kimberly.memories.queryMemories({ userId, query: "where is the spare key?", explain: true });
    assert.equal(results[0]?.memory?.content, "The spare key hangs behind the blue door.");
    assert.ok((results[0]?.explanation?.lexical ?? 0) > 0);
  });

  it("lists everything once and in order, page by page", async () => {
    const userId = newUser();
    const contents = Array.from({ length: 250 }, (_, n) => `note number ${n}`);
    await kimberly.memories.batchCreateMemories({ userId, memories: contents.map((content) => ({ content })) });
    const seen: string[] = [];
    let pageToken = "";
    do {
      const page = await kimberly.memories.listMemories({
        userId,
        pageSize: 60,
        pageToken,
        order: ListOrder.LIST_ORDER_OLDEST_FIRST,
      });
      seen.push(...page.memories.map((memory) => memory.content));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    assert.deepEqual(seen, contents);
  });

  it("refuses an update with a stale etag and says which one is current", async () => {
    const userId = newUser();
    const { id, etag } = await remember(userId, "The meeting is on Monday.");
    const update = { userId, id, etag, memory: { content: "The meeting is on Tuesday." }, updateMask: ["content"] };
    const { receipt } = await kimberly.memories.updateMemory(update);
    const error = await failure(kimberly.memories.updateMemory(update));
    assert.equal(error.code, Status.ABORTED);
    const info = error.extra.find((detail) => detail.$type === "google.rpc.ErrorInfo");
    assert.ok(info?.$type === "google.rpc.ErrorInfo");
    assert.deepEqual([info.reason, info.domain], ["ETAG_MISMATCH", "kimberly.v1"]);
    assert.equal(info.metadata["etag"], receipt?.etag);
  });

  it("names every bad field", async () => {
    const memory = { content: " ", metadata: { tags: ["x".repeat(65)] } };
    const error = await failure(kimberly.memories.createMemory({ userId: newUser(), memory }));
    assert.equal(error.code, Status.INVALID_ARGUMENT);
    const bad = error.extra.find((detail) => detail.$type === "google.rpc.BadRequest");
    assert.ok(bad?.$type === "google.rpc.BadRequest");
    const fields = bad.fieldViolations.map((violation) => violation.field).sort();
    assert.deepEqual(fields, ["memory.content", "memory.metadata.tags[0]"]);
  });

  it("forgets and restores", async () => {
    const userId = newUser();
    const { id } = await remember(userId, "The password hint is a river.");
    const query = { userId, query: "password hint river" };
    const deleted = await kimberly.memories.deleteMemory({ userId, id });
    assert.equal(deleted.receipt?.state, MemoryState.MEMORY_STATE_DELETED);
    assert.ok(deleted.receipt.deleteAfter instanceof Date);
    assert.equal((await kimberly.memories.queryMemories(query)).results.length, 0);
    await kimberly.memories.restoreMemory({ userId, id });
    const { results } = await kimberly.memories.queryMemories(query);
    assert.deepEqual(results.map((result) => result.memory?.id), [id]);
  });

  it("answers a repeated request_id as the first time", async () => {
    const request = { userId: newUser(), memory: { content: "only once" }, requestId: "once" };
    const first = await kimberly.memories.createMemory(request);
    assert.deepEqual(await kimberly.memories.createMemory(request), first);
    const page = await kimberly.memories.listMemories({ userId: request.userId });
    assert.equal(page.memories.length, 1);
  });
});
