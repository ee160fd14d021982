// A server that requires keys: without one, with a wrong one, with a right one; and where the key is kept.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { House } from "./house.js";

export function tellKeys(): void {
  let house: House;

  before(async () => {
    house = await House.open({ KIMBERLY_AUTH__MODE: "required" });
  });

  after(() => house.close());

  // The key of the account, which the first start created.
  function accountKey(): string {
    const folder = house.processes.accountFolder;
    const file = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("admin.token"));
    return readFileSync(join(folder, file ?? "admin.token"), "utf8").trim();
  }

  // The link that `kimberly console` prints for ana's memory.
  function consoleLink(...more: string[]): string {
    const { binaries, folder } = house.processes;
    const account = join(folder, "account.key");
    writeFileSync(account, accountKey(), { mode: 0o600 });
    const connection = ["--server", `http://${house.api}`, "--token-file", account, "--user", "ana"];
    const run = execFileSync(join(binaries, "kimberly"), ["console", ...connection, ...more], { stdio: ["ignore", "pipe", "ignore"] });
    return run.toString().trim();
  }

  const get = async (path: string, key: string) =>
    fetch(`http://${house.api}/v1/${path}`, { headers: { authorization: `Bearer ${key}` } });
  const part = (link: string, name: string) => new URLSearchParams(link.replace(/.*\?/, "")).get(name) ?? "";

  it("asks for a key, refuses a wrong one, and keeps the right one in this tab alone", async () => {
    const visit = await house.visit("");
    const { page } = visit;
    await visit.go("");
    await visit.accessible("the door");
    await page.getByLabel("Person").fill("ana");
    await page.getByRole("button", { name: "Open the memory" }).click();
    await page.getByLabel("Key").fill("kmb_wrong");
    await page.getByRole("button", { name: "Open the memory" }).click();
    await page.getByText("does not accept this key").waitFor();
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

  it("opens once by a link of `kimberly console`, and goes on in that tab and its copies", async () => {
    const link = consoleLink();
    const first = await house.visit("");
    const { page } = first;
    await page.goto(link);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.doesNotMatch(page.url(), /kmb_|once/);
    assert.deepEqual(await page.evaluate(() => Object.keys(sessionStorage)), ["kimberly.key"]);
    assert.equal((await get("users/ana/settings", part(link, "key"))).status, 401, "the secret in the link");
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const [copy] = await Promise.all([page.waitForEvent("popup"), page.evaluate(() => void window.open(location.href))]);
    await copy.getByRole("heading", { name: "Overview" }).waitFor();

    const told = await get(`audit?action=key.rotate&subject=${part(link, "once")}`, accountKey());
    const { entries } = (await told.json()) as { entries: { actor: string }[] };
    assert.deepEqual(entries.map(({ actor }) => actor), [`key:${part(link, "once")}`]);

    for (const [locale, said] of [["en", "This link was used before"], ["de", "Dieser Link wurde schon benutzt"]] as const) {
      const second = await house.visit("", { locale });
      await second.page.goto(link);
      await second.page.getByText(said).waitFor();
      await second.accessible("the door, for a used link");
      assert.equal(await second.page.evaluate(() => sessionStorage.length), 0);
      await second.close();
    }
    await page.goto(link);
    await page.getByText("This link was used before").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await first.close();
  });

  it("keeps a link that could not be exchanged for a reload", async () => {
    const visit = await house.visit("");
    const { page } = visit;
    await page.route("**/v1/keys/**", (route) => route.abort());
    await page.goto(consoleLink("--read-only"));
    await page.getByText("could not be opened now").waitFor();
    await page.unroute("**/v1/keys/**");
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await visit.close();
  });

  it("opens by a link with a key that lasts, which leaves the address at once", async () => {
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
