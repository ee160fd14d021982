// Shared by all stories of the console: processes, a browser, and pages that record their errors.
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { chromiumBinary } from "../browser/chromium.js";
import { Processes } from "../processes.js";

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: "light" | "dark";
  readonly locale?: string;
}

// A page of the console, and its errors.
export class Visit {
  private readonly wrong: string[] = [];

  constructor(
    readonly page: Page,
    private readonly origin: string,
    private readonly context: BrowserContext,
  ) {
    page.on("pageerror", (error) => this.wrong.push(`thrown: ${error.message}`));
    page.on("console", (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) this.wrong.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(origin)) this.wrong.push(`asked elsewhere: ${request.url()}`);
    });
  }

  // Opens a view of the console, such as "tonight" or "memories?q=tea".
  async go(place: string): Promise<void> {
    await this.page.goto(`${this.origin}/console/#/${place}`);
    await this.page.locator("main h1").first().waitFor();
    await this.settled();
  }

  // Waits until nothing loads; the stream of changes stays open, so the network is never idle.
  async settled(): Promise<void> {
    await this.page.waitForFunction(() => document.querySelector(".loading") === null);
    await this.page.evaluate(() => document.fonts.ready);
  }

  // Asserts that no rule of WCAG 2.2 AA is broken that axe can check.
  async accessible(what: string): Promise<void> {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await new AxeBuilder({ page: this.page }).withTags(tags).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
    assert.deepEqual(found, [], `${what}: axe found`);
  }

  // Asserts that nothing extends beyond the edge of the window.
  async fits(what: string): Promise<void> {
    const over = await this.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(over <= 0, `${what} is ${over} pixels wider than the window`);
  }

  async close(): Promise<void> {
    await this.context.close();
    assert.deepEqual(this.wrong, [], "on the page");
  }
}

export class House {
  private constructor(
    readonly processes: Processes,
    private readonly browser: Browser,
  ) {}

  static async open(configuration: Record<string, string> = {}): Promise<House> {
    const processes = await Processes.start(configuration);
    const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"];
    return new House(processes, await chromium.launch({ executablePath: chromiumBinary(), args }));
  }

  get api(): string {
    return this.processes.api;
  }

  // Opens a separate window for the memory of a user; empty if the page asks for the user.
  async visit(user: string, { width = 1280, height = 860, theme = "light", locale = "en" }: Look = {}): Promise<Visit> {
    const context = await this.browser.newContext({ viewport: { width, height }, colorScheme: theme, locale, reducedMotion: "reduce" });
    if (user !== "") await context.addInitScript((name) => localStorage.setItem("kimberly.user", name), user);
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    return new Visit(page, `http://${this.api}`, context);
  }

  async close(): Promise<void> {
    await this.browser.close();
    assert.deepEqual(await this.processes.stop(), [0, 0, 0], "a process did not stop in order");
  }
}
