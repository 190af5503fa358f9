import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { chromiumInstalled, screens, sharedBrowser, visit } from "../support/browser.ts";
import { openWebHome, type WebHome } from "./home.ts";

// a browser needs processor time that other tests take at the same moment
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Runs in the page: everything in an area that Tab must reach, in the order of the document. Of a group of radio buttons, one. */
const tabbable = `(area) => {
  const seen = new Set();
  const isRadioAgain = (element) => {
    if (element.type !== "radio") return false;
    const isAgain = seen.has(element.name);
    seen.add(element.name);
    return isAgain;
  };
  return [...area.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].filter((element) =>
    !element.disabled && element.checkVisibility({ visibilityProperty: true }) && element.tabIndex >= 0 && !isRadioAgain(element),
  );
}`;

/** Runs in the page: what is wrong with the focused element for someone who sees, but has no mouse. */
const focusFault = `(() => {
  const element = document.activeElement;
  const name = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
  const outlined = (each) => each && getComputedStyle(each).outlineStyle !== "none" && parseFloat(getComputedStyle(each).outlineWidth) >= 2;
  const marked = getComputedStyle(element).opacity === "0" ? element.closest("label") : element;
  const fault = (text) => [text + ": " + element.tagName.toLowerCase() + " " + (name ?? "").trim()];
  if (!outlined(marked)) return fault("no visible focus");
  const { left, top, width, height } = marked.getBoundingClientRect();
  const hit = document.elementFromPoint(left + Math.min(width / 2, 20), top + height / 2);
  const isSeen = hit !== null && (marked.contains(hit) || hit.contains(marked) || hit.closest("label")?.contains(element));
  return isSeen ? [] : fault("covered or out of sight");
})()`;

/**
 * Walks through an area by Tab and back by Shift+Tab. Returns what is wrong: elements that are not reached, or in another order, or whose
 * focus cannot be seen.
 */
async function walk(page: Page, area: string): Promise<readonly string[]> {
  const place = async (): Promise<{ readonly at: number; readonly count: number }> =>
    await page.evaluate(`(() => {
      const area = document.querySelector(${JSON.stringify(area)});
      const all = (${tabbable})(area);
      const focused = document.activeElement;
      const at = all.findIndex((each) => each === focused || (each.type === "radio" && focused.type === "radio" && each.name === focused.name));
      return { at, count: all.length };
    })()`);
  await page.evaluate(`(${tabbable})(document.querySelector(${JSON.stringify(area)}))[0].focus()`);
  const faults: string[] = [];
  const step = async (key: string, expected: number): Promise<void> => {
    await page.keyboard.press(key);
    // a field of date and time has several stops
    for (let stops = 0; stops < 8 && (await place()).at === expected - (key === "Tab" ? 1 : -1); stops += 1) await page.keyboard.press(key);
    const { at } = await place();
    if (at !== expected) faults.push(`${key} leads to ${at} instead of ${expected}`);
    faults.push(...(await page.evaluate<string[]>(focusFault)));
  };
  const { count } = await place();
  for (let next = 1; next < count; next += 1) await step("Tab", next);
  for (let next = count - 2; next >= 0; next -= 1) await step("Shift+Tab", next);
  return [...new Set(faults)];
}

/** The name of the element that has the focus. */
const focused = async (page: Page): Promise<string> =>
  await page.evaluate(`(document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent ?? "").trim()`);

const key = "the-right-key-of-this-home-1234";

