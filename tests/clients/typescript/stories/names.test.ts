// Records with names, core memory and the memory tool of assistants.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Status } from "nice-grpc";
import { RichClientError } from "nice-grpc-error-details";
import { newUser, serving } from "./serving.js";

describe("names", () => {
  const kimberly = serving();

  it("edits a note in place", async () => {
    const userId = newUser();
    const name = "notes/travel.md";
    await kimberly.memories.createMemory({ userId, memory: { content: "The ferry leaves at nine.", name } });
    await kimberly.named.editRecord({ userId, name, replace: { old: "nine", new: "ten" } });
    const { memory } = await kimberly.named.getNamedRecord({ userId, name });
    assert.equal(memory?.content, "The ferry leaves at ten.");
    const { names } = await kimberly.named.listNames({ userId, prefix: "notes/" });
    assert.deepEqual(names.map((one) => one.name), [name]);
    await assert.rejects(kimberly.named.editRecord({ userId, name, replace: { old: "e", new: "x" } }), (error) => {
      assert.ok(error instanceof RichClientError);
      assert.equal(error.code, Status.FAILED_PRECONDITION);
      assert.match(error.details, /occurs 5 times/);
      return true;
    });
  });

  it("keeps what a note was before as versions", async () => {
    const userId = newUser();
    const note = { userId, name: "notes/travel.md" };
    await kimberly.memories.createMemory({ userId, memory: { content: "The ferry leaves at nine.", name: note.name } });
    await kimberly.named.editRecord({ ...note, replace: { old: "nine", new: "ten" }, reason: "not nine" });
    await kimberly.named.editRecord({ ...note, append: "Back on Sunday." });
    const { versions } = await kimberly.named.listVersions(note);
    assert.deepEqual(versions.map((one) => [Number(one.version), one.reason]), [[2, ""], [1, "not nine"]]);
    assert.equal((await kimberly.named.getVersion({ ...note, version: 2 })).content, "The ferry leaves at ten.");
    const { diff } = await kimberly.named.diffVersions({ ...note, fromVersion: 1, toVersion: 2 });
    assert.match(diff, /^-The ferry leaves at nine\.$/m);
    assert.match(diff, /^\+The ferry leaves at ten\.$/m);
    assert.equal(Number((await kimberly.named.undoEdit({ ...note, toVersion: 1 })).version), 1);
    assert.equal((await kimberly.named.getNamedRecord(note)).memory?.content, "The ferry leaves at nine.");
    await kimberly.named.redactVersion({ ...note, version: 2 });
    const redacted = await kimberly.named.getVersion({ ...note, version: 2 });
    assert.equal(redacted.content, "");
    assert.ok(redacted.version?.redactedAt);
    await kimberly.named.renameRecord({ ...note, newName: "notes/trips.md" });
    const { names } = await kimberly.named.listNames({ userId });
    assert.deepEqual(names.map((one) => one.name), ["notes/trips.md"]);
  });

  it("changes, lists and removes blocks", async () => {
    const userId = newUser();
    await kimberly.core.addBlock({ userId, label: "human", content: "Ana likes tea." });
    await kimberly.core.updateBlock({ userId, label: "human", content: "Ana likes coffee.", description: "whom you serve" });
    const listed = await kimberly.core.listBlocks({ userId });
    assert.deepEqual(listed.blocks.map((one) => [one.name, one.content]), [["core/human", "Ana likes coffee."]]);
    assert.deepEqual([listed.bytes, listed.limitBytes].map(Number), ["Ana likes coffee.".length, 32 * 1024]);
    await kimberly.core.removeBlock({ userId, label: "human" });
    assert.deepEqual((await kimberly.core.listBlocks({ userId })).blocks, []);
  });

  it("renders core memory", async () => {
    const userId = newUser();
    await kimberly.core.addBlock({ userId, label: "human", content: "Ana likes tea." });
    const { text } = await kimberly.core.renderCoreMemory({ userId });
    assert.equal(text, '<core_memory>\n<block label="human">\nAna likes tea.\n</block>\n</core_memory>');
  });

  it("runs the memory tool", async () => {
    const userId = newUser();
    const run = (command: object) => kimberly.tool.runMemoryTool({ userId, command: JSON.stringify(command) });
    const made = await run({ command: "create", path: "/memories/a.md", file_text: "one\n" });
    assert.deepEqual(made, { output: "File created successfully at: /memories/a.md", isError: false });
    const refused = await run({ command: "view", path: "/memories/../a.md" });
    assert.deepEqual(refused, { output: "Path /memories/../a.md would escape /memories directory", isError: true });
  });
});
