// Where the server asks for keys: none, a wrong one, a right one; and where the key is kept.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { House } from "./house.js";

export function tellKeys(): void {
  let house: House;

  before(async () => {
    house = await House.open({ KIMBERLY_AUTH__MODE: "required" });
  });

  after(() => house.close());

  // The key of the account, which the first start made.
  function accountKey(): string {
    const folder = house.processes.accountFolder;
    const file = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("admin.token"));
    return readFileSync(join(folder, file ?? "admin.token"), "utf8").trim();
  }

  it("asks for a key, refuses a wrong one, and keeps the right one in this tab alone", async () => {
    const visit = await house.visit("");
    const { page } = visit;
    await visit.go("");
    await visit.accessible("the door");
    await page.getByLabel("Person").fill("ana");
    await page.getByRole("button", { name: "Open the memory" }).click();
    await page.getByLabel("Key").fill("kmb_wrong");
    await page.getByRole("button", { name: "Open the memory" }).click();
    await page.getByText("does not take this key").waitFor();
    await visit.accessible("the door, locked");
    await page.getByLabel("Key").fill(accountKey());
    await page.getByRole("button", { name: "Open the memory" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const kept = await page.evaluate(() => ({ local: JSON.stringify(localStorage), cookies: document.cookie, tab: sessionStorage.length }));
    assert.doesNotMatch(kept.local, /kmb_/);
    assert.deepEqual([kept.cookies, kept.tab], ["", 1]);
    await page.getByRole("button", { name: "Change person or key" }).click();
    await page.getByRole("heading", { name: "Whose memory?" }).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    await visit.close();
  });

  it("opens by a link with a key, which leaves the address at once", async () => {
    const visit = await house.visit("");
    await visit.go(`?user=ana&key=${accountKey()}`);
    await visit.page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.doesNotMatch(visit.page.url(), /kmb_/);
    await visit.page.getByRole("button", { name: "Change person or key" }).click();
    await visit.page.goto(visit.page.url().replace(/#.*/, `#/?user=ana&key=${accountKey()}`));
    await visit.page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.doesNotMatch(visit.page.url(), /kmb_/);
    await visit.close();
  });
}
