// Hostile stored texts: markup, scripts, characters that reverse text, words without an end.
import assert from "node:assert/strict";
import { it } from "node:test";
import { ask } from "./ana.js";
import type { Told } from "./console.test.js";

const USER = "mallory";
const BIDI = "\u202e\u2066evil\u2069 txt.exe";

const HOSTILE = [
  `<script>window.owned = 1</script><img src="x" onerror="window.owned = 2">`,
  `"><svg onload="window.owned = 3"><a href="javascript:window.owned=4">a link</a>`,
  `${BIDI} stays where it is`,
  `${"w".repeat(65_000)}`,
  "👩‍👩‍👧‍👦🏳️‍🌈🧑🏽‍🚀 z̷̨̛̗͓̗̎͌̈́a̵͖̔l̶̙̈́g̸̳̈o̴̦͒".repeat(40),
  "تتذكر آنا موعد القطار إلى لشبونة يوم الجمعة",
  "{{constructor.constructor('window.owned=5')()}} ${window.owned=6} %3Cscript%3E",
];

export function tellHostile(told: Told): void {
  it("hostile texts are text, in every view and at any width", async () => {
    const { api } = told.house;
    const memories = HOSTILE.map((content) => ({ content, subject: "<b>bold</b>", metadata: { tags: ["<i>tag</i>"] }, confidence: 0.2, kind: "KIND_FACT" }));
    const { receipts } = await ask<{ receipts: { id: string }[] }>(api, "POST", `/v1/users/${USER}/memories:batchCreate`, { memories });
    const name = `notes/<img src=x onerror=alert(1)>${BIDI}.md`;
    await ask(api, "POST", "/memory", { userId: USER, memory: { name, content: HOSTILE[0], kind: "KIND_NOTE" } });
    await ask(api, "POST", `/v1/users/${USER}/core/blocks`, { label: "human", content: "<script>window.owned = 7</script>", description: "<b>x</b>" });
    const visit = await told.house.visit(USER, { width: 360, height: 780 });
    const details = receipts.map(({ id }) => `memories/${id}`);
    for (const place of ["overview", "memories", "review", "graph", "core", `core/${encodeURIComponent(name)}`, "tonight", "context?q=script", ...details]) {
      await visit.go(place);
      await visit.page.waitForTimeout(150);
      const found = await visit.page.evaluate(() => ({
        owned: (window as { owned?: number }).owned,
        foreign: document.querySelectorAll("main img, main script, main b, main i, main [onload], main [href^='javascript']").length,
      }));
      assert.deepEqual(found, { owned: undefined, foreign: 0 }, place);
      await visit.fits(place);
    }
    const isolated = await visit.page.locator(".said").first().evaluate((node) => getComputedStyle(node).unicodeBidi);
    assert.match(isolated, /isolate/);
    await visit.accessible("hostile texts");
    await visit.close();
  });
}
