// Whose memory the console shows: the default user's, that of a link in an open tab, and that of the list; and that looking at a
// memory does not change it.
import assert from "node:assert/strict";
import { it } from "node:test";
import { ask } from "./ana.js";
import type { Told } from "./console.test.js";

type Listed = { memories: { id: string; content: string; accessCount: string }[] };

// The interval in which the api records uses of memories, shortened for this story.
export const TOUCHES = { KIMBERLY_API__TOUCH_INTERVAL: "100ms" };

export function tellUsers(told: Told): void {
  const uses = async (user: string) => {
    const { memories } = await ask<Listed>(told.house.api, "GET", `/v1/users/${user}/memories?pageSize=200`);
    return Object.fromEntries(memories.map(({ id, accessCount }) => [id, accessCount]));
  };
  const hash = (url: string) => decodeURIComponent(new URL(url).hash);

  it("shows the default user's memory to a browser that names nobody, and lists the others", async () => {
    await ask(told.house.api, "POST", "/memory", { type: "long-term", content: "Told without a name." });
    const visit = await told.house.visit("");
    const { page } = visit;
    await page.goto(`http://${told.house.api}/`);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.match(page.url(), /\/console\/#\/\?user=me$/);
    await page.getByRole("link", { name: "Memories" }).click();
    await page.locator(".row", { hasText: "Told without a name." }).waitFor();
    await visit.accessible("the list of users");
    await page.getByLabel("Whose memory").selectOption("ana");
    await page.getByRole("link", { name: "Memories" }).click();
    await page.locator(".row", { hasText: "Small talk" }).first().waitFor();
    assert.equal(await page.locator(".row", { hasText: "Told without a name." }).count(), 0);
    await visit.close();
  });

  it("follows a link to another user's memory in an open tab, and keeps naming the user", async () => {
    await ask(told.house.api, "POST", "/memory", { userId: "otto", memory: { content: "Otto collects stamps." } });
    const visit = await told.house.visit("ana");
    const { page } = visit;
    await visit.go("memories");
    await page.locator(".row", { hasText: "Small talk" }).first().waitFor();
    assert.equal(hash(page.url()), "#/memories?user=ana");
    await visit.go("memories?user=otto");
    await page.locator(".row", { hasText: "Otto collects stamps." }).waitFor();
    assert.equal(await page.locator(".row", { hasText: "Small talk" }).count(), 0, "of the user before");
    await page.locator(".row-link").first().click();
    await page.locator(".detail-text", { hasText: "Otto collects stamps." }).waitFor();
    for (const view of ["Overview", "Tonight", "Graph", "Memories"]) {
      await page.getByRole("link", { name: view, exact: true }).click();
      await page.locator("main h1").first().waitFor();
      assert.match(hash(page.url()), /[?&]user=otto/, view);
    }
    await page.goBack();
    await page.reload();
    await page.locator("main h1").first().waitFor();
    assert.match(hash(page.url()), /[?&]user=otto/, "after a reload");
    await visit.close();
  });

  it("says in words what nights decided about a memory, in both languages", async () => {
    for (const locale of ["en", "de"]) {
      const visit = await told.house.visit("ana", { locale });
      await visit.go(`memories/${told.seeded.ids["brother"]}`);
      await visit.page.locator(".timeline li").nth(2).waitFor();
      assert.doesNotMatch(await visit.page.locator(".timeline").innerText(), /decision (action|reason)|DECISION_/i);
      await visit.close();
    }
  });

  it("does not say that all is well while a tier is over its quota", async () => {
    const visit = await told.house.visit("ana");
    await visit.go("overview");
    await visit.page.locator(".verdict", { hasText: "Over quota: long-term" }).waitFor();
    assert.equal(await visit.page.getByText("Nothing needs your attention").count(), 0);
    await visit.close();
  });

  it("looks at memories, files and contexts without counting as use", async () => {
    const before = await uses("ana");
    const visit = await told.house.visit("ana");
    const { page } = visit;
    await visit.go("memories?q=hazelnuts");
    await page.locator(".row mark").first().waitFor();
    await page.locator(".row-link").first().click();
    await page.locator(".detail-text").waitFor();
    await visit.go("core/notes/lisbon.md");
    await page.getByRole("link", { name: "notes/lisbon.md" }).and(page.locator("[aria-current]")).waitFor();
    for (const view of ["overview", "tonight", "review", "graph", `graph/${told.seeded.ids["entity"]}`, "core", "context?query=hazelnuts"]) await visit.go(view);
    // A use that is counted is written after all that were counted before it.
    const [id = ""] = Object.keys(before);
    await ask(told.house.api, "GET", `/v1/users/ana/memories/${id}`);
    const expected = { ...before, [id]: String(Number(before[id]) + 1) };
    let after = before;
    for (let turn = 0; turn < 100 && after[id] === before[id]; turn++) {
      await new Promise((done) => setTimeout(done, 100));
      after = await uses("ana");
    }
    assert.deepEqual(after, expected);
    await visit.close();
  });
}
