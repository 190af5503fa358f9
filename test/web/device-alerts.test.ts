import { randomUUID } from "node:crypto";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makeVapidKeys } from "../../src/alerting/channels/push-encryption.ts";
import { answerActions, answerableForMs, writeToken } from "../../src/alerting/notifications/answer-token.ts";
import { accessibilityFindings, chromiumInstalled, launchBrowser, screens, visit, wholeChromium } from "../support/browser.ts";
import { useWebHome } from "./home.ts";

// a browser needs processor time that other tests take at the same moment
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const iPhone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";

/** Chromium without a window asks no one, and has no push service. */
const permitted = `
  Object.defineProperty(Notification, "permission", { value: "default" });
  Notification.requestPermission = async () => "granted";`;

/** Stands in for the push service of the browser, which Chromium without a window lacks. */
const withPushService = (endpoint: string, publicKey: string): string => `
  let made = null;
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0)).buffer;
  PushManager.prototype.getSubscription = async () => made;
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => (made = {
    endpoint: "${endpoint}",
    options: { applicationServerKey: bytes(applicationServerKey) },
    toJSON: () => ({ endpoint: "${endpoint}", keys: { p256dh: "${publicKey}", auth: "BTBZMqHH6r4Tts7J_aSIgg" } }),
    unsubscribe: async () => { made = null; return true; },
  });`;

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly silent: boolean;
  readonly image: string;
  readonly actions: readonly { readonly title: string }[];
}

