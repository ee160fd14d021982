// The story of a key: a server that requires one, the owner's key, a key that only reads, and its revocation.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Channel, ClientError, createChannel, createClient, Metadata, Status } from "nice-grpc";
import { AccessServiceDefinition, Operation } from "kimberly-client/node/access_service";
import { MemoryServiceDefinition } from "kimberly-client/node/memory_service";
import { Processes } from "./processes.js";

describe("keys", () => {
  let processes: Processes;
  let channel: Channel;

  before(async () => {
    processes = await Processes.start({ KIMBERLY_AUTH__MODE: "required" });
    channel = createChannel(processes.api);
  });

  after(async () => {
    channel.close();
    assert.deepEqual(await processes.stop(), [0, 0, 0], "a process did not stop in order");
  });

  // Clients that send a key with every call.
  const holding = (key: string) => {
    const options = { "*": { metadata: new Metadata({ authorization: `Bearer ${key}` }) } };
    return {
      memories: createClient(MemoryServiceDefinition, channel, options),
      access: createClient(AccessServiceDefinition, channel, options),
    };
  };
  const refusedWith = (code: Status) => (error: unknown) => error instanceof ClientError && error.code === code;

  it("lets its holder do what it was granted, until it is revoked", async () => {
    const userId = `typescript-${randomUUID()}`;
    const owner = holding(readFileSync(join(processes.accountFolder, "admin.token"), "utf8").trim());
    const name = `reader-${randomUUID()}`;
    const grant = { users: [userId], operations: [Operation.OPERATION_READ] };
    const made = await owner.access.createKey({ name, grant });
    assert.ok(made.key.startsWith(`kmb_${made.credential?.id}_`));
    const { receipt } = await owner.memories.createMemory({ userId, memory: { content: "I drink tea" } });

    const reader = holding(made.key);
    const { memory } = await reader.memories.getMemory({ userId, id: receipt?.id });
    assert.equal(memory?.content, "I drink tea");
    const write = reader.memories.createMemory({ userId, memory: { content: "I drink coffee" } });
    await assert.rejects(write, refusedWith(Status.PERMISSION_DENIED));
    const other = reader.memories.getMemory({ userId: `${userId}-other`, id: receipt?.id });
    await assert.rejects(other, refusedWith(Status.PERMISSION_DENIED));

    await owner.access.revokeKey({ name });
    const late = reader.memories.getMemory({ userId, id: receipt?.id });
    await assert.rejects(late, refusedWith(Status.UNAUTHENTICATED));
  });
});
