import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { accessibilityFindings, chromiumInstalled, screens } from "../support/browser.ts";
import { useWebHome } from "./home.ts";

// a browser needs processor time that other tests take at the same moment
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const minutesSince = (time: string): number => (Date.now() - Date.parse(time)) / 60_000;

describe.skipIf(!chromiumInstalled)("web page: a look back (needs chromium)", () => {
  const zone = process.env["TZ"];
  beforeAll(() => {
    process.env["TZ"] = "Europe/Berlin";
  });
  afterAll(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });
  const home = useWebHome();
  beforeAll(async () => {
    const add = (time: string, score: number, summary: string) =>
      home.addEvent({ camera: "garden", score, summary, minutesAgo: minutesSince(time) });
    await add("2025-10-26T02:30:00+02:00", 12, "The fox comes in summer time.");
    await add("2025-10-26T02:30:00+01:00", 40, "The fox comes in winter time.");
    await add("2025-10-26T18:00:00+01:00", 90, "A person climbs the fence.");
    await add("2025-10-26T18:04:00+01:00", 20, "A person walks away.");
    await home.daemon.context.db.query(
      (sql) => sql`
        insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status)
        select 'garden', 'p' || t || '.jpg', 1, 1, 'watch', t, t, 'skipped'
        from generate_series('2025-10-25T00:00Z'::timestamptz, '2025-10-27T12:00Z', '1 minute') t
        where t not between '2025-10-26T09:01Z' and '2025-10-26T11:59Z'
      `,
    );
    await home.addEntity("3f0c7a52-8f0e-4a35-9d0b-6a8f0f6f5f11", [6, 7]);
  });

  it("web page: the day on which the clocks are set back has 25 hours, and both 02:30 have their place", async () => {
    const { page } = await home.visit(screens.desktop);
    await page.goto("/day/2025-10-26");
    await page.getByText("The clocks change: this day has 25 hours.").waitFor();
    const garden = page.getByRole("region", { name: "Garden: 4 events" });
    const marks = await garden.getByRole("link").all();
    expect(await Promise.all(marks.map((mark) => mark.getAttribute("aria-label")))).toEqual([
      "02:30, low: The fox comes in summer time.",
      "02:30, medium: The fox comes in winter time.",
      "2 events from 18:00 to 18:04, highest: critical",
    ]);
    const [first, second] = await Promise.all(marks.map(async (mark) => (await mark.boundingBox())?.x ?? 0));
    const lane = (await garden.boundingBox())?.width ?? 0;
    expect(Math.abs((second as number) - (first as number) - lane / 25)).toBeLessThan(1);
    await page.getByRole("link", { name: "The day after" }).click();
    await page.getByText("No events on this day.").waitFor();
    await page.goto("/day/2025-03-30");
    await page.getByText("this day has 23 hours").waitFor();
  });

  it("web page: a day shows when a camera sent no pictures", async () => {
    const { page } = await home.visit();
    await page.goto("/day/2025-10-26");
    await page.getByRole("region", { name: "Without pictures" }).getByText("Garden: no pictures from 10:00 to 13:00").waitFor();
    await page.getByText("Front door: no record of its pictures").waitFor();
  });

  it("web page: on a day, keys go from event to event, a mark of several events shows them, and a tap opens one", async () => {
    const { page } = await home.visit(screens.desktop);
    await page.goto("/day/2025-10-26");
    const preview = page.getByRole("region", { name: "Preview" });
    await page.getByRole("link", { name: /The fox comes in summer time/ }).waitFor();
    await page.keyboard.press("j");
    await preview.getByText("The fox comes in summer time.").waitFor();
    await page.keyboard.press("j");
    await preview.getByText("The fox comes in winter time.").waitFor();
    await page.keyboard.press("k");
    await page.reload();
    await preview.getByText("The fox comes in summer time.").waitFor();
    await page.getByRole("link", { name: /^2 events from 18:00/ }).click();
    await preview.getByText("A person walks away.").waitFor();
    await preview.getByText("A person climbs the fence.").click();
    await page.getByText("90 critical").first().waitFor();
    await page.goBack();
    await preview.getByText("A person walks away.").waitFor();
  });

  it("web page: people are found by kind, camera and day, and each appearance opens its event", async () => {
    const { page, complaints } = await home.visit();
    await page.goto("/people");
    await page.getByText("2 found").waitFor();
    await page.getByLabel("Camera", { exact: true }).selectOption("Front door");
    await page.getByText("Nothing fits these filters").waitFor();
    await page.goto("/people?class=person&camera=garden&from=2025-10-26&to=2025-10-26");
    await page.getByRole("link", { name: /seen 2 times/ }).click();
    await page.getByRole("heading", { name: "Person, seen 2 times" }).waitFor();
    await page.getByRole("link", { name: /^18:00/ }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole("link", { name: /^18:00/ }).click();
    await page.getByText("90 critical").first().waitFor();
    expect(complaints).toEqual([]);
  });

  it("web page: insights say what changed, show each chart as a table, and save events as a file", async () => {
    const { page, complaints } = await home.visit(screens.desktop);
    await page.goto("/insights?days=30");
    await page.getByText("3 events, 3 more than in the 30 days before.").waitFor();
    await page.getByRole("img", { name: /^Chart: Events by day/ }).waitFor();
    await page.getByRole("button", { name: "As a table: Events by score" }).click();
    await page.waitForURL(/tables=scores/);
    const row = page.getByRole("figure", { name: "Events by score" }).getByRole("row", { name: /^80–89/ });
    expect(await row.textContent()).toBe("80–891");
    expect(await page.getByRole("region", { name: "Alerts by rule" }).getByRole("row").last().textContent()).toMatch(
      /Someone is there.*2$/,
    );
    await page.getByLabel("From", { exact: true }).fill("2025-10-26");
    await page.getByLabel("To", { exact: true }).fill("2025-10-26");
    await page.getByRole("combobox", { name: /^File/ }).selectOption("CSV");
    const saved = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/\.csv$/);
    const lines = (await readFile(await file.path(), "utf8")).trim().split("\n");
    expect(lines).toHaveLength(5);
    expect(lines.join()).toContain("A person climbs the fence.");
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("web page: a date that does not exist is no page", async () => {
    const { page } = await home.visit();
    await page.goto("/day/2025-02-30");
    await page.getByText("This page does not exist").waitFor();
  });
});
