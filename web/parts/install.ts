/** What browsers offer beyond the library's types: a page that forbids scripts from text must vouch for the address of a script. */
interface TrustedTypes {
  createPolicy(name: string, rules: { readonly createScriptURL: (url: string) => string }): { createScriptURL(url: string): string };
}

const address = "/service-worker.js";

/**
 * Registers the worker of the page. Rejects in a browser that refuses it, such as a private window, and in one that does not trust the
 * certificate of homesec.
 */
export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy("service-worker", { createScriptURL: (url) => url });
  return await navigator.serviceWorker.register(policy ? policy.createScriptURL(address) : address);
}

/** Time after which the first page has loaded. */
const calmMs = 3_000;

/**
 * Keeps the files of the page on the device, so that it opens without a connection, and can be installed on a phone. Browsers allow this for
 * https and for this machine only; elsewhere nothing happens.
 */
export function keepPageOnDevice(): void {
  if (!("serviceWorker" in navigator)) return;
  // It fetches all files of the page, which must not delay what the reader waits for. A browser that refuses it shows the page without.
  setTimeout(() => registerWorker().catch(() => undefined), calmMs);
}
