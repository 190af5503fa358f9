import type { z } from "zod";
import { Problem } from "../../../src/contract/problem.ts";
import type { PhoneChannel } from "../../../src/contract/routes/channels.ts";
import { webPushRoutes } from "../../../src/contract/routes/web-push.ts";
import { call } from "../../api/client.ts";
import { registerWorker } from "../../parts/install.ts";

type Channel = z.output<typeof PhoneChannel>;

/** Why this browser cannot receive alerts. */
export type Obstacle = "insecure" | "homeScreen" | "unsupported" | "denied" | "certificate" | "service";

/** An obstacle that shows only when the browser tries. */
export class ObstacleError extends Error {
  readonly obstacle: Obstacle;

  constructor(obstacle: Obstacle, cause?: unknown) {
    super(obstacle, { cause });
    this.obstacle = obstacle;
  }
}

/** Returns what keeps this browser from receiving alerts; undefined if nothing is known to. */
export function obstacleHere(): Obstacle | undefined {
  if (!globalThis.isSecureContext) return "insecure";
  const canPush = "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;
  // An iPad says that it is a Mac
  const isApple = /iPhone|iPad|iPod/.test(navigator.userAgent) || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
  if (!canPush) return isApple ? "homeScreen" : "unsupported";
  return Notification.permission === "denied" ? "denied" : undefined;
}

/** The last subscription of this browser, whose channel the next one keeps. */
const keptName = "homesec-device";

/** Returns the channel of this browser; undefined if it gets no alerts. */
export async function ownChannel(): Promise<Channel | undefined> {
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  if (!subscription) return undefined;
  try {
    const channel = await call(webPushRoutes.getDevice, { params: { subscription: await nameOf(subscription) } });
    return channel.enabled ? channel : undefined;
  } catch (error) {
    if (error instanceof Problem && error.kind === "not_found") return undefined;
    throw error;
  }
}

/** Subscribes this browser. Throws `ObstacleError` for what the browser refuses. */
export async function notifyHere(): Promise<Channel> {
  // First of all: Safari asks only right after the press of a button
  if ((await Notification.requestPermission()) !== "granted") throw new ObstacleError("denied");
  const registration = await active();
  const { public_key } = await call(webPushRoutes.getPushKey, {});
  const subscription = await subscribed(registration, public_key);
  const { endpoint = "", keys = {} } = subscription.toJSON();
  const replaces = localStorage.getItem(keptName) ?? undefined;
  const body = { endpoint, keys: { p256dh: keys["p256dh"] ?? "", auth: keys["auth"] ?? "" }, device: deviceName(navigator.userAgent) };
  const channel = await call(webPushRoutes.subscribeDevice, { body: { ...body, ...(replaces !== undefined && { replaces }) } });
  localStorage.setItem(keptName, await nameOf(subscription));
  return channel;
}

/** Removes the channel of this browser, and then its subscription. */
export async function notifyHereNoMore(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  if (!subscription) return;
  await call(webPushRoutes.unsubscribeDevice, { params: { subscription: await nameOf(subscription) } });
  await subscription.unsubscribe();
  localStorage.removeItem(keptName);
}

async function active(): Promise<ServiceWorkerRegistration> {
  try {
    await registerWorker();
  } catch (error) {
    throw new ObstacleError("certificate", error);
  }
  return await navigator.serviceWorker.ready;
}

/** A subscription that was made with another key of homesec receives nothing any more. */
async function subscribed(registration: ServiceWorkerRegistration, key: string): Promise<PushSubscription> {
  const known = await registration.pushManager.getSubscription();
  if (known && base64url(known.options.applicationServerKey) === key) return known;
  await known?.unsubscribe();
  try {
    return await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  } catch (error) {
    throw new ObstacleError(Notification.permission === "denied" ? "denied" : "service", error);
  }
}

function base64url(bytes: ArrayBuffer | null): string {
  const text = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0)));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The name of a subscription at homesec, which does not give away its address. */
async function nameOf({ endpoint }: PushSubscription): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint)));
  return [...hash.slice(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const browsers = [
  [/Edg(?:e|A|iOS)?\//, "Edge"],
  [/OPR\/|Opera/, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrome\/|CriOS\/|Chromium\//, "Chrome"],
  [/Safari\//, "Safari"],
] as const;
const systems = [
  [/iPhone|iPod/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/CrOS/, "ChromeOS"],
  [/Macintosh|Mac OS/, "Mac"],
  [/Linux/, "Linux"],
] as const;

/** Names a device by its browser and system, such as `Chrome on Android`. */
export function deviceName(userAgent: string): string {
  const of = (names: readonly (readonly [RegExp, string])[]): string | undefined => names.find(([sign]) => sign.test(userAgent))?.[1];
  return [of(browsers) ?? "Browser", of(systems)].filter(Boolean).join(" on ");
}
