import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { chromiumInstalled, launchBrowser, visit } from "../support/browser.ts";
import { openEmptyHome, threeCorners, zoneCanvas } from "./home.ts";

// a browser needs processor time that other tests take at the same moment
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** The longest time that a newcomer may need for a task. */
const mostMs = 60_000;

/** The hands of someone who sees the page for the first time: they tap what they can read, and fill in what has a label. */
interface Hands {
  readonly page: Page;
  tap(text: string | RegExp): Promise<void>;
  fill(label: string, value: string): Promise<void>;
  sees(text: string | RegExp): Promise<void>;
}

describe.skipIf(!chromiumInstalled)("tasks of a newcomer on a phone (needs chromium)", () => {
  let home: Awaited<ReturnType<typeof openEmptyHome>>;
  let browser: Browser;
  beforeAll(async () => {
    home = await openEmptyHome({ DEFAULT_WEBHOOK_URL: "http://127.0.0.1:9/alerts" });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await home?.close();
  });

  /** Does a task from the start page on. Fails if it takes longer than a minute, more taps, or the same page twice. */
  const task = async (mostTaps: number, work: (hands: Hands) => Promise<void>): Promise<void> => {
    const { page, complaints } = await visit(browser, home.url);
    page.setDefaultTimeout(20_000);
    const pages: string[] = [];
    let taps = 0;
    const note = (): void => {
      const { pathname } = new URL(page.url());
      if (pages.at(-1) !== pathname) pages.push(pathname);
    };
    await page.goto("/");
    await page.waitForLoadState("networkidle");
    const start = performance.now();
    await work({
      page,
      async tap(text) {
        note();
        taps += 1;
        await touchable(page, text).tap();
      },
      async fill(label, value) {
        note();
        await page.getByLabel(label).fill(value);
      },
      async sees(text) {
        await page.getByText(text).filter({ visible: true }).first().waitFor();
      },
    });
    expect(performance.now() - start).toBeLessThan(mostMs);
    expect(new Set(pages).size).toBe(pages.length);
    expect([pages, taps <= mostTaps ? "few taps" : `${taps} taps`]).toEqual([pages, "few taps"]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect(complaints).toEqual([]);
  };

  /** What reacts to a finger and shows the text. */
  const touchable = (page: Page, text: string | RegExp): Locator =>
    page.locator("a, button, summary, label").filter({ hasText: text, visible: true }).first();
  const items = async (path: string) => ((await home.ask("GET", path)) as { items: Record<string, unknown>[] }).items;

  it("tasks: the first camera takes two taps and its name", async () => {
    await task(2, async ({ tap, fill, sees }) => {
      await sees("First camera");
      await fill("Name", "Driveway");
      await tap("Add the camera");
      await sees("Let the camera Driveway save its pictures");
    });
    const { cameras } = (await home.ask("GET", "/api/cameras")) as { cameras: { name: string }[] };
    expect(cameras.map(({ name }) => name)).toEqual(["Driveway"]);
  });

  describe("in a home with cameras", () => {
    beforeAll(async () => await home.furnish());

    it("tasks: why there was no alert last night", async () => {
      const night = new Date();
      night.setHours(3, 15, 0, 0);
      if (night.getTime() > Date.now()) night.setDate(night.getDate() - 1);
      const minutesAgo = (Date.now() - night.getTime()) / 60_000;
      await home.addEvent({ camera: "garden", score: 45, summary: "A person stands at the shed.", minutesAgo });
      await task(3, async ({ tap, fill, sees, page }) => {
        await tap("Alerts");
        await tap(/^Garden$/);
        const local = new Date(night.getTime() - night.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
        // the page opens where the question is
        await expect.poll(async () => (await page.getByLabel("At about").boundingBox())?.y).toBeLessThan(700);
        await fill("At about", local);
        await tap("Explain");
        await sees(/raised no alert.*45/);
      });
    });

    it("tasks: an alert is acknowledged by one tap", async () => {
      await task(1, async ({ tap, sees }) => {
        await tap("Acknowledge");
        await sees("1 alert is acknowledged");
      });
      expect(await items("/api/alerts?status=acknowledged")).toHaveLength(1);
    });

    it("tasks: a camera is muted for two hours", async () => {
      await task(3, async ({ tap, sees }) => {
        await tap(/^Garden/);
        await tap("Mute alerts");
        await tap("For 2 hours");
        await sees(/^Alerts of Garden are muted until/);
      });
      const [silence] = await items("/api/silences?status=active");
      expect(silence).toMatchObject({ camera_id: "garden" });
      expect((Date.parse(String(silence?.["ends_at"])) - Date.now()) / 3_600_000).toBeCloseTo(2, 1);
    });

    it("tasks: a rule for people at night, with what it would have done", async () => {
      await task(5, async ({ tap, sees }) => {
        await tap("More");
        await tap("Rules");
        await tap("New rule");
        await tap("People at night");
        await sees(/In the last 30 days this would/);
        await tap("Save rule");
        await sees("“People at night” is saved");
      });
      const rule = (await items("/api/alerts/rules")).find(({ name }) => name === "People at night");
      expect(rule).toMatchObject({
        ...{ kind: "event", enabled: true, object_types: ["person"], camera_ids: null, channels: ["webhook"], cooldown_seconds: 300 },
        schedule: { days: [], start_time: "22:00", end_time: "06:00" },
      });
    });

    /** Draws a zone on the last picture of the garden, from the start page on. */
    const drawDriveway = async ({ page, tap, fill, sees }: Hands): Promise<void> => {
      await tap("Cameras");
      await tap(/^Garden/);
      await tap("Draw a zone");
      for (const position of await threeCorners(page)) await page.locator(zoneCanvas).tap({ position });
      await sees("The zone is complete");
      await fill("Name of the zone", "Driveway");
      await tap("Save");
      await sees("Zone Driveway saved");
    };

    it("tasks: only cars in the driveway, from an alert for every car in the street to the saved rule", async () => {
      await home.giveLastPicture("garden");
      await home.ask("POST", "/api/alerts/rules", { name: "Every car", object_types: ["car"], channels: ["webhook"] });
      await task(6, async ({ page, tap, fill, sees }) => {
        await drawDriveway({ page, tap, fill, sees });
        await tap("Limit “Every car” to Driveway");
        await sees(/In the last 30 days this would/);
        await tap("Save rule");
        await sees("“Every car” is saved");
      });
      const rule = (await items("/api/alerts/rules")).find(({ name }) => name === "Every car");
      expect(rule).toMatchObject({ object_types: ["car"], zones: ["Driveway"], camera_ids: null, enabled: true });
    });

    it("tasks: a new rule about a zone, from the camera to the saved rule", async () => {
      await home.ask("DELETE", "/api/cameras/garden/zones/Driveway");
      await task(10, async ({ page, tap, fill, sees }) => {
        await drawDriveway({ page, tap, fill, sees });
        await tap("New rule about these zones");
        await tap(/^Car$/i);
        await fill("Name", "Cars in my driveway");
        await tap("Save rule");
        await sees("“Cars in my driveway” is saved");
      });
      const rule = (await items("/api/alerts/rules")).find(({ name }) => name === "Cars in my driveway");
      expect(rule).toMatchObject({ object_types: ["car"], zones: ["Driveway"], camera_ids: ["garden"], enabled: true });
    });

    it("tasks: an event is shared", async () => {
      await task(4, async ({ tap, sees, page }) => {
        await tap("A person tries the door handle.");
        await tap("Share");
        await tap("Create a link");
        await tap("Copy");
        await sees("Copied");
        expect(await page.getByRole("textbox", { name: "Link" }).inputValue()).toContain("/shared/hs_");
      });
      expect(await items("/api/shares")).toHaveLength(1);
    });
  });
});
