// The client class for the memory of one user in Node.js.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { KimberlyError, Memory, MemoryToolError, SERVICE_CONFIG, target, type Message } from "kimberly-client";
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
    await assert.rejects(memory.observe("", CHAT), (error) => error instanceof KimberlyError && error.reason === "INVALID_FIELD");
    memory.close();
  });

  it("takes a single tag for one tag", async () => {
    const memory = new Memory({ url: `http://${processes.api}`, user: `typescript-${randomUUID()}` });
    await memory.add("The ferry leaves at nine.", { tags: "travel" });
    assert.deepEqual((await memory.search("ferry", { tags: "travel" }))[0]?.memory?.metadata?.tags, ["travel"]);
    memory.close();
  });

  it("says what to do where no server listens", async () => {
    const memory = new Memory({ url: "http://127.0.0.1:9" });
    await assert.rejects(memory.search("bees"), (error) => error instanceof KimberlyError && /kimberly up/.test(error.details) && !error.reason);
    memory.close();
  });

  it("takes a history longer than a call in once and in order", async () => {
    const memory = new Memory({ url: `http://${processes.api}`, user: `typescript-${randomUUID()}` });
    const said: Message[] = Array.from({ length: 2_100 }, (_, n) => ({ role: "user", content: n % 5 === 0 ? "ok" : `note ${n}` }));
    const first = await memory.observe("chat", said);
    const ids = first.messages.map((one) => one.id);
    assert.deepEqual([first.stored, new Set(ids).size], [2_100, 2_100]);
    const again = await memory.observe("chat", [...said, { role: "user", content: "ok" }]);
    assert.equal(again.stored, 1);
    assert.deepEqual(again.messages.slice(0, -1).map((one) => one.id), ids);
    const told = await memory.context("", { session: "chat", parts: ["turns"] });
    assert.deepEqual(told.items.slice(-3).map((one) => one.id), again.messages.slice(-3).map((one) => one.id));
    memory.close();
  });

  it("corrects what is wrong, and ends a session", async () => {
    const memory = new Memory({ url: `http://${processes.api}`, user: `typescript-${randomUUID()}` });
    await memory.observe("chat", CHAT);
    const wrong = await memory.add("Ana keeps bees on the roof");
    const right = await memory.correct(wrong.id, "Ana keeps bees in the garden", { reason: "she said so" });
    const found = await memory.search("Where does Ana keep bees?", { topK: 1 });
    assert.deepEqual(found.map((one) => one.memory?.id), [right.id]);
    // Messages of tools are short-term memories.
    assert.equal((await memory.endSession("chat")).archived, 1);
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

  it("keeps blocks of core memory", async () => {
    const memory = new Memory({ url: `http://${processes.api}`, user: `typescript-${randomUUID()}` });
    assert.equal(await memory.core.get("persona"), undefined);
    await memory.core.set("persona", "Calm.", { description: "who you are" });
    await memory.core.set("persona", "Calm & brief.");
    await memory.core.append("persona", "Never rude.");
    await memory.core.replace("persona", "Never", "Not");
    await memory.core.set("human", "Ana", { namespace: "work" });
    const rendered = await memory.core.render();
    assert.match(rendered, /<block label="persona" description="who you are">\nCalm &amp; brief\.\n+Not rude\./);
    assert.deepEqual((await memory.core.list({ namespace: "work" })).map((block) => block.content), ["Ana"]);
    await assert.rejects(memory.core.append("nothing", "x"), KimberlyError);
    await memory.core.set("persona", "Calm.", { readOnly: true });
    await assert.rejects(memory.core.append("persona", "x"), KimberlyError);
    await memory.core.set("persona", "Calm.", { readOnly: false });
    await memory.core.remove("persona");
    assert.deepEqual(await memory.core.list(), []);
    memory.close();
  });

  it("keeps files by the commands of the memory tool", async () => {
    const memory = new Memory({ url: `http://${processes.api}`, user: `typescript-${randomUUID()}` });
    await memory.files.create("/memories/notes/trip.md", "The ferry\nleaves at nine.\n");
    await memory.files.strReplace("/memories/notes/trip.md", "nine", "ten");
    await memory.files.insert("/memories/notes/trip.md", 0, "# Trip\n");
    await memory.files.rename("/memories/notes", "/memories/plans");
    assert.match(await memory.files.view("/memories/plans/trip.md"), /1\t# Trip\n.*2\tThe ferry\n.*3\tleaves at ten\./);
    assert.doesNotMatch(await memory.files.view("/memories/plans/trip.md", { range: [2, -1] }), /# Trip/);
    assert.equal(await memory.files.run({ command: "view", path: "/memories" }), await memory.files.view());
    await memory.files.delete("/memories/plans");
    await assert.rejects(memory.files.view("/memories/plans"), (error) => error instanceof MemoryToolError && /not exist/.test(error.message));
    await assert.rejects(memory.files.view("/memories", { namespace: "\n" }), KimberlyError);
    memory.close();
  });

  it("finds a document by its passages", async () => {
    const memory = new Memory({ url: `http://${processes.api}`, user: `typescript-${randomUUID()}` });
    const text = "# Leave\n\nStaff have 25 days of annual leave.";
    const stored = await memory.addDocument(text, { name: "documents/leave.md", mediaType: "text/markdown" });
    const [best] = await memory.search("how many days of leave?");
    assert.deepEqual([best?.memory?.id, best?.passages[0]?.text], [stored.receipt?.id, text]);
    memory.close();
  });

  it("takes the default port for a URL without one", () => {
    const targets = {
      "http://memory.example.com": "memory.example.com:7420",
      "http://[::1]/": "[::1]:7420",
      "HTTP://memory.example.com:80": "memory.example.com:80",
      "https://memory.example.com": "memory.example.com:443",
      "https://memory.example.com:7420": "memory.example.com:7420",
    };
    assert.deepEqual(Object.fromEntries(Object.keys(targets).map((url) => [url, target(url)])), targets);
  });

  it("retries as clients should, and sends no key in the clear", () => {
    const shipped = new URL("../../../../proto/clients/service_config.json", import.meta.url);
    assert.deepEqual(SERVICE_CONFIG, JSON.parse(readFileSync(shipped, "utf8")));
    assert.throws(() => new Memory({ url: "http://memory.example.com", key: "kmb_secret", user: "ana" }), /https/);
  });
});
