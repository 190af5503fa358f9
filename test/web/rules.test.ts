import { describe, expect, it, vi } from "vitest";
import { accessibilityFindings, chromiumInstalled, screens } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { threeCorners, useWebHome, zoneCanvas } from "./home.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

interface StoredRule {
  readonly id: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

describe.skipIf(!chromiumInstalled)("rules on the web page (needs chromium)", () => {
  const home = useWebHome(() => ({ DEFAULT_WEBHOOK_URL: "http://127.0.0.1:9/alerts" }));
  const rules = async () => ((await home.ask("GET", "/api/alerts/rules")) as { items: StoredRule[] }).items;
  const named = async (name: string) => (await rules()).find((rule) => rule.name === name);

  it("rules: the form is tried as it changes, each alert leads to its event, and the way back finds the form as it was", async () => {
    const { page } = await home.visit(screens.desktop);
    await page.goto("/rules/new?from=people");
    await page.getByText("this would have alerted you 2 times").waitFor();
    await page.getByRole("checkbox", { name: "Garden" }).check();
    await page.getByText("this would have alerted you once").waitFor();
    await page.getByText("1 more event matches, too soon after an alert.").waitFor();
    await page.getByText("1 event just missed").click();
    await page.getByText("Not alerted: it is another camera.").waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page
      .getByRole("region", { name: "The last 30 days" })
      .getByRole("link", { name: /A person/ })
      .first()
      .click();
    await page.waitForURL(/\/events\/\d+$/);
    await page.getByRole("button", { name: "Delete" }).waitFor();
    await page.goBack();
    await page.getByRole("checkbox", { name: "Garden", checked: true }).waitFor();
    await page.getByText("this would have alerted you once").waitFor();
    await page.getByRole("radio", { name: /^From a rating of/ }).check();
    await page.getByText("this would not have alerted you").waitFor();
  });

  it("rules: a rule for events like one that was seen begins with its classes and its camera", async () => {
    const { page } = await home.visit();
    await page.goto("/events/1");
    await page.getByRole("link", { name: "Make a rule for events like this" }).click();
    await page.getByRole("checkbox", { name: "Front door", checked: true }).waitFor();
    await page.getByRole("checkbox", { name: "person", checked: true }).waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Person at Front door");
    await page.getByText("this would have alerted you once").waitFor();
  });

  it("rules: a run that is no longer wanted is cancelled", async () => {
    const { page } = await home.visit(screens.desktop);
    await page.goto("/rules/new?from=empty");
    await page.getByText(/In the last 30 days this would/).waitFor();
    const cancelled: string[] = [];
    page.on("requestfailed", (request) => cancelled.push(new URL(request.url()).pathname));
    await page.route("**/api/alerts/rules/backtest", async (route) => {
      const isFirst = route.request().postData()?.includes('"camera_ids":null') ?? false;
      if (isFirst) await new Promise((resolve) => setTimeout(resolve, 5_000));
      await route.continue().catch(() => undefined);
    });
    await page.getByRole("checkbox", { name: "person" }).check();
    await page.waitForRequest("**/api/alerts/rules/backtest");
    await page.getByRole("checkbox", { name: "Front door" }).check();
    await page.getByText("this would have alerted you once").waitFor();
    expect(cancelled).toContain("/api/alerts/rules/backtest");
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  it("rules: what homesec refuses stands at its field, and what can never be sent is said before saving", async () => {
    const { page } = await home.visit();
    await page.goto("/rules/new?from=empty");
    await page.getByRole("button", { name: "Save rule" }).click();
    await page.getByText("Must not be empty").waitFor();
    await page.locator("input:focus").and(page.getByLabel("Name")).waitFor();
    await page.getByRole("radio", { name: /^From a rating of/ }).check();
    await page.getByRole("spinbutton", { name: "From a rating of" }).fill("170");
    await page.getByRole("group", { name: "How serious" }).getByText("Must be at most 100").waitFor();
    await page.getByRole("radio", { name: "Anything, at once" }).check();
    await page.getByRole("checkbox", { name: "mail" }).check();
    await page
      .getByRole("group", { name: "How you are alerted" })
      .getByText(/Email cannot be used: it needs SMTP_HOST/)
      .waitFor();
    await page.getByText("1 part of this rule cannot work").waitFor();
  });

  it("rules: a resident reads the rules, and sees no button that homesec would refuse", async () => {
    const { api_key: key } = (await home.ask("POST", "/api/keys", { name: "anna", role: "resident" })) as { api_key: string };
    const { page, complaints } = await home.visit();
    // the cookie of the session stays in the browser
    await page.request.post(`${home.url}/api/session/key`, { headers: { "X-API-Key": key } });
    await page.goto("/rules");
    await page.getByRole("heading", { name: "Someone is there" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await page.locator("main").getByRole("link").count()).toBe(0);
    expect(await page.locator("main").getByRole("switch").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("rules: a rule is changed in all its fields, copied and deleted", async () => {
    const { page, complaints } = await home.visit(screens.desktop);
    await page.goto("/rules");
    await page.getByRole("link", { name: "Someone is there", exact: true }).click();
    await page.getByRole("checkbox", { name: "dog" }).check();
    await page.getByRole("checkbox", { name: "Garden" }).check();
    await page.getByRole("radio", { name: "At other times" }).check();
    await page.getByLabel("From", { exact: true }).fill("09:30");
    await page.getByLabel("To", { exact: true }).fill("17:00");
    await page.getByRole("checkbox", { name: "Sat" }).check();
    await page.getByLabel("Time zone").selectOption("Europe/Berlin");
    await page.getByRole("spinbutton", { name: "From a rating of" }).fill("45");
    await page.getByRole("radio", { name: "critical" }).check();
    await page.getByText("More settings").click();
    await page.getByLabel("At most one alert in").selectOption({ value: "3600" });
    await page.getByRole("radio", { name: "for all cameras together" }).check();
    await page.getByLabel(/^Least confidence/).fill("65");
    await page.getByLabel("Alert anyway if").check();
    await page.getByLabel("When the limit ends").check();
    await page.getByLabel("The rule is on").uncheck();
    await page.getByRole("button", { name: "Save rule" }).click();
    await page.getByText("“Someone is there” is saved").waitFor();
    const stored = await named("Someone is there");
    const changed = {
      ...{ enabled: false, object_types: ["dog"], camera_ids: ["garden"], risk_threshold: 45, severity: "critical" },
      ...{ cooldown_seconds: 3600, dedup_key_template: "{rule_id}", min_confidence: 0.65, escalate: true, digest: true },
      schedule: { days: ["saturday"], start_time: "09:30", end_time: "17:00", timezone: "Europe/Berlin" },
    };
    expect(stored).toMatchObject(changed);

    await page.getByRole("link", { name: "Someone is there", exact: true }).click();
    await page.getByRole("link", { name: "Duplicate" }).click();
    await page.getByRole("button", { name: "Save rule" }).click();
    await page.getByRole("link", { name: "Someone is there (copy)", exact: true }).waitFor();
    expect(await named("Someone is there (copy)")).toMatchObject(changed);

    await page.getByRole("link", { name: "Someone is there (copy)", exact: true }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("“Someone is there (copy)” is deleted").waitFor();
    expect(await named("Someone is there (copy)")).toBeUndefined();
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!chromiumInstalled)("zones on the web page (needs chromium)", () => {
  const home = useWebHome();
  const zones = async () =>
    ((await home.ask("GET", "/api/cameras/garden/zones")) as { zones: { name: string; points: { x: number; y: number }[] }[] }).zones;

  it("zones: are drawn by taps, dragged, finished by keys alone, and used in a rule", async () => {
    await home.giveLastPicture("garden");
    const { page, complaints } = await home.visit();
    await page.goto("/cameras/garden");
    await page.getByRole("button", { name: "Draw a zone" }).click();
    await page.getByText("3 more corners are needed").waitFor();
    for (const position of await threeCorners(page)) await page.locator(zoneCanvas).click({ position });
    await page.getByText("The zone is complete").waitFor();
    // keys only from here
    await page.getByRole("button", { name: /^Corner 3:/ }).focus();
    for (let pressed = 0; pressed < 10; pressed += 1) await page.keyboard.press("ArrowDown");
    await page.getByRole("button", { name: /^Corner 3: \d+ % from the left, 100 % from the top/ }).waitFor();
    await page.getByLabel("Name of the zone").fill("Flower bed");
    await page.keyboard.press("Enter");
    await page.getByText("Zone Flower bed saved").waitFor();
    const [zone] = await zones();
    expect(zone).toMatchObject({ name: "Flower bed", points: [{ y: expect.closeTo(0.5, 1) }, { x: expect.closeTo(0.8, 1) }, { y: 1 }] });
    expect(await accessibilityFindings(page)).toEqual([]);

    await page.getByRole("button", { name: "Change the zone Flower bed" }).click();
    const corner = page.getByRole("button", { name: /^Corner 1:/ });
    await corner.scrollIntoViewIfNeeded();
    await corner.hover();
    await page.mouse.down();
    const box = await page.locator(zoneCanvas).boundingBox();
    await page.mouse.move((box?.x ?? 0) - 20, (box?.y ?? 0) + 0.25 * (box?.height ?? 0), { steps: 4 });
    await page.mouse.up();
    await page.getByRole("button", { name: /^Corner 1: 0 % from the left/ }).waitFor();
    await page.getByLabel("Black it out").check();
    await page.getByRole("button", { name: "Save", exact: true }).first().click();
    await page.getByText("Zone Flower bed saved").first().waitFor();
    await eventually(async () => (await zones())[0]?.points[0]?.x === 0, { what: "the dragged corner" });
    await page.getByText("· blacked out").waitFor();
    expect((await zones())[0]).toMatchObject({ private: true });

    await page.getByRole("link", { name: "New rule about these zones" }).click();
    await page.getByRole("group", { name: "Only in these zones" }).getByRole("checkbox", { name: "Flower bed", checked: true }).waitFor();
    await page.getByLabel("Name").fill("In the flowers");
    await page.getByRole("button", { name: "Save rule" }).click();
    await page.getByText("“In the flowers” is saved").waitFor();
    const { items } = (await home.ask("GET", "/api/alerts/rules")) as { items: StoredRule[] };
    expect(items.find(({ name }) => name === "In the flowers")).toMatchObject({ zones: ["Flower bed"], camera_ids: ["garden"] });
    expect(complaints).toEqual([]);
  });

  it("zones: a camera that was moved says so until its zones are confirmed, and a zone is deleted", async () => {
    await home.ask("PUT", "/api/cameras/garden/zones/gate", {
      points: [
        { x: 0, y: 0 },
        { x: 1, y: 0 },
        { x: 1, y: 1 },
      ],
    });
    await home.daemon.context.db.query((sql) => sql`update camera_zones set doubtful_since = now() where name = 'gate'`);
    const { page, complaints } = await home.visit();
    await page.goto("/cameras/garden");
    await page.getByText("The camera was moved, so its zones may lie elsewhere.").waitFor();
    await page.getByRole("button", { name: "They still fit" }).click();
    await page.getByText("The zones are confirmed").waitFor();
    await page.getByRole("button", { name: "Delete the zone gate" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Zone gate deleted").waitFor();
    expect((await zones()).map(({ name }) => name)).not.toContain("gate");
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!chromiumInstalled)("ignoring a spot on the web page (needs chromium)", () => {
  const home = useWebHome();
  const masks = async () => ((await home.ask("GET", "/api/masks")) as { masks: { camera_id: string; object_type: string }[] }).masks;

  it("ignoring a spot: the page of an event shows what that would have hidden, and the page of the camera ends it", async () => {
    await home.daemon.context.db.query((sql) => sql`update detections set picture_width = 768, picture_height = 576`);
    const { page, complaints } = await home.visit();
    await page.goto("/events/2");
    await page.getByRole("button", { name: "Ignore this spot" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("In the last 30 days this would have hidden person in this place 2 times, and 2 events.").waitFor();
    expect(await masks()).toEqual([]);
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Ignore this spot" }).click();
    await page.getByText("This spot is ignored from now on").waitFor();
    expect(await masks()).toMatchObject([{ camera_id: "garden", object_type: "person" }]);

    await page.goto("/cameras/garden");
    await page.getByRole("heading", { name: "Ignored spots" }).waitFor();
    await page.getByRole("button", { name: /^Delete: person, 42.?% from the left, 42.?% from the top/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("This spot is no longer ignored").waitFor();
    expect(await masks()).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!chromiumInstalled)("muting on the web page (needs chromium)", () => {
  const home = useWebHome();
  const active = async () =>
    ((await home.ask("GET", "/api/silences?status=active")) as { items: { camera_id: string; rule_name: string; ends_at: string }[] })
      .items;
  const hoursLeft = (silence: { ends_at: string } | undefined) => (Date.parse(silence?.ends_at ?? "") - Date.now()) / 3_600_000;

  it("muting: two taps on the page of a camera or of an event mute its camera, with undo and an end", async () => {
    const { page, complaints } = await home.visit();
    await page.goto("/cameras/garden");
    await page.getByRole("button", { name: "Mute alerts" }).click();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "For 2 hours" }).click();
    await page.getByText(/^Alerts of Garden are muted until/).waitFor();
    const [silence] = await active();
    expect(silence).toMatchObject({ camera_id: "garden" });
    expect(hoursLeft(silence)).toBeCloseTo(2, 1);
    await page.getByRole("button", { name: "Undo" }).click();
    await eventually(async () => (await active()).length === 0, { what: "the undone silence" });

    await page.goto("/events/1");
    await page.getByRole("button", { name: "Mute alerts" }).click();
    await page.getByRole("button", { name: /^Until (this|tomorrow) morning/ }).click();
    await page.getByText(/^\s*Muted until/).waitFor();
    const [untilMorning] = await active();
    expect(untilMorning).toMatchObject({ camera_id: "front-door" });
    expect(untilMorning?.ends_at).toMatch(/T\d\d:00:00\.000Z$/);
    expect(hoursLeft(untilMorning)).toBeGreaterThan(0.9);
    expect(hoursLeft(untilMorning)).toBeLessThan(25.1);
    await page.getByRole("button", { name: "End now" }).click();
    await page.getByRole("button", { name: "Mute alerts" }).waitFor();
    expect(await active()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("muting: the page of silences mutes a rule at a camera until a time, and ends it early", async () => {
    const { page } = await home.visit();
    await page.goto("/silences?camera=garden");
    await page.getByLabel("Rule").selectOption("Someone is there");
    await page.getByLabel("For").selectOption("Until…");
    await page.getByLabel("End", { exact: true }).fill("2020-01-01T00:00");
    await page.getByRole("button", { name: "Mute alerts" }).click();
    await page.getByText(/Must be in the future/).waitFor();
    await page.getByLabel("For").selectOption({ value: "ended" });
    await page.getByRole("button", { name: "Mute alerts" }).click();
    const row = page.getByRole("article").filter({ hasText: "Garden" });
    await row.getByRole("link", { name: "Rule Someone is there" }).waitFor();
    const [silence] = await active();
    expect(silence).toMatchObject({ camera_id: "garden", rule_name: "Someone is there" });
    expect(hoursLeft(silence) / 24).toBeCloseTo(30, 1);
    await row.getByRole("button", { name: "End" }).click();
    await page.getByText("Nothing is muted").waitFor();
  });
});
