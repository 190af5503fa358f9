import { copyFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { accessibilityFindings, chromiumInstalled, sharedBrowser, visit } from "../support/browser.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";

// a browser needs processor time that other tests take at the same moment
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const picture = join(import.meta.dirname, "../../demo/pictures/walkway-0060.jpg");

describe.skipIf(!chromiumInstalled)("web page: welcome (needs chromium)", () => {
  let daemon: TestDaemon;
  let browser: Browser;
  let target: Server;
  beforeAll(async () => {
    target = createServer((_request, response) => response.end("ok"));
    await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
    daemon = await testDaemon({ env: { DEFAULT_WEBHOOK_URL: `http://127.0.0.1:${(target.address() as AddressInfo).port}/` } });
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    await daemon?.stop();
    target?.close();
  });

  it("web page: without a camera the start page leads to the first steps, which can be left at once", async () => {
    const { page } = await visit(browser, `http://127.0.0.1:${daemon.port}`);
    await page.goto("/");
    await page.getByRole("heading", { level: 1, name: "Welcome" }).waitFor();
    await page.getByRole("button", { name: "Skip for now" }).click();
    await page.getByText("No cameras yet").waitFor();
    await page.reload();
    await page.getByText("No cameras yet").waitFor();
  });

  it("web page: the first steps stay within the rate limit while they wait for a picture", async () => {
    const { page } = await visit(browser, `http://127.0.0.1:${daemon.port}`);
    const asked: string[] = [];
    page.on("request", (request) => {
      if (/\/api\//.test(request.url())) asked.push(new URL(request.url()).pathname);
    });
    await page.clock.install();
    await page.goto("/welcome");
    await page.getByLabel("Name").fill("Shed");
    await page.getByRole("button", { name: "Add the camera" }).click();
    await page.getByText("First camera done").waitFor();
    await page.getByRole("button", { name: "FTP" }).waitFor();
    const before = asked.length;
    // 15 s by the clock of the page, with time for the answers in each
    for (let second = 0; second < 15; second += 1) {
      await page.clock.runFor(1_000);
      await page.waitForTimeout(100);
    }
    expect(asked.length - before, asked.slice(before).join(" ")).toBeLessThanOrEqual(15);
    await fetch(`http://127.0.0.1:${daemon.port}/api/cameras/shed`, { method: "DELETE" });
  });

  it("web page: the first steps lead from a camera to a message, and each turns green when it is done", async () => {
    const { page, complaints } = await visit(browser, `http://127.0.0.1:${daemon.port}`);
    await page.goto("/");
    await page.getByLabel("Name").fill("Front door");
    await page.getByRole("button", { name: "Add the camera" }).click();
    await page.getByText("First camera done").waitFor();
    const folder = (await page.locator("pre").first().textContent()) ?? "";
    expect(await accessibilityFindings(page)).toEqual([]);
    await copyFile(picture, join(folder.trim(), "first.jpg"));
    await page.getByText("First picture done").waitFor();
    await page.getByText("First picture done").click();
    await page.getByText("The first picture of Front door has arrived.").waitFor();
    await page.getByRole("button", { name: /^People at night/ }).click();
    await page.getByText("First rule done").waitFor();
    await page.getByRole("switch", { name: "Notify this device" }).waitFor();
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByText("First message done").waitFor();
    await page.getByText(/^Everything is set up/).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "To the start page" }).click();
    await page.getByRole("heading", { name: "Open alerts" }).waitFor();
    expect(complaints).toEqual([]);
  });
});
