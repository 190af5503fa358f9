import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";

/** Debian's Chromium without a window, which starts faster and needs less processor time, or the whole one. */
const executablePath = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(existsSync);

/** The whole Chromium, which shows notifications; undefined if it is not installed. */
export const wholeChromium = ["/usr/bin/chromium"].find(existsSync);

/** Whether Chromium is installed. Tests that need it are skipped loudly without it. */
export const chromiumInstalled = executablePath !== undefined;

if (!chromiumInstalled) process.stderr.write("chromium is not installed: the tests in a real browser are skipped\n");

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--mute-audio", "--disable-dev-shm-usage"];
const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"];

/** Starts Debian's Chromium for tests that click, type and swipe. */
export async function launchBrowser(more: readonly string[] = [], path = executablePath): Promise<Browser> {
  return await chromium.launch({ executablePath: path ?? "", args: [...flags, ...quiet, ...more] });
}

const shared = new Map<string, Promise<Browser>>();

/** The browser with these flags that all test files of this process use, since a start takes a second. It ends with the process. */
export async function sharedBrowser(flags: readonly string[] = []): Promise<Browser> {
  const key = flags.join(" ");
  const running = await shared.get(key)?.catch(() => undefined);
  if (running?.isConnected()) return running;
  const started = launchBrowser(flags);
  shared.set(key, started);
  return await started;
}

/** The sizes that the page is made for. */
export const screens = {
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  desktop: { viewport: { width: 1280, height: 900 } },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>;

/** A tab of a new visitor. */
export interface Visit {
  readonly page: Page;
  /** Errors in the console, failed scripts and what a policy blocked. */
  readonly complaints: readonly string[];
}

/** Opens a tab with an empty profile; it is closed at the end of the test. */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = screens.phone): Promise<Visit> {
  const context = await browser.newContext({ baseURL: url, locale: "en-GB", ...options });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, complaints };
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns what axe finds wrong on a page: the rule and the element. */
export async function accessibilityFindings(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe);
  return await page.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`,
  );
}
