import type { Page } from "playwright-core";
import type { PushedMessage, pushService } from "../support/phones/push-service.ts";

/** Lets the browser subscribe at the stand-in: Chromium without a window asks no one, and reaches no push service. */
const withStandIn = `
  Object.defineProperty(Notification, "permission", { value: "default" });
  Notification.requestPermission = async () => "granted";
  let made = null;
  PushManager.prototype.getSubscription = async () => made;
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0)).buffer;
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    const { endpoint, keys } = await subscribeAtStandIn(applicationServerKey);
    const options = { applicationServerKey: bytes(applicationServerKey) };
    return (made = { endpoint, options, toJSON: () => ({ endpoint, keys }), unsubscribe: async () => { made = null; return true; } });
  };`;

interface Shown {
  readonly title: string;
  readonly image: string;
}

/** A device that gets notifications of the page: a real Chromium, with a stand-in for its push service. */
export async function openDevice(page: Page, url: string, service: Awaited<ReturnType<typeof pushService>>) {
  await page.exposeFunction("subscribeAtStandIn", (key: string) => service.subscribe(key));
  await page.addInitScript(withStandIn);
  await page.context().grantPermissions(["notifications"], { origin: url });
  const devTools = await page.context().newCDPSession(page);
  const registration = new Promise<string>((resolve) => {
    devTools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL, isDeleted }) => scopeURL === `${url}/` && !isDeleted);
      if (own) resolve(own.registrationId);
    });
  });
  await devTools.send("ServiceWorker.enable");
  const shown = async (): Promise<readonly Shown[]> =>
    await page.evaluate<Shown[]>(
      "navigator.serviceWorker.ready.then((it) => it.getNotifications()).then((all) => all.map(({ title, image }) => ({ title, image })))",
    );
  return {
    /** Passes a message on to the service worker, as the browser does, and returns what it shows. */
    deliver: async (message: PushedMessage): Promise<readonly Shown[]> => {
      const registrationId = await registration;
      await devTools.send("ServiceWorker.deliverPushMessage", { origin: url, registrationId, data: JSON.stringify(message) });
      return await shown();
    },
  };
}
