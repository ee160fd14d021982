// The graph of entities: mentioned in a conversation, found by a meditation, viewed and corrected; and many of them at once.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { ask } from "./ana.js";
import type { Told } from "./console.test.js";

const USER = "clara";
const HOSTILE = `<img src=x onerror="window.owned = 1">`;
const MANY = 2_000;
const MOST_FRAME_MS = 50;

const SAID = [
  "I work at Acme Corp with Melanie Costa.",
  "My sister Clara Reis lives in Porto.",
  "Melanie Costa lives in Coimbra, and Acme Corp is located in Porto.",
  `Melanie Costa wrote ${HOSTILE} into the guest book of Acme Corp.`,
];

type Entities = { entities: { id: string; name: string }[] };

async function entities(api: string): Promise<Entities["entities"]> {
  return (await ask<Entities>(api, "GET", `/v1/users/${USER}/entities?pageSize=100`)).entities;
}

// Like `kimberly import`, with ids, so that the ids of turns contain no time.
async function tellWithIds(api: string): Promise<void> {
  const messages = [{ id: "1", role: "ROLE_USER", name: "Ana", content: "Tom Hale works at Globex Corp." }];
  await ask(api, "POST", `/v1/users/${USER}/conversation:observe`, { sessionId: "told", messages, extraction: "EXTRACTION_MODE_SKIP" });
}

async function tellAndSleep(api: string): Promise<void> {
  await tellWithIds(api);
  const memories = SAID.map((content) => ({ content, speaker: "Ana", kind: "KIND_FACT" }));
  await ask(api, "POST", `/v1/users/${USER}/memories:batchCreate`, { memories });
  const { meditation } = await ask<{ meditation: { id: string } }>(api, "POST", `/v1/users/${USER}/meditations`, {});
  for (;;) {
    const read = await ask<{ meditation: { status: string } }>(api, "GET", `/v1/users/${USER}/meditations/${meditation.id}`);
    if (read.meditation.status === "MEDITATION_STATUS_COMPLETE") return;
    await new Promise((done) => setTimeout(done, 50));
  }
}

// As many as the drawing must handle, more than the api returns at once.
function crowd(): unknown {
  const id = (n: number) => `ent_01a20f95-3180-75f9-ac66-${String(n).padStart(12, "0")}`;
  const at = new Date().toISOString();
  const one = (_: unknown, n: number) => ({
    id: id(n), name: `Entity ${n}`, type: n % 2 ? "ENTITY_TYPE_PERSON" : "ENTITY_TYPE_PLACE", aliases: [],
    salience: 1 / (1 + n / 10), mentions: "2", memories: "1", firstAt: at, lastAt: at,
  });
  const edge = (_: unknown, n: number) => ({
    fromId: id(n + 1), fromName: "", relation: "ENTITY_RELATION_RELATED_TO", toId: id(Math.floor(n / 3)), toName: "",
    weight: (n % 10) / 10, confidence: 0.5, verifiedAt: at, memories: "1", evidence: [],
  });
  return { entities: Array.from({ length: MANY }, one), edges: Array.from({ length: MANY - 1 }, edge), truncated: true };
}

// Moves the mouse over the drawing until it is on an edge, and clicks.
async function pickEdge(page: Page): Promise<void> {
  const at = await page.evaluate(() => {
    const canvas = document.querySelector(".graph-place canvas") as HTMLCanvasElement;
    const { left, top, width, height } = canvas.getBoundingClientRect();
    for (let y = 4; y < height; y += 6) {
      for (let x = 4; x < width; x += 6) {
        canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: left + x, clientY: top + y }));
        if (canvas.dataset["on"] === "edge") return { x: left + x, y: top + y };
      }
    }
    return undefined;
  });
  assert.ok(at, "no edge is drawn");
  await page.mouse.click(at.x, at.y);
  await page.locator(".edge-relation").waitFor();
}

