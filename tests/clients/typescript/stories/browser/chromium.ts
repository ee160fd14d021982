// A headless Chromium that opens one page, and the server that serves the page and receives its report.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Report } from "./page.js";

// The folder where debian.sh unpacked it, or the system's root.
const PLACES = [process.env["DEBIAN_FOLDER"] ?? "", "/"].map((at) => join(at, "usr/lib/chromium/chromium-headless-shell"));

// Returns the path of the browser.
export function chromiumBinary(): string {
  const binary = PLACES.find((place) => existsSync(place));
  if (binary === undefined) throw new Error(`no Chromium at ${PLACES.join(" or ")}; run tests/run --only browser`);
  return binary;
}

// Serves one page with one script, on a separate origin, until the page has reported.
export class PageServer {
  readonly report: Promise<Report>;
  private reported!: (report: Report) => void;

  private constructor(
    private readonly server: Server,
    script: string,
  ) {
    this.report = new Promise((resolve) => (this.reported = resolve));
    server.on("request", (request, response) => {
      if (request.method === "POST" && request.url === "/report") {
        void text(request).then((body) => this.reported(JSON.parse(body) as Report));
        response.writeHead(204).end();
      } else if (request.url === "/page.js") {
        response.writeHead(200, { "content-type": "text/javascript" }).end(script);
      } else {
        response.writeHead(200, { "content-type": "text/html" }).end('<script type="module" src="/page.js"></script>');
      }
    });
  }

  static async start(script: string): Promise<PageServer> {
    const server = createServer();
    const page = new PageServer(server, script);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return page;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

export class Chromium {
  private readonly profile = mkdtempSync(join(tmpdir(), "kimberly-chromium-"));
  private readonly running: ChildProcess;
  private said = "";

  // Opens a page. Without a sandbox, which fails in containers and as root; no other page is opened.
  constructor(url: string) {
    const binary = chromiumBinary();
    const options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"];
    options.push("--no-first-run", "--remote-debugging-port=0", `--user-data-dir=${this.profile}`);
    this.running = spawn(binary, [...options, url], { stdio: ["ignore", "ignore", "pipe"], detached: true });
    this.running.stderr?.on("data", (chunk: Buffer) => (this.said += chunk.toString()));
  }

  // Resolves to the report of the page; rejects if the browser exits first.
  async until(report: Promise<Report>): Promise<Report> {
    const ended = new Promise<never>((_, reject) => {
      this.running.once("exit", (code) => reject(new Error(`Chromium ended with ${code}:\n${this.said}`)));
    });
    return await Promise.race([report, ended]);
  }

  // Stops the browser and its process group before their files are removed.
  async close(): Promise<void> {
    const exited = new Promise((done) => this.running.once("exit", done));
    if (this.running.exitCode === null && this.running.pid !== undefined) {
      process.kill(-this.running.pid, "SIGKILL");
      await exited;
    }
    await rm(this.profile, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
}
