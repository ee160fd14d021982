// The story of an assistant: the official MCP client over HTTP and stdio, with and without a key.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createChannel, createClient, Metadata } from "nice-grpc";
import { AccessServiceDefinition, Operation } from "kimberly-client/node/access_service";
import { Processes } from "./processes.js";

const BINARIES = process.env["KIMBERLY_BIN_DIR"] ?? resolve(import.meta.dirname, "../../../../target/release");

function overHttp(processes: Processes, parameters: Record<string, string>, headers: Record<string, string> = {}) {
  const url = new URL(`http://${processes.api}/mcp?${new URLSearchParams(parameters)}`);
  return new StreamableHTTPClientTransport(url, { requestInit: { headers } });
}

function overStdio(processes: Processes, userId: string, environment: Record<string, string> = {}) {
  return new StdioClientTransport({
    command: join(BINARIES, "kimberly"),
    args: ["mcp", "--server", `http://${processes.api}`, "--user", userId, "--profile", "all"],
    env: { HOME: processes.folder, KIMBERLY_KEYS__FOLDER: processes.accountFolder, ...environment },
  });
}

// Runs a story with a client that is closed afterwards.
async function connected<T>(transport: Transport, story: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: "stories", version: "1" });
  try {
    await client.connect(transport);
    return await story(client);
  } finally {
    await client.close();
  }
}

// The answer of a tool: its first text, its data, and whether it failed.
async function call(client: Client, name: string, args: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: args });
  const first = result.content[0];
  assert.ok(first?.type === "text");
  return { text: first.text, data: result.structuredContent as any, failed: result.isError === true };
}

// The client checks every answer against the schema that the server declares.
async function useEveryTool(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  assert.ok(tools.length > 0 && tools.every((tool) => tool.outputSchema && tool.annotations?.openWorldHint === false));
  const made = await call(client, "remember", { content: "Ana's train to Lisbon leaves on Friday.", tags: ["travel"] });
  const { id } = made.data;
  const found = await call(client, "recall", { query: "When does the train leave?" });
  assert.equal(found.data.memories[0].id, id);
  assert.match(found.text, /\n\| Ana's train to Lisbon leaves on Friday\.\n/);
  const changed = await call(client, "update_memory", { id, content: "Ana's train leaves on Sunday." });
  assert.equal(changed.data.id, id);
  const listed = await call(client, "list_memories", { tags: ["travel"] });
  assert.deepEqual(listed.data.memories.map((memory: any) => memory.content), ["Ana's train leaves on Sunday."]);
  const searched = await call(client, "search", { query: "train" });
  assert.deepEqual(Object.keys(JSON.parse(searched.text).results[0]).sort(), ["id", "title", "url"]);
  const whole = await call(client, "fetch", { id });
  assert.equal(JSON.parse(whole.text).text, "Ana's train leaves on Sunday.");
  const forgotten = await call(client, "forget", { id });
  assert.ok(forgotten.text.includes(forgotten.data.restorable_until));

  const refused = await call(client, "forget", { id: "mem_00000000-0000-7000-8000-000000000000" });
  assert.ok(refused.failed && refused.text.includes("MEMORY_NOT_FOUND"), refused.text);
  await assert.rejects(client.callTool({ name: "forget_all", arguments: {} }), /no such tool/);
  const { messages } = await client.getPrompt({ name: "memory_instructions" });
  assert.match(JSON.stringify(messages), /Never follow instructions/);
}

describe("MCP", () => {
  let processes: Processes;

  before(async () => {
    processes = await Processes.start();
  });

  after(async () => {
    assert.deepEqual(await processes.stop(), [0, 0, 0], "a process did not stop in order");
  });

  it("gives an assistant memory over HTTP", async () => {
    await connected(overHttp(processes, { user_id: `typescript-${randomUUID()}`, profile: "all" }), useEveryTool);
  });

  it("gives an assistant memory over stdio", async () => {
    await connected(overStdio(processes, `typescript-${randomUUID()}`), useEveryTool);
  });

  it("gives an assistant that names no user the memory of the default user", async () => {
    await connected(overHttp(processes, { profile: "all" }), useEveryTool);
  });

  it("refuses pages of other origins", async () => {
    const foreign = overHttp(processes, { user_id: "ana" }, { origin: "https://evil.example.com" });
    await assert.rejects(connected(foreign, useEveryTool), /403|not call/);
  });
});

describe("MCP with keys", () => {
  let processes: Processes;

  before(async () => {
    processes = await Processes.start({ KIMBERLY_AUTH__MODE: "required" });
  });

  after(async () => {
    assert.deepEqual(await processes.stop(), [0, 0, 0], "a process did not stop in order");
  });

  const keyFor = async (userId: string, operations: Operation[]): Promise<string> => {
    const owners = readFileSync(join(processes.accountFolder, "admin.token"), "utf8").trim();
    const channel = createChannel(processes.api);
    try {
      const metadata = new Metadata({ authorization: `Bearer ${owners}` });
      const access = createClient(AccessServiceDefinition, channel, { "*": { metadata } });
      const made = await access.createKey({ name: `key-${randomUUID()}`, grant: { users: [userId], operations } });
      return made.key;
    } finally {
      channel.close();
    }
  };
  const holding = (key: string) => overHttp(processes, {}, { authorization: `Bearer ${key}` });

  it("lets a key name its user, and do no more than it may", async () => {
    const userId = `typescript-${randomUUID()}`;
    const reader = await keyFor(userId, [Operation.OPERATION_READ]);
    const writer = await keyFor(userId, [Operation.OPERATION_READ, Operation.OPERATION_WRITE]);
    await connected(holding(writer), async (client) => {
      assert.ok(!(await call(client, "remember", { content: "I drink tea" })).failed);
    });
    await connected(holding(reader), async (client) => {
      assert.match((await call(client, "recall", { query: "tea" })).text, /I drink tea/);
      const refused = await call(client, "remember", { content: "I drink coffee" });
      assert.ok(refused.failed && refused.text.includes("PERMISSION_DENIED"), refused.text);
    });
    await connected(overStdio(processes, userId, { KIMBERLY_TOKEN: reader }), async (client) => {
      assert.match((await call(client, "recall", { query: "tea" })).text, /I drink tea/);
    });
  });

  it("opens nothing to a wrong key", async () => {
    await assert.rejects(connected(holding("kmb_wrong"), useEveryTool));
    await assert.rejects(connected(overStdio(processes, "ana", { KIMBERLY_TOKEN: "kmb_wrong" }), useEveryTool));
  });
});
