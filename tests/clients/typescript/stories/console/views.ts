// A story for each view.
import assert from "node:assert/strict";
import { it } from "node:test";
import { ask, tellOfAna } from "./ana.js";
import type { Told } from "./console.test.js";

type Memories = { memories: { id: string; content: string; protected: boolean; validTo?: string }[] };

export function tellViews(told: Told): void {
  const memory = async (id: string) => {
    const { memory: read } = await ask<{ memory: Memories["memories"][number] & { state: string } }>(told.house.api, "GET", `/v1/users/ana/memories/${id}`);
    return read;
  };

  it("overview: shows what is kept, and what changes as it happens", async () => {
    const visit = await told.house.visit("ana");
    await visit.go("overview");
    assert.match(await visit.page.locator(".tiers").innerText(), /over quota/);
    await visit.page.locator(".side .live.is-live").waitFor();
    await ask(told.house.api, "POST", "/memory", { userId: "ana", memory: { content: "Ana has a new bicycle." } });
    await visit.page.locator(".activity", { hasText: "Ana has a new bicycle." }).waitFor();
    await visit.close();
  });

  it("memories: finds as one types, says why, and corrects with a way back", async () => {
    const visit = await told.house.visit("ana");
    const { page } = visit;
    await visit.go("memories");
    await page.getByRole("searchbox").fill("hazelnuts allergic");
    await page.locator(".row mark").first().waitFor();
    await page.locator(".row-link", { hasText: "allergic" }).first().click();
    const why = page.getByRole("list", { name: "Why found" });
    assert.match(await why.innerText(), /Words[\s\S]*Match/);
    await page.getByRole("button", { name: "Correct", exact: true }).click();
    await page.getByLabel("Wording").fill("Ana is allergic to hazelnuts and walnuts.");
    await page.locator(".editor").getByRole("button", { name: "Correct" }).click();
    await page.locator(".detail-text", { hasText: "walnuts" }).waitFor();
    const old = told.seeded.ids["allergy"] ?? "";
    assert.notEqual((await memory(old)).validTo, undefined);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator(".state", { hasText: "forgotten" }).waitFor();
    assert.equal((await memory(old)).validTo, undefined);
    await visit.close();
  });

  it("memories: moves by keyboard, forgets and brings back, and erases only after a while", async () => {
    const visit = await told.house.visit("ana");
    const { page } = visit;
    await visit.go("memories?tag=music");
    await page.locator(".row-link").first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Forget" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Forget" }).waitFor();
    await page.getByRole("button", { name: "Erase now" }).click();
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.getByText("Stopped; nothing was erased.").waitFor();
    assert.equal((await memory(told.seeded.ids["jazz"] ?? "")).state, "MEMORY_STATE_ACTIVE");
    await visit.go("memories");
    // A live change may render the rows again between the two keys.
    let row: string | null | undefined;
    for (let turn = 0; turn < 20 && row !== "1"; turn++) {
      await page.locator('[data-row="0"] a').focus();
      await page.keyboard.press("ArrowDown");
      await page.waitForTimeout(100);
      row = await page.evaluate(() => document.activeElement?.closest("[data-row]")?.getAttribute("data-row"));
    }
    assert.equal(row, "1");
    await visit.close();
  });

  it("memories: narrows by time, importance and entity, and says how warm one is and what it has to do with", async () => {
    const visit = await told.house.visit("ana");
    const { page } = visit;
    const size = () => page.locator(".search-said").innerText();
    await visit.go(`memories?entity=${told.seeded.ids["entity"]}&importance=8`);
    await page.locator(".row", { hasText: "train to Lisbon" }).waitFor();
    assert.equal(await page.locator(".row", { hasText: "without sugar" }).count(), 0, "of little importance");
    assert.equal(await page.locator(".row", { hasText: "exhibition on azulejos opens" }).count(), 0, "it does not name her");
    await page.locator(".row .warm", { hasText: "hot" }).first().waitFor();
    const found = await size();
    await page.getByLabel("Remembered until").fill("2020-01-01");
    await page.getByText("Nothing here yet").waitFor();
    await page.getByLabel("Remembered until").fill("");
    await page.getByText(found, { exact: true }).waitFor();
    await visit.go(`memories/${told.seeded.ids["exhibition"]}`);
    await page.getByRole("heading", { name: "How warm it is" }).waitFor();
    assert.match(await page.locator(".detail").innerText(), /Little decay. Used within a day/);
    await page.locator(".part", { hasText: "Related memories" }).locator("a", { hasText: "azulejos" }).first().waitFor();
    await visit.accessible("a memory with its warmth");
    await visit.close();
  });

  it("tonight: spares what one keeps, runs just the plan that was shown, and brings it back", async () => {
    const user = "nora";
    await tellOfAna(told.house.api, user);
    const archived = async () => {
      const { memories } = await ask<Memories>(told.house.api, "GET", `/v1/users/${user}/memories?filter.states=archived`);
      return memories.length;
    };
    const visit = await told.house.visit(user);
    const { page } = visit;
    await visit.go("tonight");
    const first = page.locator(".decision").first();
    const spared = await first.locator("a .said").innerText();
    await first.getByRole("button", { name: "Keep" }).click();
    await page.locator(".section", { hasText: "Is spared" }).locator(".decision", { hasText: spared }).waitFor();
    const planned = await page.locator(".night-counts dd").first().innerText();
    const before = await archived();
    await page.getByRole("button", { name: "Run this night now" }).click();
    await page.getByText(new RegExp(`The night is over: ${planned} memor`)).waitFor();
    assert.equal(await archived(), before + Number(planned));
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.getByText("Restored and protected").waitFor();
    assert.equal(await archived(), before);
    await visit.close();
  });

  it("review: settles contradictions, doubts and captures", async () => {
    const visit = await told.house.visit("ana");
    const { page } = visit;
    await visit.go("review");
    const pair = page.locator(".against", { hasText: "Both cannot be true" });
    await pair.getByRole("button", { name: "Keep this one" }).first().click();
    await pair.waitFor({ state: "detached" });
    assert.notEqual((await memory(told.seeded.ids["belief"] ?? "")).validTo, undefined);
    const doubt = page.locator(".review-item", { hasText: "Tiago" });
    await doubt.getByRole("button", { name: "Leave as it is" }).click();
    await doubt.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).last().click();
    await doubt.getByRole("button", { name: "It is true" }).click();
    await doubt.waitFor({ state: "detached" });
    const capture = page.locator(".review-item", { hasText: "IBAN" });
    await capture.getByRole("button", { name: "Make an episode" }).click();
    await capture.waitFor({ state: "detached" });
    await visit.close();
  });

  it("review: narrows to a kind, and shows a kind that it does not know by its texts and changes", async () => {
    const visit = await told.house.visit("ana");
    const { page } = visit;
    const later = {
      id: "kinship_1", kind: "REVIEW_KIND_KINSHIP", memories: [], reason: "Ana D. and Ana Duarte may be one person", makes: "",
      proposes: "REVIEW_CHANGE_MERGE_THEM", changes: ["REVIEW_CHANGE_MERGE_THEM"], aroseAt: new Date().toISOString(),
    };
    await page.route("**/v1/users/ana/reviews?*", async (route) => {
      const answer = await route.fetch();
      const { reviews } = (await answer.json()) as { reviews: unknown[] };
      await route.fulfill({ response: answer, json: { reviews: [...reviews, later], nextPageToken: "" } });
    });
    await visit.go("review");
    const chip = page.locator(".chip", { hasText: "kinship" });
    await chip.click();
    const item = page.locator(".review-item", { hasText: "may be one person" });
    await item.getByRole("button", { name: "merge them" }).waitFor();
    assert.equal(await page.locator(".section").first().locator(".review-item, .against").count(), 1);
    await visit.accessible("an unknown kind of review");
    await item.getByRole("button", { name: "Leave as it is" }).click();
    await page.locator(".toast.is-error").waitFor();
    await visit.close();
  });

  it("core and files: edits a file, compares versions and goes back", async () => {
    const visit = await told.house.visit("ana");
    const { page } = visit;
    await visit.go("core");
    assert.match(await page.locator(".prompt").innerText(), /<core_memory>/);
    await page.locator(".name", { hasText: "notes/lisbon.md" }).click();
    const text = page.getByLabel("Text", { exact: true });
    await text.fill(`${await text.inputValue()}- Monday: back by noon\n`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Version 3").waitFor();
    await page.getByRole("button", { name: "Compare with now" }).first().click();
    await page.locator(".diff-line.is-new", { hasText: "Monday" }).waitFor();
    await page.getByRole("button", { name: "Restore this version" }).first().click();
    await page.waitForFunction(() => !document.querySelector<HTMLTextAreaElement>("#file-text")?.value.includes("Monday"));
    await visit.close();
  });

  it("context: shows what fits, and what a smaller budget leaves out", async () => {
    const visit = await told.house.visit("ana");
    const { page } = visit;
    await visit.go("context");
    await page.getByLabel("Question").fill("What can Ana not eat?");
    await page.locator(".context-item", { hasText: "hazelnuts" }).first().waitFor();
    await page.getByRole("slider").fill("1");
    await page.locator(".shares-said", { hasText: "of 100 tokens" }).waitFor();
    assert.match(await page.locator(".left-out").innerText(), /Did not fit/);
    await visit.close();
  });

  it("context: says word by word what a conversation would teach, and stores nothing of it", async () => {
    const { api } = told.house;
    const visit = await told.house.visit("lena");
    const { page } = visit;
    await visit.go("context");
    await page.getByRole("link", { name: "What would be learned" }).click();
    await page.getByRole("button", { name: "Try an example" }).click();
    await page.locator(".heard-left", { hasText: "4111" }).locator(".heard-why", { hasText: "a secret" }).waitFor();
    await page.getByLabel("Conversation").fill("Lena: I work as a nurse in Porto <b>now</b>. Is it raining?\n\n**Assistant:** No.\nLena: I prefer window seats.");
    const home = page.locator(".learned", { hasText: "Porto" });
    await home.waitFor();
    assert.match(await home.innerText(), /fact/);
    await page.locator(".learned", { hasText: "window seats" }).waitFor();
    await home.hover();
    await page.locator("mark.is-picked", { hasText: "I work as a nurse in Porto" }).waitFor();
    await page.locator(".heard-left", { hasText: "Is it raining?" }).locator(".heard-why", { hasText: "question" }).waitFor();
    assert.deepEqual(await page.locator(".heard-who").allInnerTexts(), ["Lena", "Assistant", "Lena"]);
    await page.getByLabel("Conversation").fill(JSON.stringify([{ role: "user", content: [{ type: "text", text: "I adopted a dog." }] }]));
    await page.locator(".learned", { hasText: "dog" }).waitFor();
    const { memories } = await ask<Memories>(api, "GET", "/v1/users/lena/memories");
    assert.deepEqual(memories, [], "nothing is stored");
    await visit.close();
  });

  it("context: says when there is no message, when there are too many, and when the server learns nothing", async () => {
    const visit = await told.house.visit("lena");
    const { page } = visit;
    await visit.go("context");
    await page.getByRole("link", { name: "What would be learned" }).click();
    const conversation = page.getByLabel("Conversation");
    for (const empty of ["Ana:", `{"messages":[]}`]) {
      await conversation.fill(empty);
      await page.getByText("It contains no message yet.").waitFor();
    }
    await conversation.fill("Constructor: I live in Porto.");
    await page.locator(".learned", { hasText: "Porto" }).waitFor();
    assert.equal(await page.locator(".heard-who").innerText(), "Constructor");
    await conversation.fill(JSON.stringify(Array.from({ length: 1_001 }, () => ({ role: "user", content: "So." }))));
    await page.getByText("Only the first 1,000 of 1,001 messages are read here.").waitFor();
    await page.route("**/conversation:observe", (route) => route.fulfill({ json: { messages: [], extracted: [] } }));
    await conversation.fill("Lena: I live in Lisbon.");
    await page.getByText("extraction is off").waitFor();
    await visit.close();
  });

  it("says what the api refuses, in its own words", async () => {
    const visit = await told.house.visit("ana");
    await visit.go(`memories/mem_01a20f95-3180-75f9-ac66-edb178152086`);
    await visit.page.getByText("This memory does not exist").waitFor();
    await visit.go("memories");
    await visit.page.getByRole("button", { name: "Remember something" }).click();
    await visit.page.getByLabel("What to remember").fill("x".repeat(70_000));
    await visit.page.locator("dialog button[type=submit]").click();
    await visit.page.locator(".toast.is-error", { hasText: "content" }).waitFor();
    await visit.close();
  });

  it("teaches those who have nothing yet", async () => {
    const visit = await told.house.visit("nobody");
    for (const [place, words] of [["overview", "Nothing is remembered yet"], ["tonight", "A quiet night"], ["review", "Every capture"], ["graph", "No entity yet"], ["core", "No block yet"], ["context", "Ask a question"]] as const) {
      await visit.go(place);
      await visit.page.getByText(words).first().waitFor();
    }
    await visit.accessible("empty states");
    await visit.close();
  });
}
