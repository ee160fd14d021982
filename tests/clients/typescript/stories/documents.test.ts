// Documents: take one in, find it by its passages.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { connect, type Kimberly } from "./kimberly.js";
import { Processes } from "./processes.js";

describe("documents", () => {
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

  it("are found by their passages and replaced by name", async () => {
    const userId = `typescript-${randomUUID()}`;
    const name = "documents/leave.md";
    const ingest = (text: string) => kimberly.documents.ingestDocument({ userId, text, mediaType: "text/markdown", name });
    const first = await ingest("# Leave\n\nStaff have 25 days of annual leave.");
    assert.equal(first.passages, 1);
    const second = await ingest("# Leave\n\nStaff have 30 days of annual leave.");
    assert.equal(second.receipt?.id, first.receipt?.id);
    const { results } = await kimberly.memories.queryMemories({ userId, query: "how many days of leave?" });
    assert.match(results[0]?.passages[0]?.text ?? "", /30 days/);
    const { passages } = await kimberly.documents.listPassages({ userId, id: first.receipt?.id ?? "" });
    assert.equal(passages.length, 1);
  });
});