describe.skipIf(!chromiumInstalled)("web page: alerts on this device (needs chromium)", () => {
  const home = useWebHome();
  const channelsPage = async (script: string, options: BrowserContextOptions = screens.phone) => {
    const { page, complaints } = await home.visit(options);
    await page.addInitScript(script);
    await page.goto("/settings/channels");
    return { page, complaints };
  };
  const toggle = (page: Page, name = "Notify this device") => page.getByRole("switch", { name, exact: true });

  it("web page: each reason why a device cannot get alerts has its words, in the language of the reader", async () => {
    const insecure = "Object.defineProperty(globalThis, 'isSecureContext', { value: false })";
    const reasons = [
      [insecure, "en-GB", {}, "Browsers allow this only on pages with https."],
      [insecure, "de-DE", {}, "Browser erlauben das nur auf Seiten mit https."],
      ["delete globalThis.PushManager", "en-GB", { userAgent: iPhone }, "tap Share, then Add to Home Screen"],
      ["delete globalThis.PushManager", "en-GB", {}, "This browser cannot receive notifications."],
      ["Object.defineProperty(Notification, 'permission', { value: 'denied' })", "en-GB", {}, "Notifications are blocked for this page."],
    ] as const;
    for (const [script, locale, more, words] of reasons) {
      const { page } = await channelsPage(script, { ...screens.phone, ...more, locale });
      await page.getByText(words).waitFor();
      expect(await toggle(page, locale === "de-DE" ? "Dieses Gerät benachrichtigen" : undefined).isDisabled()).toBe(true);
      await page.context().close();
    }
    const { page } = await channelsPage(`${permitted}
      PushManager.prototype.subscribe = async () => { throw new DOMException("push service not available", "AbortError"); };`);
    await toggle(page).click();
    await page.getByText("The push service of the browser does not answer.").waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it("web page: a device is switched on, named by its browser in the list, and switched off", async () => {
    const { page, complaints } = await channelsPage(`${permitted}${withPushService("https://1.1.1.1/device", makeVapidKeys().publicKey)}`);
    await toggle(page).click();
    await page.getByText(/This device gets alerts as Chrome on Linux/).waitFor();
    await page.getByText("https://1.1.1.1", { exact: true }).waitFor();
    await expect.poll(() => toggle(page).getAttribute("aria-checked")).toBe("true");
    await toggle(page).click();
    await page.getByText("This device gets no more alerts").waitFor();
    expect(await home.ask("GET", "/api/channels")).toEqual({ channels: [] });
    expect(complaints).toEqual([]);
  });

  it.skipIf(wholeChromium === undefined)(
    "web page: a message appears with picture and buttons, a button acknowledges the alert once, and the click opens the event",
    async () => {
      const browser = await launchBrowser([], wholeChromium);
      onTestFinished(() => browser.close());
      const { page } = await visit(browser, home.url, screens.desktop);
      await page.context().grantPermissions(["notifications"], { origin: home.url });
      const devTools = await page.context().newCDPSession(page);
      const registration = new Promise<string>((resolve) => {
        devTools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
          const own = registrations.find(({ scopeURL, isDeleted }) => scopeURL === `${home.url}/` && !isDeleted);
          if (own) resolve(own.registrationId);
        });
      });
      await devTools.send("ServiceWorker.enable");
      await page.goto("/");
      await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
      const registrationId = await registration;
      const push = (data: string) => devTools.send("ServiceWorker.deliverPushMessage", { origin: home.url, registrationId, data });
      const notifications = async (): Promise<readonly Shown[]> =>
        await page.evaluate<Shown[]>(`navigator.serviceWorker.ready.then((it) => it.getNotifications()).then((all) =>
        all.map(({ title, body, tag, silent, image, actions }) => ({ title, body, tag, silent, image, actions })))`);
      const [worker] = page.context().serviceWorkers();
      if (!worker) throw new Error("the service worker does not run");
      /** Presses a button of the shown notification, or the notification itself. */
      const press = (action: string) =>
        worker.evaluate(`self.registration.getNotifications().then(([notification]) =>
        void self.dispatchEvent(new NotificationEvent("notificationclick", { notification, action: ${JSON.stringify(action)} })))`);

      const { token, alertId } = await alertWithToken();
      const message = {
        ...{ title: "Person at Front door", text: "A person tries the door handle.", tag: "event-1", isQuiet: false, isUrgent: false },
        ...{ page: "/events/1", picture: "/api/detections/1/image", buttons: [{ label: "Acknowledge", token }] },
      };
      // The developer tools deliver nothing to a worker that just starts; with the same tag, a second one changes nothing
      const pushed = () => push(JSON.stringify(message)).then(notifications);
      await expect
        .poll(pushed, { interval: 500 })
        .toMatchObject([{ title: "Person at Front door", silent: false, actions: [{ title: "Acknowledge" }] }]);
      expect((await notifications())[0]?.image).toBe(`${home.url}/api/detections/1/image`);
      await push(JSON.stringify({ ...message, title: "Update: Person at Front door", isQuiet: true }));
      await expect.poll(notifications).toMatchObject([{ title: "Update: Person at Front door", silent: true }]);

      await press("0");
      await expect.poll(notifications).toMatchObject([{ body: "Acknowledged", silent: true, actions: [] }]);
      expect(await home.ask("GET", `/api/alerts/${alertId}`)).toMatchObject({
        status: "acknowledged",
        alert_metadata: { closed_by: "Chrome on Android" },
      });
      await push(JSON.stringify(message));
      await expect.poll(notifications).toMatchObject([{ actions: [{}] }]);
      await press("0");
      await expect.poll(notifications).toMatchObject([{ body: expect.stringMatching(/^Already acknowledged by Chrome on Android at/) }]);

      await press("");
      await expect.poll(() => new URL(page.url()).pathname).toBe("/events/1");
      await push("not JSON");
      await expect.poll(notifications).toMatchObject([{ title: "homesec" }]);
    },
  );

  it("web page: a token that is forged, late or of a deleted alert is refused", async () => {
    const { token } = await alertWithToken();
    const answer = (text: string) =>
      fetch(`${home.url}/api/answers`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ token: text }),
      });
    const forged = `${token.startsWith("A") ? "B" : "A"}${token.slice(1)}`;
    const refusals = [
      [forged, 403, "homesec did not write this button"],
      ["x", 403, "homesec did not write this button"],
      [tokenOf(randomUUID(), -1), 410, "This button worked for 24 hours. Open homesec instead"],
      [tokenOf(randomUUID()), 410, "homesec deleted this alert"],
    ] as const;
    for (const [text, status, detail] of refusals) {
      const response = await answer(text);
      expect([response.status, await response.json()]).toEqual([status, { detail }]);
    }
    expect(await (await answer(token)).json()).toMatchObject({ outcome: expect.stringMatching(/^(done|repeated)$/) });
    const metrics = await (await fetch(`${home.url}/metrics`)).text();
    expect(metrics).toMatch(/outcome="forged"\} 2/);
  });

  const tokenOf = (notificationId: string, forMs = answerableForMs): string => {
    const { sealer } = home.daemon.context;
    return writeToken({ action: answerActions[0], notificationId, expiresAt: new Date(Date.now() + forMs) }, sealer);
  };

  /** The button of a message about the first alert, which a device got. */
  async function alertWithToken() {
    const { items } = (await home.ask("GET", "/api/alerts")) as { readonly items: readonly { readonly id: string }[] };
    const alertId = items.at(-1)?.id ?? "";
    const id = randomUUID();
    const channelId = randomUUID();
    await home.daemon.context.db.query(
      (sql) => sql`
        insert into notifications (notification_id, alert_id, channel, channel_id, kind, status, created_at, expires_at, attempt_count, finished_at)
        values (${id}, ${alertId}, 'Chrome on Android', ${channelId}, 'alert', 'sent', now(), now() + interval '1 day', 1, now())
      `,
    );
    onTestFinished(async () => {
      await home.daemon.context.db.query((sql) => sql`delete from notifications n where n.notification_id = ${id}`);
    });
    return { token: tokenOf(id), alertId };
  }
});
