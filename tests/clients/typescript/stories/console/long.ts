// A list of 20,000 memories scrolls smoothly.
import assert from "node:assert/strict";
import { it } from "node:test";
import { ask } from "./ana.js";
import type { Told } from "./console.test.js";

const USER = "many";
const ALL = 20_000;
const BATCH = 1_000;
const MOST_FRAME_MS = 50;

export function tellLong(told: Told): void {
  it("20,000 memories scroll, and the frames are counted", async () => {
    await ask(told.house.api, "PATCH", `/v1/users/${USER}/settings?updateMask=longTermQuotaBytes`, { longTermQuotaBytes: "100000000" });
    for (let start = 0; start < ALL; start += BATCH) {
      const memories = Array.from({ length: BATCH }, (_, n) => ({ content: `Note ${start + n}: something that was said on a day, and that may matter on another.` }));
      await ask(told.house.api, "POST", `/v1/users/${USER}/memories:batchCreate`, { memories });
    }
    const visit = await told.house.visit(USER);
    await visit.go("memories");
    const { rows, frames } = await visit.page.evaluate(async (all) => {
      const scroller = document.querySelector(".rows") as HTMLElement;
      const size = () => Number(document.querySelector(".search-said")?.textContent?.replace(/\D/g, ""));
      const atEnd = () => scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1;
      const times: number[] = [];
      // As a person scrolls: some rows per frame.
      const glide = async (pixels: number) => {
        for (let turn = 0; turn < 120; turn++) {
          const before = performance.now();
          scroller.scrollTop += pixels;
          await new Promise(requestAnimationFrame);
          times.push(performance.now() - before);
        }
      };
      await glide(240);
      for (let turn = 0; turn < 3_000 && !(size() >= all && atEnd()); turn++) {
        scroller.scrollTop = scroller.scrollHeight;
        await new Promise((done) => setTimeout(done, 10));
      }
      await glide(-240);
      return { rows: size(), frames: times };
    }, ALL);
    const late = frames.filter((ms) => ms > MOST_FRAME_MS).map(Math.round);
    console.log(`${rows} rows, ${frames.length} frames, above ${MOST_FRAME_MS} ms: ${late.join(", ") || "none"}`);
    assert.equal(rows, ALL);
    const shown = await visit.page.locator(".row").count();
    assert.ok(shown < 60, `${shown} rows are on the page`);
    await visit.close();
  });
}
