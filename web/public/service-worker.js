// Keeps the files of the page on the device, so that it opens without homesec too and says that it has no connection. Replies and pictures of
// homesec are never kept. Shows the alerts that come by Web Push, and sends what their buttons answer.

const cacheName = "page";

/** Keeps exactly the files that the newest page needs. */
async function refresh() {
  const response = await fetch("/files.json", { cache: "no-cache" });
  if (!response.ok) return;
  const wanted = new Set(["/", ...(await response.json())]);
  const cache = await caches.open(cacheName);
  const kept = new Set((await cache.keys()).map(({ url }) => new URL(url).pathname));
  await cache.addAll([...wanted].filter((path) => path === "/" || !kept.has(path)));
  for (const path of kept) if (!wanted.has(path)) await cache.delete(path);
}

async function pageFor(event) {
  try {
    const response = await fetch(event.request);
    event.waitUntil(refresh().catch(() => undefined));
    return response;
  } catch (error) {
    const kept = await caches.match("/");
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("install", (event) => event.waitUntil(refresh().then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin || request.method !== "GET") return;
  if (request.mode === "navigate") event.respondWith(pageFor(event));
  else if (/^\/(?:assets\/|before\.js$|icon|manifest)/.test(pathname)) {
    event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
  }
});

/** Reads a message. A browser takes the permission back if a message shows nothing, so that one that cannot be read shows something too. */
function messageOf(data) {
  try {
    const message = data.json();
    if (typeof message.title === "string") return message;
  } catch {
    // said below
  }
  return { title: "homesec", text: "", tag: "homesec" };
}

/** Shows a message in the place of an earlier one about the same event. */
async function show({ title, text, tag, isQuiet, isUrgent, page, picture, buttons = [] }) {
  await self.registration.showNotification(title, {
    body: text,
    tag,
    icon: "/icon-192.png",
    ...(picture && { image: picture }),
    silent: Boolean(isQuiet),
    renotify: !isQuiet,
    requireInteraction: Boolean(isUrgent),
    actions: buttons.map(({ label }, at) => ({ action: String(at), title: label })),
    data: { title, text, tag, page, picture, buttons },
  });
}

/** Sends the answer of a button. Its token is signed: it needs no key, and works once. */
async function answer({ token }) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch("/api/answers", { method: "POST", headers, body: JSON.stringify({ token }) });
  const { text, detail } = await response.json();
  return text ?? (typeof detail === "string" ? detail : (detail?.message ?? `homesec: ${response.status}`));
}

/** What a person reads when homesec cannot be reached: the buttons stay. */
const unsent = navigator.language.startsWith("de")
  ? "Nicht gesendet: homesec ist von hier nicht erreichbar. Später noch einmal antippen."
  : "Not sent: homesec cannot be reached from here. Tap the button again later.";

async function press(message, button) {
  try {
    await show({ ...message, text: await answer(button), buttons: [], isQuiet: true });
  } catch {
    await show({ ...message, text: unsent, isQuiet: true });
  }
}

/** Opens the page of an event, in the window of the page if one is open. */
async function open(page = "/") {
  const [known] = await self.clients.matchAll({ type: "window" });
  const shown = await known?.navigate(page).catch(() => null);
  await (shown ? shown.focus() : self.clients.openWindow(page));
}

/** A browser renewed its subscription by itself: the channel moves with it. Without a session the page does it at the next visit. */
async function renew({ oldSubscription }) {
  const { public_key: applicationServerKey } = await (await fetch("/api/push/key")).json();
  const fresh = await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { endpoint, keys } = fresh.toJSON();
  const name = async (text) => {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    return [...hash.slice(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  };
  const body = { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth }, device: "Browser" };
  const replaces = oldSubscription && (await name(oldSubscription.endpoint));
  const headers = { "Content-Type": "application/json" };
  await fetch("/api/push/devices", { method: "POST", headers, body: JSON.stringify({ ...body, ...(replaces && { replaces }) }) });
}

self.addEventListener("push", (event) => event.waitUntil(show(messageOf(event.data))));
self.addEventListener("notificationclick", (event) => {
  const { notification, action } = event;
  const button = notification.data?.buttons[Number(action || Number.NaN)];
  notification.close();
  event.waitUntil(button ? press(notification.data, button) : open(notification.data?.page));
});
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event).catch(() => undefined)));
