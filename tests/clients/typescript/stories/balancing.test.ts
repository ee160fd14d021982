// Two api processes over the same data, one channel: calls reach both, and continue when one is killed.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { connect, type Kimberly } from "./kimberly.js";
import { Processes } from "./processes.js";

const APIS = ["api", "api-2"] as const;
const CALLERS = 8;

describe("several addresses", () => {
  let processes: Processes;
  let kimberly: Kimberly;

  before(async () => {
    processes = await Processes.start();
    await processes.startApi("api-2");
    const target = `ipv4:${APIS.map((name) => processes.addresses[name]).join(",")}`;
    kimberly = connect(target, { "grpc.default_authority": "kimberly", "grpc.max_reconnect_backoff_ms": 1_000 });
  });

  after(async () => {
    kimberly.close();
    assert.deepEqual(await processes.stop(), [0, 0, 0, 0], "a process did not stop in order");
  });

  const newUser = () => `typescript-${randomUUID()}`;

  // Returns how many calls each api has served, from its own metrics, without those that count.
  async function served(): Promise<number[]> {
    const counts = [];
    for (const name of APIS) {
      const one = connect(processes.addresses[name] ?? "", { "grpc.use_local_subchannel_pool": 1 });
      const { system } = await one.metrics.getMetrics({});
      one.close();
      const calls = system?.metrics.find((metric) => metric.name === "grpc.calls")?.value ?? 0;
      asked[name] = (asked[name] ?? 0) + 1;
      counts.push(calls - asked[name]);
    }
    return counts;
  }
  const asked: Partial<Record<(typeof APIS)[number], number>> = {};

  // Calls until both have served one: a channel starts with its first ready connection.
  async function connectToBoth(userId: string): Promise<void> {
    const start = await served();
    for (let attempt = 0; attempt < 10_000; attempt++) {
      await kimberly.memories.listMemories({ userId, pageSize: 1 });
      const now = await served();
      if (APIS.every((_, n) => (now[n] ?? 0) > (start[n] ?? 0))) return;
    }
    assert.fail("one of the two was never called");
  }

  async function contents(userId: string): Promise<string[]> {
    const seen: string[] = [];
    let pageToken = "";
    do {
      const page = await kimberly.memories.listMemories({ userId, pageSize: 1_000, pageToken });
      seen.push(...page.memories.map((memory) => memory.content));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    return seen;
  }

  it("are called in turns, and each sees at once what the other wrote", async () => {
    const userId = newUser();
    await connectToBoth(userId);
    const start = await served();
    for (let n = 0; n < 100; n++) {
      const { receipt } = await kimberly.memories.createMemory({ userId, memory: { content: `note ${n}` } });
      // The next call of this channel goes to the other api.
      const { memory } = await kimberly.memories.getMemory({ userId, id: receipt?.id ?? "" });
      assert.equal(memory?.content, `note ${n}`);
    }
    const now = await served();
    const calls = APIS.map((_, n) => (now[n] ?? 0) - (start[n] ?? 0));
    assert.ok(calls[0]! + calls[1]! === 200 && Math.min(...calls) >= 95, `${calls}`);
  });

  it("are done without one that is killed, and no write is lost or done twice", async () => {
    const userId = newUser();
    await connectToBoth(userId);
    let killed = false;
    let written = 0;
    const acknowledged: string[] = [];

    async function write(caller: number): Promise<void> {
      // Until each has written for a while after the kill; a failed call ends the story.
      for (let n = 0, afterwards = 0; afterwards < 40; n++) {
        if (killed) afterwards++;
        const content = `note ${n} of caller ${caller}`;
        await kimberly.memories.createMemory({ userId, memory: { content }, requestId: content });
        acknowledged.push(content);
        if (++written === 10 * CALLERS) {
          processes.kill("api");
          killed = true;
        }
      }
    }

    await Promise.all(Array.from({ length: CALLERS }, (_, caller) => write(caller)));
    assert.deepEqual((await contents(userId)).sort(), acknowledged.sort());

    // The restarted api is called again without any action of the program.
    await processes.startApi("api");
    asked["api"] = 0;
    await connectToBoth(userId);
  });
});
