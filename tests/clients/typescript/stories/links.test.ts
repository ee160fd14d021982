// Links between memories: say them, follow them.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { LinkDirection, Relation, Resolution } from "kimberly-client/node/link_service";
import { connect, type Kimberly } from "./kimberly.js";
import { Processes } from "./processes.js";

describe("links", () => {
  let processes: Processes;
  let kimberly: Kimberly;

  before(async () => {
    processes = await Processes.start();
    kimberly = connect(processes.api);
  });

  after(async () => {
    kimberly.close();
    assert.deepEqual(await processes.stop(), [0, 0, 0], "a process did not stop in order");
  });

  it("are followed from a memory to what it rests on", async () => {
    const userId = `typescript-${randomUUID()}`;
    const remember = async (content: string) => {
      const { receipt } = await kimberly.memories.createMemory({ userId, memory: { content } });
      assert.ok(receipt);
      return receipt.id;
    };
    const [raw, belief] = [await remember("It was slow"), await remember("Caches help")];
    const link = { fromId: belief, relation: Relation.RELATION_DERIVED_FROM, toId: raw };
    assert.equal((await kimberly.links.link({ userId, link })).created, true);
    const { steps } = await kimberly.links.lineage({ userId, id: belief });
    assert.equal(steps.length, 1);
    assert.equal(steps[0]?.link?.toId, raw);
    assert.equal(steps[0]?.direction, LinkDirection.LINK_DIRECTION_OUT);
  });

  it("that contradict are listed until both may hold", async () => {
    const userId = `typescript-${randomUUID()}`;
    const remember = async (content: string) => {
      const { receipt } = await kimberly.memories.createMemory({ userId, memory: { content } });
      assert.ok(receipt);
      return receipt.id;
    };
    const [fromId, toId] = [await remember("Ana likes tea"), await remember("Ana likes coffee")];
    await kimberly.links.link({ userId, link: { fromId, relation: Relation.RELATION_CONTRADICTS, toId } });
    const open = async () => (await kimberly.links.listContradictions({ userId })).contradictions.length;
    assert.equal(await open(), 1);
    await kimberly.links.resolveContradiction({ userId, fromId, toId, resolution: Resolution.RESOLUTION_KEEP_BOTH });
    assert.equal(await open(), 0);
  });
});
