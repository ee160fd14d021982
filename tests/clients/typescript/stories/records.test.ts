// Records with kinds: create, filter, verify, find uncertain ones, use a playbook, record an interaction.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Status } from "nice-grpc";
import { RichClientError } from "nice-grpc-error-details";
import { Kind, Layer, OutcomeType } from "kimberly-client/node/detail";
import type { Kimberly } from "./kimberly.js";
import { newUser, serving } from "./serving.js";

describe("records", () => {
  const kimberly = serving();
  type Draft = NonNullable<Parameters<Kimberly["memories"]["createMemory"]>[0]["memory"]>;

  async function remember(userId: string, memory: Draft) {
    const { receipt } = await kimberly.memories.createMemory({ userId, memory });
    assert.ok(receipt);
    return receipt.id;
  }

  it("keeps what a kind holds", async () => {
    const userId = newUser();
    const episode = { objective: "ship it", outcomeType: OutcomeType.OUTCOME_TYPE_PARTIAL, lessons: ["test first"], valence: -0.5 };
    const id = await remember(userId, { content: "We shipped", detail: { episode } });
    const { memory } = await kimberly.memories.getMemory({ userId, id });
    assert.equal(memory?.kind, Kind.KIND_EPISODE);
    assert.equal(memory.layer, Layer.LAYER_EPISODES);
    assert.equal(memory.detail?.episode?.objective, "ship it");
    assert.equal(memory.detail.episode.outcomeType, OutcomeType.OUTCOME_TYPE_PARTIAL);
    assert.deepEqual(memory.detail.episode.lessons, ["test first"]);
    assert.equal(memory.detail.episode.valence, -0.5);
    assert.equal(memory.detail.episode.arousal, undefined);
  });

  it("selects by kind, layer and subject", async () => {
    const userId = newUser();
    const fact = { subject: "Ana", predicate: "lives in", object: "Lisbon" };
    const about = await remember(userId, { content: "Ana moved", detail: { fact } });
    const raw = await remember(userId, { content: "The API seems slow", kind: Kind.KIND_RAW });
    await remember(userId, { content: "An ordinary memory" });
    const listed = async (filter: object) => {
      const { memories } = await kimberly.memories.listMemories({ userId, filter });
      return memories.map((memory) => memory.id);
    };
    assert.deepEqual(await listed({ kinds: [Kind.KIND_FACT] }), [about]);
    assert.deepEqual(await listed({ layers: [Layer.LAYER_CAPTURE] }), [raw]);
    assert.deepEqual(await listed({ subjects: ["ana"] }), [about]);
  });

  it("verifies what is uncertain", async () => {
    const userId = newUser();
    const id = await remember(userId, { content: "Perhaps rain", kind: Kind.KIND_BELIEF, confidence: 0.4 });
    const before = await kimberly.records.listUncertain({ userId });
    assert.deepEqual(before.memories.map((memory) => memory.id), [id]);
    const verified = await kimberly.records.verifyMemory({ userId, id, requestId: "verify" });
    assert.ok(Math.abs(verified.confidence - (0.38 + 0.62 / 4)) < 1e-9, `${verified.confidence}`);
    assert.deepEqual(await kimberly.records.verifyMemory({ userId, id, requestId: "verify" }), verified);
    assert.equal((await kimberly.records.listUncertain({ userId })).memories.length, 0);
  });

  it("processes a capture into an episode", async () => {
    const userId = newUser();
    const id = await remember(userId, { content: "The API seems slow", kind: Kind.KIND_RAW });
    const waiting = async () => (await kimberly.records.listUnprocessed({ userId })).memories.map((memory) => memory.id);
    assert.deepEqual(await waiting(), [id]);
    const memory = { content: "The API was slow at noon", kind: Kind.KIND_EPISODE };
    await kimberly.records.promoteMemories({ userId, ids: [id], memory, reason: "seen twice" });
    assert.deepEqual(await waiting(), []);
    assert.equal((await kimberly.records.getIdentity({ userId })).document, "# Identity\n");
  });

  it("forgets nothing that lasts or is young", async () => {
    const userId = newUser();
    const id = await remember(userId, { content: "Be honest", kind: Kind.KIND_VALUE });
    const which = { userId, threshold: 10, halfLifeDays: 1 };
    assert.deepEqual((await kimberly.records.listForgettingCandidates(which)).candidates, []);
    assert.deepEqual((await kimberly.records.runForgetting({ ...which, dryRun: true })).forgotten, []);
    const explained = await kimberly.memories.getMemory({ userId, id, explain: true });
    assert.equal(explained.salience?.lasts, true);
  });

  it("finds a playbook for a situation and counts its uses", async () => {
    const userId = newUser();
    const playbook = { triggers: ["it hangs"], steps: ["restart it"] };
    const id = await remember(userId, { content: "How to restart the service", detail: { playbook } });
    await remember(userId, { content: "The service hangs on Mondays" });
    const { playbooks } = await kimberly.records.findPlaybooks({ userId, situation: "it hangs again" });
    assert.deepEqual(playbooks.map((found) => found.memory?.id), [id]);
    await kimberly.records.recordPlaybookUse({ userId, id, success: true });
    const counted = await kimberly.records.recordPlaybookUse({ userId, id, success: false });
    assert.deepEqual([Number(counted.used), Number(counted.succeeded)], [2, 1]);
  });

  it("counts interactions with a person, and nothing else", async () => {
    const userId = newUser();
    const relationship = { entity: "Chen", trust: 0.5 };
    const id = await remember(userId, { content: "Chen and I build boats", detail: { relationship } });
    const met = await kimberly.records.recordInteraction({ userId, id, trust: 1 });
    assert.deepEqual([Number(met.interactions), met.trust, met.sentiment], [1, 0.625, 0]);
    const plain = await remember(userId, { content: "Lunch with Chen" });
    await assert.rejects(kimberly.records.recordInteraction({ userId, id: plain }), (error) => {
      assert.ok(error instanceof RichClientError);
      return error.code === Status.FAILED_PRECONDITION;
    });
  });

  it("corrects, revises and ends what was remembered, and tells its history", async () => {
    const userId = newUser();
    const holding = async () => (await kimberly.memories.listMemories({ userId })).memories.map((memory) => memory.content);
    const wrong = await remember(userId, { content: "Chen lives in Porto" });
    const corrected = await kimberly.records.correctMemory({ userId, id: wrong, content: "Chen lives in Lisbon" });
    assert.deepEqual(await holding(), ["Chen lives in Lisbon"]);
    const belief = await remember(userId, { content: "Chen likes trains", kind: Kind.KIND_BELIEF });
    const revised = await kimberly.records.reviseBelief({ userId, id: belief, content: "Chen likes ships", confidence: 0.5 });
    assert.deepEqual((await holding()).sort(), ["Chen likes ships", "Chen lives in Lisbon"]);
    const { events: told } = await kimberly.records.getHistory({ userId, id: belief });
    assert.ok(told.some((event) => event.linked?.fromId === revised.receipt?.id), "the revision is listed");
    const id = corrected.receipt?.id ?? "";
    const ended = await kimberly.records.invalidateMemory({ userId, id, reason: "Chen moved on" });
    assert.deepEqual(await holding(), ["Chen likes ships"]);
    const { events } = await kimberly.records.getHistory({ userId, id });
    assert.deepEqual(events.flatMap((event) => event.ended ?? []), [{ validTo: ended.validTo, reason: "Chen moved on" }]);
  });

  it("takes a document in once and reads it by passages", async () => {
    const userId = newUser();
    const page = { userId, text: "# Leave\n\nStaff have 25 days of annual leave.\n", mediaType: "text/markdown", name: "documents/leave.md" };
    const stored = await kimberly.documents.ingestDocument(page);
    assert.deepEqual([stored.passages, stored.stored, stored.known], [1, 1, false]);
    assert.equal((await kimberly.documents.ingestDocument(page)).known, true);
    const { passages } = await kimberly.documents.listPassages({ userId, id: stored.receipt?.id ?? "" });
    assert.equal(passages.length, 1);
    assert.match(passages[0]?.text ?? "", /Staff have 25 days of annual leave\./);
    const { results } = await kimberly.memories.queryMemories({ userId, query: "how many days of leave?" });
    assert.deepEqual(results[0]?.passages, passages);
  });
});
