import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { chromiumInstalled, screens, visit } from "../support/browser.ts";
import { useWebHome } from "./home.ts";

// a browser needs processor time that other tests take at the same moment
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Runs a script if it becomes part of a page, in each of the usual ways. */
const markup = `"><img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script><svg onload="globalThis.hacked=1">{{7*7}}`;

describe.skipIf(!chromiumInstalled)("web page: hostile pages and texts (needs chromium)", () => {
  const home = useWebHome();
  let other: Server;
  let otherSite: string;
  /** Document of the other site. */
  let content = "";
  beforeAll(async () => {
    other = createServer((_, response) => response.setHeader("Content-Type", "text/html").end(content)).listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    otherSite = `http://elsewhere.example:${(other.address() as AddressInfo).port}/`;
  });
  afterAll(() => void other?.close());

  const isHacked = (page: Page): Promise<boolean> => page.evaluate("globalThis.hacked === 1");

  it("hostile texts: markup in names, summaries, reasons and notes stays text on every page that shows it", async () => {
    await home.ask("PATCH", "/api/cameras/garden", { name: `Garden ${markup}`.slice(0, 100) });
    const id = await home.addEvent({ camera: "garden", score: 90, summary: `Summary ${markup}`, minutesAgo: 1 });
    await home.ask("PATCH", `/api/events/${id}`, { notes: `Note ${markup}` });
    await home.ask("POST", "/api/alerts/rules", { name: `Rule ${markup}`.slice(0, 100), severity: "low", risk_threshold: 1 });
    await home.ask("POST", "/api/silences", { camera_id: "front-door", duration_seconds: 600, reason: `Reason ${markup}` });
    const { page, complaints } = await home.visit(screens.desktop);
    for (const address of [
      "/",
      "/review",
      `/events/${id}`,
      "/alerts",
      "/cameras",
      "/cameras/garden",
      "/rules",
      "/silences",
      "/search?q=summary",
      "/day",
      "/insights",
    ]) {
      await page.goto(address);
      await page.getByRole("heading", { level: 1 }).waitFor({ state: "attached" });
      await page.waitForLoadState("networkidle");
      expect(await isHacked(page), address).toBe(false);
    }
    await page.goto(`/events/${id}`);
    await page.getByText('<img src=x onerror="globalThis.hacked=1">').first().waitFor();
    // an attempt that the policy stopped is listed here
    expect(complaints).toEqual([]);
  });

  it("hostile pages: another site cannot show homesec in a frame", async () => {
    content = `<iframe src="${home.url}/" style="width:800px;height:600px"></iframe>`;
    const { page } = await visit(home.browser, otherSite, screens.desktop);
    await page.goto(otherSite);
    const frame = page.frames()[1];
    await frame?.waitForLoadState().catch(() => undefined);
    expect(await frame?.locator("#page").count()).toBe(0);
  });

  it("hostile pages: another site can neither read an answer, nor tell by a picture whether there is one, nor change anything", async () => {
    content = `<script>
      const read = (path) => fetch("${home.url}" + path, { credentials: "include" }).then((r) => r.status, () => "refused");
      const image = (path) => new Promise((resolve) => {
        const element = new Image();
        element.onload = () => resolve("shown");
        element.onerror = () => resolve("refused");
        element.src = "${home.url}" + path;
      });
      const send = (path, type) => fetch("${home.url}" + path, { method: "POST", mode: "no-cors", headers: { "Content-Type": type },
        body: '{"name":"Intruder","camera_id":"intruder"}' }).then(() => "sent", () => "refused");
      globalThis.result = Promise.all([read("/api/events"), image("/api/detections/1/thumbnail"), image("/api/detections/987654/thumbnail"),
        send("/api/cameras", "text/plain"), send("/api/cameras", "application/x-www-form-urlencoded")]);
    </script><form method="post" action="${home.url}/api/cameras" enctype="text/plain"><input name='{"name":"Intruder","x":"' value='"}'></form>`;
    const { page } = await visit(home.browser, otherSite, screens.desktop);
    await page.goto(otherSite);
    const [events, seen, unseen] = (await page.evaluate("globalThis.result")) as string[];
    expect([events, seen, unseen]).toEqual(["refused", "refused", "refused"]);
    await page.evaluate("document.forms[0].submit()");
    await page.waitForURL(`${home.url}/**`);
    const { cameras } = (await home.ask("GET", "/api/cameras")) as { readonly cameras: readonly { readonly name: string }[] };
    expect(cameras.map(({ name }) => name).filter((name) => name.includes("Intruder"))).toEqual([]);
  });

  it("hostile pages: a name that an attacker leads to this machine reads nothing", async () => {
    const { page } = await home.visit();
    const rebound = home.url.replace("127.0.0.1", "rebound.example");
    for (const path of ["/", "/api/events", "/api/detections/1/thumbnail", "/openapi.json"]) {
      const response = await page.goto(rebound + path);
      expect(response?.status(), path).toBe(403);
      expect(await response?.text()).toContain("ALLOWED_HOSTS");
    }
  });
});
