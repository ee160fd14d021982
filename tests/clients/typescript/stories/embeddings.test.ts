// Recall by meaning: what it finds, what never gets a vector, imported vectors, and an unavailable embedder.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { RichClientError } from "nice-grpc-error-details";
import { EmbeddingState, UploadOutcome, type EmbeddingTexts } from "kimberly-client/node/embedding_service";
import { SemanticStatus } from "kimberly-client/node/memory_service";
import { connect, type Kimberly } from "./kimberly.js";
import { MODEL, Processes } from "./processes.js";

const HOLIDAY = "We spent the whole summer holiday in Rome";
const DENTIST = "The dentist wants to see me again in May";
const SECRET = "My blood pressure is far too high";

describe("embeddings", () => {
  let processes: Processes;
  let kimberly: Kimberly;
  const userId = `typescript-${randomUUID()}`;

  before(async () => {
    assert.ok(existsSync(join(MODEL, "model.safetensors")), `no model in ${MODEL}; run \`tests/run --only tools\` first`);
    processes = await Processes.start({
      KIMBERLY_EMBEDDER__MODEL: MODEL,
      KIMBERLY_EMBEDDING__WINDOW: "always",
      KIMBERLY_RECALL__EMBED_DEADLINE: "10s",
    });
    kimberly = connect(processes.api);
  });

  after(async () => {
    kimberly.close();
    assert.deepEqual(await processes.stop(), [0, 0], "a process did not stop in order");
  });

  // Returns the status once there are this many vectors, which are all that are needed.
  async function inSync(vectors: number) {
    for (let attempt = 0; attempt < 600; attempt++) {
      const { status } = await kimberly.embeddings.getEmbeddingStatus({ userId });
      if (status?.state === EmbeddingState.EMBEDDING_STATE_IN_SYNC && status.vectors === vectors) return status;
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error(`there are never ${vectors} vectors`);
  }

  const recall = (query: string) => kimberly.memories.queryMemories({ userId, query, explain: true });

  const reference = async (id: string) =>
    (await kimberly.memories.getMemory({ userId, id })).memory?.embeddingRef;

  async function upload(model: string, texts: EmbeddingTexts[], values: number[]) {
    const items = texts.map(({ id, fingerprint, texts }) => ({ id, fingerprint, vectors: texts.map(() => ({ values })) }));
    return (await kimberly.embeddings.uploadEmbeddings({ userId, model, items })).outcomes;
  }

  const refusedFor = (reason: string) => (error: unknown) => {
    assert.ok(error instanceof RichClientError, String(error));
    const info = error.extra.find((detail) => detail.$type === "google.rpc.ErrorInfo");
    assert.ok(info?.$type === "google.rpc.ErrorInfo");
    assert.equal(info.reason, reason);
    return true;
  };

  it("finds by meaning, takes vectors from elsewhere, and answers by words when the embedder is away", async () => {
    await kimberly.consents.grantConsent({ userId, consent: { purpose: "health" } });
    const memories = [{ content: HOLIDAY }, { content: DENTIST }, { content: SECRET, metadata: { sensitive: true } }];
    const { receipts } = await kimberly.memories.batchCreateMemories({ userId, memories, requestId: "three" });
    const [holiday, , hidden] = receipts.map(({ id }) => id);
    assert.ok(holiday !== undefined && hidden !== undefined);

    // Two of the three have a vector, and a question finds one without sharing a word with it
    const status = await inSync(2);
    assert.deepEqual([status.dimension, status.missingVectors, status.reason], [384, 0, ""]);
    const answer = await recall("which Italian city did they travel to for vacation?");
    assert.equal(answer.semantic, SemanticStatus.SEMANTIC_STATUS_USED);
    const best = answer.results[0];
    assert.equal(best?.memory?.content, HOLIDAY);
    assert.deepEqual(best.explanation?.foundBy, ["vector"]);
    assert.ok((best.explanation?.cosine ?? 0) > 0.2);

    // Each memory says whether it has a vector
    assert.equal(await reference(holiday), `${status.model}/${holiday}`);
    assert.equal(await reference(hidden), "");

    // Texts are exported, except the sensitive one; vectors of another model or size are refused
    const texts: EmbeddingTexts[] = [];
    for await (const piece of kimberly.embeddings.exportEmbeddingTexts({ userId })) texts.push(...piece.items);
    assert.deepEqual(texts.flatMap((item) => item.texts).sort(), [DENTIST, HOLIDAY]);
    const unit = [1, ...Array<number>(383).fill(0)];
    const unchanged = UploadOutcome.UPLOAD_OUTCOME_UNCHANGED;
    assert.deepEqual(await upload(status.model, texts, unit), [unchanged, unchanged]);
    await assert.rejects(upload("other-0123456789abcdef", texts, unit), refusedFor("WRONG_MODEL"));
    await assert.rejects(upload(status.model, texts, [1]), refusedFor("INVALID_FIELD"));

    // A deleted memory loses its vector
    await kimberly.memories.deleteMemory({ userId, id: holiday });
    await inSync(1);
    assert.equal(await reference(holiday), "");

    // Words are searched while the embedder is unavailable
    processes.kill("embedder");
    const words = await recall("when is the dentist?");
    assert.equal(words.semantic, SemanticStatus.SEMANTIC_STATUS_UNAVAILABLE);
    assert.deepEqual(words.results.map((result) => result.memory?.content), [DENTIST]);
  });
});