describe.skipIf(!chromiumInstalled)("forms by keyboard alone (needs chromium)", () => {
  let home: WebHome;
  let browser: Browser;
  beforeAll(async () => {
    home = await openWebHome({ API_KEY_ENABLED: "true", API_KEYS: key });
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    await home?.close();
  });
  const signedIn = async (path: string, locale = "en-GB"): Promise<Page> => {
    const { page } = await visit(browser, home.url, { ...screens.desktop, locale });
    page.setDefaultTimeout(20_000);
    await page.request.post(`${home.url}/api/session/key`, { headers: { "X-API-Key": key } });
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    return page;
  };

  it("keyboard: sign-in keeps the focus in the field after a wrong key, and Enter signs in", async () => {
    const { page } = await visit(browser, home.url, screens.desktop);
    await page.goto("/login?to=/cameras");
    await page.getByLabel("API key").focus();
    await page.keyboard.type("a wrong key");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("This key is not valid").waitFor();
    expect(await focused(page)).toContain("API key");
    expect(await walk(page, "form")).toEqual([]);
    await page.getByLabel("API key").fill("");
    await page.keyboard.type(key);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Cameras" }).waitFor();
  });

  it.each([
    ["a rule", "/rules/new?from=people", "form", 25],
    ["a silence", "/silences", "form", 5],
    ["a webhook", "/settings/webhooks/new", "form", 10],
    ["modes", "/settings/modes", "main", 12],
    ["keys and invitations", "/settings/keys", "main", 8],
    ["settings", "/settings/configuration", "main", 20],
    ["an explanation at a camera", "/cameras/garden", "main", 10],
  ])("keyboard: every field of %s is reached in order, forwards and back, with a visible focus", async (_, path, area, least) => {
    const page = await signedIn(path);
    await page.evaluate(`for (const each of document.querySelectorAll("form details")) each.open = true`);
    expect(await page.evaluate(`(${tabbable})(document.querySelector("${area}")).length`)).toBeGreaterThanOrEqual(least);
    expect(await walk(page, area)).toEqual([]);
  });

  it("keyboard: a camera is added in its dialog; a refusal gets the focus, and Escape gives it back", async () => {
    const page = await signedIn("/cameras");
    await page.getByRole("button", { name: "Add a camera" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    expect(await walk(page, "dialog[open]")).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await focused(page)).toBe("Add a camera");
    await page.keyboard.press("Space");
    await page.getByLabel("Name").focus();
    await page.keyboard.type("Garden");
    await page.keyboard.press("Enter");
    await page
      .getByRole("alert")
      .getByText(/already/)
      .waitFor();
    expect(await focused(page)).toMatch(/already/);
    await page.keyboard.press("Shift+Tab");
    await page.getByLabel("Name").focus();
    await page.keyboard.type(" shed");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Garden shed" }).waitFor();
  });

  it("keyboard: a rule without a name leads to its name, and radio buttons move by arrow keys", async () => {
    const page = await signedIn("/rules/new?from=empty");
    await page.getByLabel("Name").focus();
    await page.keyboard.press("Enter");
    await page.getByText("Must not be empty").waitFor();
    expect(await focused(page)).toBe("Name");
    await page.getByRole("radio", { name: "Anything, at once" }).focus();
    await page.keyboard.press("ArrowDown");
    expect(await page.getByRole("radio", { name: /^From a rating of/ }).isChecked()).toBe(true);
    await page.getByRole("checkbox", { name: "person" }).focus();
    await page.keyboard.press("Space");
    expect(await page.getByRole("checkbox", { name: "person" }).isChecked()).toBe(true);
  });

  it("keyboard: the dialogs of an event give the focus back, also where the button has changed", async () => {
    const page = await signedIn("/events/1");
    await page.getByRole("button", { name: "Share" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Create a link" }).waitFor();
    expect(await walk(page, "dialog[open]")).toEqual([]);
    await page.getByRole("button", { name: "Create a link" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Link" }).waitFor();
    expect(await page.evaluate("document.activeElement.tagName")).not.toBe("BODY");
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("Share");
    await page.getByRole("button", { name: "Mute alerts" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "For 2 hours" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "End now" }).waitFor();
    await expect.poll(() => focused(page)).toBe("End now");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Mute alerts" }).waitFor();
    await expect.poll(() => focused(page)).toBe("Mute alerts");
  });

  it("keyboard: a setting that is saved by Enter keeps the focus", async () => {
    const page = await signedIn("/settings/configuration");
    const field = page.locator("main form input[type=number]").first();
    await field.focus();
    const name = await focused(page);
    await field.fill("45");
    await page.keyboard.press("Enter");
    await page.getByText("Saved", { exact: true }).first().waitFor();
    expect(await focused(page)).toBe(name);
  });

  it("faults: a German page says in German what homesec refused, and leads to the field", async () => {
    const page = await signedIn("/cameras?add=1", "de-DE");
    await page.getByLabel("Name").fill("Front door");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("So heißt schon die Kamera „Front door“ (front-door).").waitFor();
    await page.goto("/rules/new?from=empty");
    await page.getByRole("button", { name: "Regel speichern" }).click();
    await page.getByText("Darf nicht leer sein").waitFor();
    await page.goto("/silences");
    await page.getByLabel("Für").selectOption({ label: "Bis …" });
    await page.getByLabel("Ende", { exact: true }).fill("2020-01-01T00:00");
    await page.getByRole("button", { name: "Alarme stummschalten" }).click();
    await page
      .getByRole("alert")
      .getByText(/in der Zukunft/)
      .waitFor();
    await page.route("**/api/silences", (route) => route.abort());
    await page.getByRole("button", { name: "Alarme stummschalten" }).click();
    await page.getByRole("alert").getByText("homesec antwortet nicht").waitFor();
  });
});
