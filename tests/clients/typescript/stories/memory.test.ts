// One class for a user's memory, as a program in Node.js uses it.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { RichClientError } from "nice-grpc-error-details";
import { Memory, SERVICE_CONFIG, type Message } from "kimberly-client";
import { Processes } from "./processes.js";

const CHAT: Message[] = [
  { role: "developer", content: "Be brief." },
  { role: "user", content: [{ type: "text", text: "I moved to Lisbon in May, for good." }] },
  { role: "assistant", content: null },
  { role: "tool", tool_call_id: "c1", content: "sunny, 24 degrees" },
  { role: "assistant", content: "Lisbon is sunny today. What do you like there?" },
];

describe("the class Memory", () => {
  let processes: Processes;

  before(async () => {
    processes = await Processes.start();
  });

  after(async () => {
    assert.deepEqual(await processes.stop(), [0, 0, 0], "a process did not stop in order");
  });

  it("takes a conversation in once and tells what matters", async () => {
    const memory = new Memory({ url: `http://${processes.api}`, user: `typescript-${randomUUID()}` });
    assert.equal((await memory.observe("chat", CHAT)).stored, 3);
    assert.equal((await memory.observe("chat", CHAT)).stored, 0);
    const added = await memory.add("Ana keeps bees on the roof", { tags: ["bees"] });
    const found = await memory.search("bees on the roof", { tags: ["bees"] });
    assert.deepEqual(found.map((one) => one.memory?.id), [added.id]);
    const told = await memory.context("Where do I keep my bees on the roof?", { session: "chat", budgetTokens: 1_000 });
    assert.ok(told.text.includes("| Ana keeps bees on the roof"), told.text);
    assert.ok(told.tokens > 0 && told.tokens <= 1_000);
    assert.ok(!(await memory.context("", { session: "chat", parts: ["turns"] })).text.includes("bees"));
    assert.equal((await memory.forget(added.id)).id, added.id);
    await assert.rejects(memory.observe("", CHAT), (error: unknown) => error instanceof RichClientError);
    memory.close();
  });

  it("tells a long conversation in short", async () => {
    const memory = new Memory({ url: `http://${processes.api}`, user: `typescript-${randomUUID()}` });
    const said: Message[] = Array.from({ length: 8 }, (_, n) => ({ role: "user", content: `We decided that train ${n} goes to Porto.` }));
    await memory.observe("chat", said);
    const made = await memory.compact("chat", { keep: 2 });
    assert.deepEqual([made.turns, made.summaryIds.length], [6, 1]);
    const told = await memory.context("", { session: "chat", parts: ["snapshots", "turns"] });
    assert.deepEqual([told.items.length, told.items[0]?.id], [3, made.summaryIds[0]]);
    memory.close();
  });

  it("tells what it learned to a caller who waits", async () => {
    const memory = new Memory({ url: `http://${processes.api}`, user: `typescript-${randomUUID()}` });
    const said: Message[] = [{ role: "user", content: "Hello! I work as a nurse in Porto. Will it rain?" }];
    const answer = await memory.observe("chat", said, { wait: true });
    assert.deepEqual(answer.extracted.map((turn) => turn.madeIds.length), [1]);
    assert.deepEqual((await memory.observe("chat 2", said, { wait: true })).extracted[0]?.mergedIds, answer.extracted[0]?.madeIds);
    memory.close();
  });

  it("retries as clients should, and sends no key in the clear", () => {
    const shipped = new URL("../../../../proto/clients/service_config.json", import.meta.url);
    assert.deepEqual(SERVICE_CONFIG, JSON.parse(readFileSync(shipped, "utf8")));
    assert.throws(() => new Memory({ url: "http://memory.example.com", key: "kmb_secret", user: "ana" }), /https/);
  });
});
