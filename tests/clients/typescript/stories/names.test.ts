// Records with names, core memory and the memory tool of assistants.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { Status } from "nice-grpc";
import { RichClientError } from "nice-grpc-error-details";
import { connect, type Kimberly } from "./kimberly.js";
import { Processes } from "./processes.js";

describe("names", () => {
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

  const newUser = () => `typescript-${randomUUID()}`;

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
      assert.match(error.details, /stands 5 times/);
      return true;
    });
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
