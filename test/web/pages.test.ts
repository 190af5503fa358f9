import { describe, expect, it, vi } from "vitest";
import { pagePaths } from "../../src/contract/pages.ts";
import { accessibilityFindings, chromiumInstalled, endOfTransitions, screens } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { knownEntity, openWebHome, useWebHome } from "./home.ts";

// a browser needs processor time that other tests take at the same moment
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

/** `npm run web-limits` looks at each page in both ways, `npm test` in one of them, in turn. */
const looksEach = process.env["WEB_LIMITS"] === "all" ? 2 : 1;

describe.skipIf(!chromiumInstalled)("web page (needs chromium)", () => {
  const home = useWebHome();

  const addresses = pagePaths
    .filter((path) => path !== "/login" && !path.endsWith("/:token"))
    .map((path) =>
      path
        .replace("/webhooks/:id", "/webhooks/new")
        .replace("/cameras/:id", "/cameras/garden")
        .replace(":date", "2026-01-31")
        .replace("/people/:id", `/people/${knownEntity}`)
        .replace(":id", "1"),
    );
  const looks = [
    ["phone, light", screens.phone.viewport, "light"],
    ["desktop, dark", screens.desktop.viewport, "dark"],
  ] as const;
  it("web page: every page on a phone and on a desktop, light and dark, has a heading, no error in the console and no accessibility finding", async () => {
    const findings: string[] = [];
    const [rule] = ((await home.ask("GET", "/api/alerts/rules")) as { items: { id: string }[] }).items;
    const left = [...addresses.entries()];
    const inTab = async (): Promise<void> => {
      const { page, complaints } = await home.visit(screens.phone);
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [index, address] = next;
        await page.goto(address.replace("/rules/1", `/rules/${rule?.id}`));
        // Each page is loaded once, in turn with one of both looks, and follows the change to the other.
        for (const [look, size, colorScheme] of (index % 2 === 0 ? looks : looks.toReversed()).slice(0, looksEach)) {
          await page.setViewportSize(size);
          await page.emulateMedia({ colorScheme });
          await page.getByRole("heading", { level: 1 }).waitFor({ state: "attached" });
          await page.waitForLoadState("networkidle");
          await page.evaluate(endOfTransitions);
          findings.push(...(await accessibilityFindings(page)).map((finding) => `${address} (${look}): ${finding}`));
        }
      }
      expect(complaints).toEqual([]);
    };
    // three at once, because each page waits until the network is quiet
    await Promise.all([inTab(), inTab(), inTab()]);
    expect(findings).toEqual([]);
  });

  it("web page: an address that no page has says so", async () => {
    const { page } = await home.visit();
    await page.goto("/events/987654");
    await page.getByText("This page does not exist").waitFor();
  });

  it("web page: an event says what is known about the objects in its picture, in the reader's language, and leads to their appearances", async () => {
    const enrichment = {
      attributes: { upper_color: "blue", carries: ["parcel", "bag"], glasses: true, shoe_size: 43 },
      ocr: [{ text: "PARCEL 42", confidence: 0.9 }],
      caption: "A person in a blue jacket.",
      entity_id: knownEntity,
      has_embedding: true,
    };
    await home.daemon.context.db.query(
      (sql) => sql`update detections set enrichment = ${JSON.stringify(enrichment)}::text::jsonb where event_id = 2`,
    );
    for (const [locale, title, words] of [
      ["en-GB", "In this picture", ["Upper partblue", "Carriesparcel, bag", "Glassesyes", "shoe size43", "TextPARCEL 42"]],
      ["de-DE", "Auf diesem Bild", ["Oberer Teilblau", "Trägtparcel, bag", "Brilleja", "shoe size43", "SchriftPARCEL 42"]],
    ] as const) {
      const { page } = await home.visit({ ...screens.phone, locale });
      await page.goto("/events/2");
      const part = page.locator("section", { has: page.getByRole("heading", { name: title }) });
      await part.getByText("A person in a blue jacket.").waitFor();
      const text = (await part.locator("dl").textContent()) ?? "";
      for (const word of words) expect(text).toContain(word);
      await part.getByRole("link").click();
      await page.waitForURL(`/people/${knownEntity}`);
    }
  });

  it("web page: in German for a reader whose browser is German", async () => {
    const { page } = await home.visit({ ...screens.phone, locale: "de-DE" });
    await page.goto("/review");
    await page.getByRole("heading", { name: "Durchsicht" }).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("de");
    await page.goto("/events/1");
    await page
      .getByText(/^Die Regel „Someone is there“ hat einen Alarm \(hoch\) ausgelöst/)
      .first()
      .waitFor();
    await page.getByText(/^Alle \d+ Schritte$/).click();
    const steps = await page.locator("details[open] li p").allTextContents();
    expect(steps.length).toBeGreaterThan(2);
    expect(steps.filter((step) => /\b(the|was|rule|event|of)\b/.test(step.replace(/„[^“]*“/g, "")))).toEqual([]);
    // times as the page writes them, and no identifiers
    expect(steps.filter((step) => /\dT\d|[0-9a-f]{8}-/.test(step))).toEqual([]);
  });

  it("web page: an event shows its picture with a box, its verdict and why it alerted", async () => {
    const { page } = await home.visit();
    await page.goto("/");
    await page.getByText("A person tries the door handle.").first().click();
    await page.getByRole("img", { name: "person 90%" }).waitFor();
    expect(await page.locator("figure rect").getAttribute("width")).toBe("40");
    await page.getByText("82 critical").first().waitFor();
    await page
      .getByText(/raised by rule "Someone is there"/)
      .first()
      .waitFor();
    await page.getByPlaceholder("For example: the neighbour with her dog").fill("It was the postman");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved").waitFor();
    expect(await home.ask("GET", "/api/events/1")).toMatchObject({ notes: "It was the postman" });
    await page.goBack();
    await page.getByRole("heading", { name: "Open alerts" }).waitFor();
  });

  it("web page: an alert is acknowledged by one tap", async () => {
    const { page } = await home.visit();
    await page.goto("/alerts");
    await page.getByRole("button", { name: "Acknowledge" }).click();
    await page.getByText("1 alert is acknowledged").waitFor();
    await page.getByText("No open alerts").waitFor();
    expect(await home.ask("GET", "/api/alerts")).toMatchObject({ items: [{ status: "acknowledged" }] });
  });

  it("web page: events are reviewed by thumb, undone, and reviewed by keys, which do nothing in a text field", async () => {
    const { page } = await home.visit(screens.desktop);
    const unreviewed = async (): Promise<number> =>
      ((await home.ask("GET", "/api/events?reviewed=false")) as { pagination: { total: number } }).pagination.total;
    await page.goto("/review");
    await page.getByRole("button", { name: "Mark all 3 as reviewed" }).waitFor();
    await page
      .getByRole("button", { name: /^Mark as reviewed: person at Garden/ })
      .first()
      .click();
    await page.getByText("1 event is reviewed").waitFor();
    await eventually(async () => (await unreviewed()) === 2, { what: "one reviewed event" });
    await page.getByRole("button", { name: "Undo" }).click();
    await eventually(async () => (await unreviewed()) === 3, { what: "the undone review" });
    await page.getByText("A person waters the flowers.").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByText("1 selected").waitFor();
    await page.keyboard.press("r");
    await page.getByText("A person waters the flowers.").waitFor({ state: "detached" });
    await eventually(async () => (await unreviewed()) === 2, { what: "the event reviewed by keys" });
    await page.getByRole("button", { name: "Mark all 2 as reviewed" }).click();
    await page.getByText("All events are reviewed").waitFor();
    await eventually(async () => (await unreviewed()) === 0, { what: "all events reviewed" });
    await page.keyboard.press("/");
    await page.getByRole("searchbox").fill("");
    await page.keyboard.type("ladder?");
    expect(await page.getByRole("dialog").isVisible()).toBe(false);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/search\?q=ladder/);
  });

  it("web page: an event is pinned by one tap, listed with its mark, and unpinned by Undo", async () => {
    const { page } = await home.visit(screens.desktop);
    await page.goto("/events/2");
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await page.getByText("Pinned: no cleanup deletes it").waitFor();
    await page.getByRole("button", { name: "Unpin" }).waitFor();
    expect(await home.ask("GET", "/api/events?pinned=true")).toMatchObject({ items: [{ id: 2 }] });
    const { page: list } = await home.visit();
    await list.goto("/review?show=pinned");
    await list.getByRole("img", { name: "Pinned" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Pin", exact: true }).waitFor();
    expect(await home.ask("GET", "/api/events?pinned=true")).toMatchObject({ items: [] });
  });

  it("web page: a colon leads to a page or a camera by the letters of its name, and keys do nothing behind a dialog", async () => {
    const { page } = await home.visit(screens.desktop);
    await page.goto("/events/1");
    await page.getByText("82 critical").first().waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("d");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.keyboard.press(":");
    await page.getByRole("textbox", { name: "go to a page or camera" }).waitFor();
    await page.keyboard.type("gar");
    await page.getByRole("dialog").getByRole("button", { name: "Garden" }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/cameras\/garden$/);
    await expect.poll(() => home.ask("GET", "/api/events/1")).toMatchObject({ deleted_at: null });
  });

  it("web page: the list of keys comes from the table that binds them", async () => {
    const { page } = await home.visit(screens.desktop);
    await page.goto("/");
    await page.getByRole("heading", { name: "Cameras" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    expect(await page.locator("dialog[open] kbd").allTextContents()).toEqual(expect.arrayContaining(["j", "k", "x", "r", "/", "?"]));
  });

  it("web page: alerts of a camera are muted and the silence is ended", async () => {
    const { page } = await home.visit();
    await page.goto("/silences");
    await page.getByLabel("Alerts of").selectOption("Garden");
    await page.getByLabel("Reason").fill("The painters are here");
    await page.getByRole("button", { name: "Mute alerts" }).click();
    await page.getByText(/The painters are here/).waitFor();
    await expect.poll(() => home.ask("GET", "/api/silences?status=active")).toMatchObject({ items: [{ camera_id: "garden" }] });
    await page.getByRole("button", { name: "End" }).click();
    await page.getByText("Nothing is muted").waitFor();
  });

  it("web page: a rule says what it does and what it would have done, and is switched off", async () => {
    const { page } = await home.visit();
    await page.goto("/rules");
    await page.getByText("In the last 30 days: 1 alert").waitFor();
    await page.getByRole("switch", { name: "Someone is there" }).click();
    await page.getByRole("switch", { name: "Someone is there", checked: false }).waitFor();
    await expect.poll(() => home.ask("GET", "/api/alerts/rules")).toMatchObject({ items: [{ enabled: false }] });
  });

  it("web page: a new event waits behind a pill; without the line the page says so, and afterwards it is complete", async () => {
    const { page } = await home.visit();
    await page.goto("/");
    await page.getByText("A person carries a ladder.").waitFor();
    await home.addEvent({ camera: "garden", score: 20, summary: "The cat crosses the lawn.", minutesAgo: 0 });
    await page.getByRole("button", { name: "1 new" }).click();
    await page.getByText("The cat crosses the lawn.").waitFor();
    await page.context().setOffline(true);
    // an older request keeps its connection: a dead line shows when a ping stays unanswered
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByText(/^No connection to homesec/).waitFor({ timeout: 20_000 });
    await home.addEvent({ camera: "garden", score: 25, summary: "The cat comes back.", minutesAgo: 0 });
    await page.context().setOffline(false);
    await page.getByText(/^No connection to homesec/).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "1 new" }).click();
    await page.getByText("The cat comes back.").waitFor();
  });

  it("web page: an open alert is chosen and acknowledged by keys, on its list and on the page of its event", async () => {
    await home.ask("POST", "/api/alerts/rules", { name: "Anyone", severity: "low", risk_threshold: 0, cooldown_seconds: 0 });
    await home.addEvent({ camera: "front-door", score: 51, summary: "A person rings the bell.", minutesAgo: 1 });
    const { page } = await home.visit(screens.desktop);
    await page.goto("/alerts");
    await page.locator("article").filter({ hasText: "Anyone" }).waitFor();
    const before = await page.locator("article").count();
    await page.keyboard.press("j");
    await page.locator("article[aria-current]").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/events\/\d+$/);
    await page.getByRole("button", { name: "Acknowledge" }).waitFor();
    await page.keyboard.press("a");
    await page.getByText("1 alert is acknowledged").waitFor();
    await page.goto("/alerts");
    await eventually(async () => (await page.locator("article").count()) === before - 1, { what: "one alert less" });
  });

  it("web page: an event with many people says what is known about two of them, and about the others at a tap", async () => {
    const at = new Date(Date.now() - 7_000_000).toISOString();
    const [{ file_path = "" } = {}] = ((await home.ask("GET", "/api/detections?limit=1")) as { items: { file_path: string }[] }).items;
    const seen = { camera_id: "garden", file_path, file_type: "image/jpeg", detected_at: at, object_type: "person", confidence: 0.9 };
    const boxes = [10, 60, 110, 160, 210].map((bbox_x) => ({ bbox_x, bbox_y: 150, bbox_width: 40, bbox_height: 90 }));
    const detections = boxes.map((box) => ({ ...seen, ...box }));
    const stored = (await home.ask("POST", "/api/detections/bulk", { detections })) as { results: { id: number }[] };
    const ids = stored.results.map(({ id }) => id);
    const enrichment = { attributes: { size: "small" }, ocr: [], caption: null, entity_id: null, has_embedding: false };
    await home.daemon.context.db.query(
      (sql) => sql`
        update detections set enrichment = ${JSON.stringify(enrichment)}::text::jsonb where detection_id = any (${ids}::bigint[])
      `,
    );
    const event = { camera_id: "garden", started_at: at, risk_score: 20, summary: "Five people", reasoning: "", detection_ids: ids };
    const { results } = (await home.ask("POST", "/api/events/bulk", { events: [event] })) as { results: { id: number }[] };
    const { page, complaints } = await home.visit(screens.phone);
    await page.goto(`/events/${results[0]?.id}`);
    const part = page.getByRole("region", { name: "In this picture" });
    await part.getByRole("button", { name: "Show 3 more" }).waitFor();
    expect(await part.getByRole("article").count()).toBe(2);
    await part.getByRole("button").click();
    await expect.poll(() => part.getByRole("article").count()).toBe(5);
    expect(await part.getByRole("button").count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!chromiumInstalled)("web page with keys (needs chromium)", () => {
  const home = useWebHome(() => ({ API_KEY_ENABLED: "true", API_KEYS: "the-right-key-of-this-home-1234" }));

  it("web page: asks for an API key, refuses a wrong one, and goes on to the page that was asked for", async () => {
    const { page } = await home.visit();
    await page.goto("/events/1");
    await page.getByLabel("API key").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This key is not valid").waitFor();
    await page.getByLabel("API key").fill("the-right-key-of-this-home-1234");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("82 critical").first().waitFor();
    expect(new URL(page.url()).pathname).toBe("/events/1");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/\/login$/);
    await page.goto("/events/1");
    await page.getByLabel("API key").waitFor();
  });
});

describe("web page off", () => {
  it("web page: is absent with WEB_ENABLED=false", async () => {
    const home = await openWebHome({ WEB_ENABLED: "false" });
    try {
      for (const path of ["/", "/review", "/assets/index.js"]) expect((await fetch(home.url + path)).status).toBe(404);
    } finally {
      await home.close();
    }
  });
});