export function tellGraph(told: Told): void {
  it("graph: shows what a night found and who says it, and takes what one sets right, with a way back", async () => {
    const { api } = told.house;
    await tellAndSleep(api);
    const visit = await told.house.visit(USER);
    const { page } = visit;
    await visit.go("graph");
    await page.locator('.graph-place[data-settled="true"]').waitFor();
    await page.getByRole("searchbox").fill("melan");
    await page.locator(".entities li").nth(1).waitFor({ state: "detached" });
    await page.locator(".entity", { hasText: "Melanie Costa" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".entity-title", { hasText: "Melanie Costa" }).waitFor();
    const edge = page.locator(".entity-edge", { hasText: "Coimbra" }).filter({ hasText: "lives in" }).first();
    assert.match(await edge.locator(".entity-edge-said").innerText(), /lives in/);
    await edge.locator("summary").click();
    await edge.locator(".entity-quotes a", { hasText: "lives in Coimbra" }).waitFor();
    await page.waitForTimeout(350);
    await visit.accessible("an entity");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Mel");
    await page.locator(".new-name").getByRole("button", { name: "Rename" }).click();
    await page.locator(".entity-title", { hasText: /^Mel$/ }).waitFor();
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.locator(".entity-title", { hasText: "Melanie Costa" }).waitFor();
    await page.getByRole("button", { name: "Is no entity" }).click();
    await page.getByText("Dismissed").waitFor();
    assert.ok(!(await entities(api)).some(({ name }) => name === "Melanie Costa"));
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.locator(".entity", { hasText: "Melanie Costa" }).waitFor();
    await visit.close();
  });

  it("tonight: shows turns whose ids tell no time, and opens none of them", async () => {
    const { api } = told.house;
    const turns = `/v1/users/${USER}/memories?filter.kinds=KIND_TURN&filter.states=MEMORY_STATE_ACTIVE&filter.states=MEMORY_STATE_ARCHIVED`;
    const [turn] = (await ask<{ memories: { id: string }[] }>(api, "GET", turns)).memories;
    const gone = "mem_f1a20f95-3180-75f9-ac66-000000000000";
    const visit = await told.house.visit(USER);
    const { page } = visit;
    const opened: string[] = [];
    page.on("request", (request) => request.url().includes("/memories/") && opened.push(request.url()));
    await page.route("**/meditations", async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      const response = await route.fetch();
      const plan = (await response.json()) as { decisions: unknown[] };
      const of = (memoryId: string | undefined) => ({
        memoryId, action: "DECISION_ACTION_ARCHIVE", reason: "DECISION_REASON_OVER_QUOTA", explanation: "", tier: "TIER_LONG_TERM", score: 0.1, sizeBytes: "10",
      });
      await route.fulfill({ response, json: { ...plan, decisions: [of(turn?.id), of(gone)] } });
    });
    await visit.go("tonight");
    await page.locator(".decision-text", { hasText: "Tom Hale works at Globex Corp." }).waitFor();
    await page.locator(".decision-text", { hasText: gone }).waitFor();
    assert.deepEqual(opened, [], "a plan is read without a trace");
    await visit.close();
  });

  it("graph: an edge is picked in the drawing and shows who says it, and an entity leads to the memories that name it", async () => {
    const visit = await told.house.visit(USER);
    const { page } = visit;
    const opened: string[] = [];
    page.on("request", (request) => request.url().includes("/memories/") && opened.push(request.url()));
    await visit.go("graph");
    await page.locator('.graph-place[data-settled="true"]').waitFor();
    await page.getByRole("searchbox").fill("globex");
    await page.locator(".entity", { hasText: "Globex Corp" }).click();
    await page.locator('.graph-place[data-settled="true"]').waitFor();
    await page.locator(".entity-edge", { hasText: "Tom Hale" }).first().waitFor();
    await page.waitForTimeout(200);
    await pickEdge(page);
    assert.match(await page.locator(".entity-title").innerText(), /Tom Hale\s+works at\s+Globex Corp/);
    await page.locator(".entity-quotes mark", { hasText: "Tom Hale works at Globex Corp" }).waitFor();
    assert.deepEqual(opened, [], "to open a memory counts as use");
    await page.getByRole("link", { name: "Back to the entity" }).click();
    await page.getByRole("button", { name: "person", exact: true }).click();
    await page.waitForFunction(() => document.querySelectorAll(".legend-button").length === 2);
    await page.route(/\/entities\/[^/?]+\?limit=1000$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), truncated: true } });
    });
    await page.getByRole("link", { name: "Memories that name it" }).click();
    await page.locator(".row", { hasText: "Tom Hale" }).waitFor();
    await page.locator(".search-said", { hasText: "1,000 newest mentions" }).waitFor();
    assert.equal(await page.locator(".row").count(), 1);
    assert.equal(await page.getByLabel("Names").evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text), "Globex Corp");
    await visit.close();
  });

  it("graph: fits a phone, keeps hostile words inert, and leads from evidence to the memory", async () => {
    const { api } = told.house;
    const porto = (await entities(api)).find(({ name }) => name === "Porto")?.id;
    await ask(api, "POST", `/v1/users/${USER}/entities/${porto}:rename`, { name: `${HOSTILE}${"w".repeat(200)}` });
    const visit = await told.house.visit(USER, { width: 360, height: 780, theme: "dark" });
    const { page } = visit;
    await visit.go("graph");
    await page.locator(".entity", { hasText: HOSTILE }).waitFor();
    await visit.fits("the graph");
    await page.locator(".entity", { hasText: "Melanie Costa" }).click();
    const hostile = page.locator(".timeline a", { hasText: HOSTILE });
    await hostile.waitFor();
    await visit.fits("an entity");
    await visit.accessible("an entity on a phone");
    const found = await page.evaluate(() => ({ owned: (window as { owned?: number }).owned, images: document.images.length }));
    assert.deepEqual(found, { owned: undefined, images: 0 });
    await hostile.click();
    await page.locator(".detail-text", { hasText: HOSTILE }).waitFor();
    await visit.close();
  });

  it(`${MANY} entities are drawn, and the frames are counted`, async () => {
    const visit = await told.house.visit(USER, { width: 1440, height: 900 });
    const { page } = visit;
    const body = JSON.stringify(crowd());
    await page.route("**/v1/users/*/graph*", (route) => route.fulfill({ contentType: "application/json", body }));
    await visit.go("graph");
    await page.locator('.graph-place[data-settled="true"]').waitFor({ timeout: 180_000 });
    const frames = await page.evaluate(async () => {
      const canvas = document.querySelector(".graph-place canvas") as HTMLCanvasElement;
      const { left, top, width, height } = canvas.getBoundingClientRect();
      const times: number[] = [];
      for (let turn = 0; turn < 120; turn++) {
        const before = performance.now();
        const at = { clientX: left + width / 2, clientY: top + height / 2, bubbles: true, cancelable: true };
        canvas.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY: turn < 60 ? -20 : 20 }));
        await new Promise(requestAnimationFrame);
        times.push(performance.now() - before);
      }
      return times;
    });
    const late = frames.filter((ms) => ms > MOST_FRAME_MS).map(Math.round);
    console.log(`${MANY} entities, ${frames.length} frames, above ${MOST_FRAME_MS} ms: ${late.join(", ") || "none"}`);
    await page.getByText("2,000 entities").first().waitFor();
    await visit.close();
  });
}
