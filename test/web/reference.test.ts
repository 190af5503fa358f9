import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Route } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes/index.ts";
import { accessibilityFindings, chromiumInstalled, endOfTransitions, screens, visit } from "../support/browser.ts";
import { useWebHome } from "./home.ts";

// a browser needs processor time that other tests take at the same moment
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const key = "a-key-for-the-reference";

describe.skipIf(!chromiumInstalled)("reference of the API (needs chromium)", () => {
  const home = useWebHome(() => ({ API_KEY_ENABLED: "true", API_KEYS: key }));

  it("reference: asks for a key, shows every route with its examples, and tries one; no accessibility finding on desktop and phone, nothing is blocked or loaded from elsewhere", async () => {
    const { page, complaints } = await home.visit({ ...screens.desktop, colorScheme: "dark" });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto("/docs");
    await page.getByLabel("API key").fill("a wrong key");
    await page.keyboard.press("Enter");
    await page.getByText("Invalid API key").waitFor();
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    await open(page, "events", "GET /api/events/{event_id}");
    const shown = page.locator("#operations-tag-events ~ * .opblock-summary-path");
    const paths = Object.values<Route>(routes).flatMap(({ tag, path }) => (tag === "events" ? [path] : []));
    expect((await shown.allTextContents()).map((path) => path.replaceAll("\u200b", "")).toSorted()).toEqual(paths.toSorted());
    await page.getByText("1 person at Front door, for 40 s.").first().waitFor();
    await page.getByRole("button", { name: "Try it out" }).click();
    await page.getByRole("textbox", { name: "event_id" }).fill("1");
    await page.getByRole("button", { name: "Execute" }).click();
    await page.locator(".live-responses-table").getByText("A person tries the door handle.").waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    // the same page on a phone, because it takes seconds to build
    await page.setViewportSize(screens.phone.viewport);
    await page.emulateMedia({ colorScheme: "light" });
    await page.evaluate(endOfTransitions);
    expect(await accessibilityFindings(page)).toEqual([]);
    // the browser reports the answers 401 that asked for a key
    expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(`${home.url}/`) && !url.startsWith("data:"))).toEqual([]);
  });

  it("reference: works with the cookie of a session, behind a proxy with a path", async () => {
    const proxy = await proxyWithPath("/home", home.daemon.port);
    onTestFinished(() => void proxy.close());
    const { page, complaints } = await visit(home.browser, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, screens.desktop);
    const { token } = (await home.ask("POST", "/api/keys/invitations", { name: "anna", role: "guest", camera_ids: ["garden"] })) as {
      token: string;
    };
    const response = await page.request.post("/home/api/session", { data: { token } });
    expect(response.status()).toBe(201);
    await page.goto("/home/docs");
    await open(page, "keys", "GET /api/session");
    await page.getByRole("button", { name: "Try it out" }).click();
    const answer = page.waitForResponse((each) => each.url().endsWith("/home/api/session"));
    await page.getByRole("button", { name: "Execute" }).click();
    expect(await (await answer).json()).toMatchObject({ name: "anna", role: "guest" });
    expect(complaints).toEqual([]);
  });

  it("reference: browsers keep its files, and a client without gzip gets them unpacked", async () => {
    const get = async (path: string): Promise<Response> =>
      await fetch(`${home.url}${path}`, { headers: { "Accept-Encoding": "identity" } });
    const page = await get("/docs");
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'; style-src 'self';");
    expect(page.headers.get("content-encoding")).toBeNull();
    const [, script = ""] = /src="\.(\/docs\/[^"]+\.js)"/.exec(await page.text()) ?? [];
    const file = await get(script);
    expect(file.headers.get("cache-control")).toContain("immutable");
    expect((await file.text()).length).toBeGreaterThan(1_000_000);
    for (const other of ["/docs/", "/docs/nothing.js", "/docs/..%2findex.html"])
      expect([other, (await get(other)).status]).toEqual([other, 401]);
  });
});

/** Opens a group of routes, and a route in it. */
async function open(page: Page, group: string, route: string): Promise<void> {
  await page.locator(`#operations-tag-${group}`).click();
  await page
    .getByRole("button", { name: `${route} ` })
    .first()
    .click();
}

/** A proxy that serves homesec below a path, as the ones of home automation do. */
async function proxyWithPath(prefix: string, port: number): Promise<Server> {
  const proxy = createServer((request, response) => {
    if (!request.url?.startsWith(`${prefix}/`)) return void response.writeHead(404).end();
    const { method, headers } = request;
    const onwards = httpRequest({ host: "127.0.0.1", port, path: request.url.slice(prefix.length), method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onwards);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return proxy;
}
