// Takes pictures of every view in both themes at three widths, in target/console; checks each with axe and for its width.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { Told } from "./console.test.js";
import type { Look } from "./house.js";

const FOLDER = join(process.env["CARGO_TARGET_DIR"] ?? resolve(import.meta.dirname, "../../../../../target"), "console");
const WIDTHS = [360, 834, 1440];

const QUESTION = encodeURIComponent("When does the train to Lisbon leave?");

// Steps before the picture is taken.
const ACTS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  learn: async (page) => {
    await page.locator(".empty .button").click();
    await page.locator(".heard-text mark").first().waitFor();
  },
};

function places(ids: Readonly<Record<string, string>>): Record<string, string> {
  return {
    overview: "overview",
    memories: "memories",
    found: `memories/${ids["train"]}?q=${encodeURIComponent("train to lisbon")}`,
    tonight: "tonight",
    review: "review",
    graph: "graph",
    entity: `graph/${ids["entity"]}`,
    edge: `graph?edge=${ids["edge"]}`,
    filtered: `memories?entity=${ids["entity"]}`,
    learn: "context/learn",
    core: "core",
    file: `core/${encodeURIComponent("notes/lisbon.md")}`,
    context: `context?q=${QUESTION}&session=trip`,
  };
}

export function tellPictures(told: Told): void {
  mkdirSync(FOLDER, { recursive: true });

  async function show(look: Look & { width: number }, suffix: string, checked: boolean): Promise<void> {
    const visit = await told.house.visit("ana", { ...look, height: look.width < 500 ? 780 : 900 });
    for (const [name, place] of Object.entries(places(told.seeded.ids))) {
      await visit.go(place);
      // Content that loads after the view: results of a search, texts of a plan.
      await visit.page.waitForTimeout(350);
      await ACTS[name]?.(visit.page);
      await visit.page.screenshot({ path: join(FOLDER, `${name}-${suffix}.png`) });
      await visit.fits(`${name} at ${look.width}`);
      if (checked) await visit.accessible(`${name} at ${look.width}, ${look.theme}`);
    }
    await visit.close();
  }

  // Several at a time, because each waits more than it computes.
  describe("pictures", { concurrency: 3 }, () => {
    for (const theme of ["light", "dark"] as const) {
      for (const width of WIDTHS) {
        // Results of axe depend only on the theme, and on phone or not; a run is slow.
        const checked = (width === 1440) === (theme === "light") && width !== 834;
        it(`shows every view in the ${theme} theme at ${width} pixels`, () => show({ theme, width }, `${width}-${theme}`, checked));
      }
    }

    it("speaks German", () => show({ locale: "de", width: 360, theme: "light" }, "360-de", false));
  });
}
