import type { Page } from "playwright-core";
import { describe, expect, it, vi } from "vitest";
import { chromiumInstalled, screens } from "../support/browser.ts";
import { useWebHome } from "./home.ts";

// a browser needs processor time that other tests take at the same moment
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const key = "the-right-key-of-this-home-1234";

describe.skipIf(!chromiumInstalled)("web page: each role (needs chromium)", () => {
  const home = useWebHome(() => ({ API_KEY_ENABLED: "true", API_KEYS: key }));

  const noteRefusals = (page: Page, refused: string[]): void => {
    page.on("response", (response) => {
      if (response.status() === 403 || response.status() === 404) refused.push(`${response.status()} ${new URL(response.url()).pathname}`);
    });
  };

  /** Signs in by a named key. */
  async function signIn(body: object) {
    const { api_key } = (await home.ask("POST", "/api/keys", body)) as { readonly api_key: string };
    const { page } = await home.visit(screens.desktop);
    const refused: string[] = [];
    noteRefusals(page, refused);
    await page.goto("/login");
    await page.getByLabel("API key").fill(api_key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("navigation").first().waitFor();
    return { page, refused };
  }

  const entries = async (page: Page): Promise<readonly string[]> => {
    const links = page.getByRole("navigation").first().getByRole("link");
    return await links.evaluateAll((all: { pathname: string }[]) => all.map(({ pathname }) => pathname));
  };

  /** Opens the addresses, shared among three tabs because each one waits until the network is quiet. */
  async function walk(page: Page, refused: string[], addresses: readonly string[]): Promise<void> {
    const left = [...addresses];
    const inTab = async (): Promise<void> => {
      const tab = await page.context().newPage();
      noteRefusals(tab, refused);
      for (let address = left.shift(); address !== undefined; address = left.shift()) {
        await tab.goto(address);
        await tab.getByRole("heading", { level: 1 }).waitFor({ state: "attached" });
        await tab.waitForLoadState("networkidle");
      }
      await tab.close();
    };
    await Promise.all([inTab(), inTab(), inTab()]);
  }

  it("web page roles: a guest finds only what a guest may see, and no page asks for more", async () => {
    const { page, refused } = await signIn({ name: "guest", role: "guest", camera_ids: ["garden"] });
    expect(await entries(page)).toEqual(["/", "/review", "/cameras", "/day", "/search"]);
    await page.getByText("Mode: Home").first().waitFor();
    expect(await page.getByRole("button", { name: /^Mode/ }).count()).toBe(0);
    await walk(page, refused, [...(await entries(page)), "/events/2", "/cameras/garden"]);
    await page.goto("/events/2");
    await page.getByText("A person waters the flowers.").first().waitFor();
    for (const name of ["Mark as reviewed", "Delete", "Share", "Rate again"]) {
      expect(await page.getByRole("button", { name, exact: true }).count(), name).toBe(0);
    }
    expect(refused).toEqual([]);
  });

  it("web page roles: a resident reviews and mutes, and no page asks for more", async () => {
    const { page, refused } = await signIn({ name: "anna", role: "resident" });
    expect(await entries(page)).not.toContain("/settings");
    await walk(page, refused, [...(await entries(page)), "/events/2", "/cameras/garden", "/system/processing", "/system/storage"]);
    await page.goto("/events/2");
    await page.getByRole("button", { name: "Mark as reviewed" }).click();
    await page.getByText("1 event is reviewed").waitFor();
    expect(await page.getByRole("button", { name: "Delete", exact: true }).count()).toBe(0);
    await page.goto("/alerts");
    await page.getByRole("switch", { name: "Notify this device" }).waitFor();
    expect(refused).toEqual([]);
  });
});
