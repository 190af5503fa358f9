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
/** Names of another site and of an attacker's name server, which lead to this machine in every test: one browser serves all files. */
const names = ["--host-resolver-rules=MAP elsewhere.example 127.0.0.1, MAP rebound.example 127.0.0.1"];
const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"];

/** Starts Debian's Chromium for tests that click, type and swipe. */
export async function launchBrowser(more: readonly string[] = [], path = executablePath): Promise<Browser> {
  return await chromium.launch({ executablePath: path ?? "", args: [...flags, ...quiet, ...names, ...more] });
}

let shared: Promise<Browser> | undefined;

/** The browser that all test files of this process use, since a start takes a second. It ends with the process. */
export async function sharedBrowser(): Promise<Browser> {
  const running = await shared?.catch(() => undefined);
  if (running?.isConnected()) return running;
  shared = launchBrowser();
  return await shared;
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

/** Waits for the next frame and for the colours that fade in from it on: axe measures them. */
export const endOfTransitions = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() =>
  Promise.allSettled(document.getAnimations().filter((each) => each instanceof CSSTransition).map((each) => each.finished)))`;

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns what axe finds wrong on a page: the rule and the element. */
export async function accessibilityFindings(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe);
  return await page.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`,
  );
}
