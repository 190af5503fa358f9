// Keeps the files of the page on the device, so that it opens without homesec too and says that it has no connection. Replies and pictures of
// homesec are never kept.

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
