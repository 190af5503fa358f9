// Records the pictures of the web page in docs/ from a real run: `npm run docs:page`. Needs Chromium.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import sharp from "sharp";
import { address, docs, openEvening } from "./evening.mjs";

const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, hasTouch: true, isMobile: true };
const desktop = { viewport: { width: 1280, height: 800 } };
const evening = openEvening();
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

async function record(path, file, options, prepare = async () => {}) {
  const context = await browser.newContext({ baseURL: address, locale: "en-GB", ...options });
  const page = await context.newPage();
  await page.goto(path);
  await page.waitForLoadState("networkidle");
  await prepare(page);
  await sleep(500);
  await writeFile(join(docs, file), await smallEnough(await page.screenshot()));
  await context.close();
}

const mostBytes = 60_000;

/** The best WebP that a page of the docs can carry. */
async function smallEnough(screenshot) {
  for (let quality = 82; ; quality -= 6) {
    const picture = await sharp(screenshot).webp({ quality, effort: 6 }).toBuffer();
    if (picture.length <= mostBytes || quality < 40) return picture;
  }
}

try {
  await evening.start();
  await evening.run();
  await sleep(20_000);
  await record("/", "page-now.webp", { ...desktop, colorScheme: "light" });
  const [alert] = (await (await fetch(`${address}/api/alerts`)).json()).items;
  await record(`/events/${alert.event_id}`, "page-event.webp", { ...phone, colorScheme: "dark" });
  await record("/review", "page-review.webp", { ...phone, colorScheme: "light" });
  await record("/", "page-phone.webp", { ...phone, colorScheme: "light" });
  await record("/cameras", "page-cameras.webp", { ...phone, colorScheme: "light" });
  await record("/day", "page-day.webp", { ...desktop, colorScheme: "light" });
  await record("/rules/new?from=people", "page-rule.webp", { ...desktop, colorScheme: "light" }, async (page) => {
    await page.getByText(/this would have alerted you/).waitFor();
  });
  const corners = [
    [0, 0.45],
    [0.3, 0.42],
    [0.62, 0.6],
    [0.98, 0.9],
    [0.98, 0.99],
    [0, 0.99],
  ].map(([x, y]) => ({ x, y }));
  const { cameras } = await (await fetch(`${address}/api/cameras`)).json();
  const [{ camera_id }] = cameras;
  const zone = { method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ points: corners }) };
  await fetch(`${address}/api/cameras/${camera_id}/zones/lawn`, zone);
  await record(`/cameras/${camera_id}`, "page-zones.webp", { ...phone, colorScheme: "light" }, async (page) => {
    await page.getByRole("button", { name: "Change the zone lawn" }).click();
    await page.getByRole("heading", { name: "Zones" }).scrollIntoViewIfNeeded();
    await page.evaluate("[...document.querySelectorAll('h2')].find((h) => h.textContent === 'Zones').scrollIntoView()");
  });
} finally {
  await browser.close();
  await evening.close();
}
