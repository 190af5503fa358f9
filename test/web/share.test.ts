import { describe, expect, it, vi } from "vitest";
import { accessibilityFindings, chromiumInstalled, screens } from "../support/browser.ts";
import { useWebHome } from "./home.ts";

// a browser needs processor time that other tests take at the same moment
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const key = "the-right-key-of-this-home-1234";

describe.skipIf(!chromiumInstalled)("web page: sharing and inviting, with keys (needs chromium)", () => {
  const home = useWebHome(() => ({ API_KEY_ENABLED: "true", API_KEYS: key }));

  it("web page: an event is shared on a phone, seen without an account, counted, and revoked", async () => {
    const owner = await home.visit();
    await owner.page.goto("/login?to=/events/1");
    await owner.page.getByLabel("API key").fill(key);
    await owner.page.getByRole("button", { name: "Sign in" }).click();
    await owner.page.getByRole("button", { name: "Share" }).click();
    await owner.page.getByLabel("The link works for").selectOption("1 day");
    await owner.page.getByRole("button", { name: "Create a link" }).click();
    const address = await owner.page.getByRole("textbox", { name: "Link" }).inputValue();
    expect(address).toMatch(new RegExp(`^${home.url}/shared/hs_[\\w-]{43}$`));
    expect(await accessibilityFindings(owner.page)).toEqual([]);

    const { page, complaints } = await home.visit();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(address);
    await page.getByRole("heading", { name: "Person at Front door" }).waitFor();
    await page.getByText("A person tries the door handle.").waitFor();
    await page.getByText("82 critical").waitFor();
    await page.getByRole("img", { name: "person 90%" }).waitFor();
    await page.locator("figure rect").waitFor();
    expect(await page.evaluate(`document.querySelector("figure img").naturalWidth`)).toBeGreaterThan(300);
    expect(await page.getByRole("navigation").count()).toBe(0);
    expect(await page.getByRole("link").count()).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(asked.filter((path) => path.startsWith("/api/") && !path.startsWith("/api/shared/"))).toEqual([]);
    expect(complaints).toEqual([]);

    await owner.page.getByText("opened once").waitFor({ timeout: 20_000 });
    await owner.page.getByRole("button", { name: /^Revoke: works until/ }).click();
    await owner.page.getByRole("button", { name: /^Revoke: works until/ }).waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { name: "This link was revoked" }).waitFor();
    await page.goto("/shared/hs_nothing");
    await page.getByRole("heading", { name: "This link is not valid" }).waitFor();
    expect(owner.complaints).toEqual([]);
  });

  it("web page: an invitation signs a phone in by one tap, and says afterwards that it was used", async () => {
    const { path } = (await home.ask("POST", "/api/keys/invitations", { name: "Anna", role: "resident" })) as { path: string };
    const { page, complaints } = await home.visit();
    await page.goto(path);
    await page.getByText("You are invited as Anna.").waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Sign in on this device" }).click();
    await page.getByRole("heading", { name: "Cameras" }).waitFor();
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(complaints).toEqual([]);
    await page.goto(path);
    await page.getByRole("heading", { name: "This device is signed in as Anna" }).waitFor();

    const other = await home.visit({ ...screens.phone, locale: "de-DE" });
    await other.page.goto(path);
    await other.page.getByRole("heading", { name: "Diese Einladung wurde schon benutzt" }).waitFor();
    await other.page.getByText("homesec keys invite NAME").waitFor();
    await other.page.goto("/invite/hs_nothing");
    await other.page.getByRole("heading", { name: "Diese Einladung ist ungültig" }).waitFor();
  });
});
