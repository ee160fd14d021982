// How the files are served: compressed, cached forever if their names have a hash, under a strict policy.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Told } from "./console.test.js";

// The size that the issue allows without the graph.
const MOST_SCRIPT_BYTES = 250_000;

export function tellServed(told: Told): void {
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://${told.house.api}${path}`, { headers, redirect: "manual" });

  it("is served under a strict policy, and files with hashes are kept for good", async () => {
    const page = await get("/console/");
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    const html = await page.text();
    assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)/, "an inline script");
    const again = await get("/console/", { "if-none-match": page.headers.get("etag") ?? "" });
    assert.equal(again.status, 304);
    const scripts = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map((match) => match[1] ?? "");
    for (const path of scripts) {
      const file = await get(`/console/${path}`);
      assert.match(file.headers.get("cache-control") ?? "", /immutable/);
      assert.equal(file.headers.get("content-encoding"), "gzip");
    }
    assert.equal((await get("/console")).headers.get("location"), "console/");
  });

  it("loads at most 250 KB of script", async () => {
    const visit = await told.house.visit("ana");
    let bytes = 0;
    visit.page.on("response", async (response) => {
      if (response.url().endsWith(".js")) bytes += Number((await response.allHeaders())["content-length"] ?? Number.NaN);
    });
    await visit.go("overview");
    await visit.close();
    assert.ok(bytes > 0 && bytes <= MOST_SCRIPT_BYTES, `${bytes} bytes`);
  });
}
