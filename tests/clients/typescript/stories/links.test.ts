// Links between memories: create them, follow them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LinkDirection, Relation, Resolution } from "kimberly-client/node/link_service";
import { newUser, serving } from "./serving.js";

describe("links", () => {
  const kimberly = serving();

  async function remember(userId: string, content: string) {
    const { receipt } = await kimberly.memories.createMemory({ userId, memory: { content } });
    assert.ok(receipt);
    return receipt.id;
  }

  it("are followed from a memory to what it rests on", async () => {
    const userId = newUser();
    const [raw, belief] = [await remember(userId, "It was slow"), await remember(userId, "Caches help")];
    const link = { fromId: belief, relation: Relation.RELATION_DERIVED_FROM, toId: raw };
    assert.equal((await kimberly.links.link({ userId, link })).created, true);
    const { steps } = await kimberly.links.lineage({ userId, id: belief });
    assert.equal(steps.length, 1);
    assert.equal(steps[0]?.link?.toId, raw);
    assert.equal(steps[0]?.direction, LinkDirection.LINK_DIRECTION_OUT);
  });

  it("that contradict are listed until both may hold", async () => {
    const userId = newUser();
    const [fromId, toId] = [await remember(userId, "Ana likes tea"), await remember(userId, "Ana likes coffee")];
    await kimberly.links.link({ userId, link: { fromId, relation: Relation.RELATION_CONTRADICTS, toId } });
    const open = async () => (await kimberly.links.listContradictions({ userId })).contradictions.length;
    assert.equal(await open(), 1);
    await kimberly.links.resolveContradiction({ userId, fromId, toId, resolution: Resolution.RESOLUTION_KEEP_BOTH });
    assert.equal(await open(), 0);
  });

  it("are listed, removed, and imported as they were exported", async () => {
    const userId = newUser();
    const [raw, belief] = [await remember(userId, "It was slow"), await remember(userId, "Caches help")];
    const link = { fromId: belief, relation: Relation.RELATION_DERIVED_FROM, toId: raw };
    await kimberly.links.link({ userId, link: { ...link, evidence: "a quote" } });
    const listed = async () => (await kimberly.links.listLinks({ userId, id: raw, direction: LinkDirection.LINK_DIRECTION_IN })).links;
    const [exported] = await listed();
    assert.ok(exported);
    assert.deepEqual([exported.fromId, exported.evidence, exported.weight], [belief, "a quote", 1]);
    assert.equal((await kimberly.links.unlink({ userId, ...link })).removed, true);
    assert.equal((await kimberly.links.unlink({ userId, ...link })).removed, false);
    assert.deepEqual(await listed(), []);
    const absent = { ...exported, toId: belief.slice(0, -12) + "0".repeat(12) };
    const imported = await kimberly.links.importLinks({ userId, links: [exported, absent] });
    assert.deepEqual([imported.imported, imported.known, imported.missing].map(Number), [1, 0, 1]);
    assert.deepEqual(await listed(), [exported]);
  });
});
