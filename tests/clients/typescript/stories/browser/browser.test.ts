// A page of an allowed origin runs the whole story in a real browser; a page of another origin gets nothing.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { build } from "esbuild";
import { connect } from "../kimberly.js";
import { Processes } from "../processes.js";
import { Chromium, PageServer } from "./chromium.js";
import type { Report } from "./page.js";

const STORIES = join(import.meta.dirname, "../../stories/browser");

describe("the story in a browser", () => {
  let processes: Processes;
  let allowed: PageServer;
  let foreign: PageServer;

  before(async () => {
    const bundle = await build({
      entryPoints: [join(STORIES, "page.ts")],
      bundle: true,
      format: "esm",
      target: "es2022",
      write: false,
    });
    const script = bundle.outputFiles[0]?.text ?? "";
    [allowed, foreign] = [await PageServer.start(script), await PageServer.start(script)];
    processes = await Processes.start({ KIMBERLY_API__CORS_ALLOWED_ORIGINS: JSON.stringify([allowed.origin]) });
  });

  after(async () => {
    allowed.stop();
    foreign.stop();
    assert.deepEqual(await processes.stop(), [0, 0, 0], "a process did not stop in order");
  });

  async function visit(page: PageServer): Promise<Report> {
    const browser = new Chromium(`${page.origin}/?api=http://${processes.api}`);
    try {
      return await browser.until(page.report);
    } finally {
      await browser.close();
    }
  }

  it("runs over gRPC-Web in a page of an allowed origin", { timeout: 180_000 }, async () => {
    const { told, error } = await visit(allowed);
    assert.equal(error, undefined, told.join("\n"));
    assert.equal(told.at(-1), "every change is watched, in order and once");
  });

  it("is refused to a page of another origin, which cannot write either", { timeout: 60_000 }, async () => {
    const kimberly = connect(processes.api);
    const users = async () => (await kimberly.metrics.getMetrics({})).system?.users;
    try {
      const before = await users();
      const { told, error } = await visit(foreign);
      assert.deepEqual(told, []);
      assert.match(error ?? "", /failed to fetch/i);
      assert.equal(await users(), before);
    } finally {
      kimberly.close();
    }
  });
});
