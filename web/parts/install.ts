/** What browsers offer beyond the library's types: a page that forbids scripts from text must vouch for the address of a script. */
interface TrustedTypes {
  createPolicy(name: string, rules: { readonly createScriptURL: (url: string) => string }): { createScriptURL(url: string): string };
}

/** Time after which the first page has loaded. */
const calmMs = 3_000;

/**
 * Keeps the files of the page on the device, so that it opens without a connection, and can be installed on a phone. Browsers allow this for
 * https and for this machine only; elsewhere nothing happens.
 */
export function keepPageOnDevice(): void {
  if (!("serviceWorker" in navigator)) return;
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy("service-worker", { createScriptURL: (url) => url });
  const address = "/service-worker.js";
  // It fetches all files of the page, which must not delay what the reader waits for. A browser that refuses it, such as a private window,
  // shows the page without.
  setTimeout(() => navigator.serviceWorker.register(policy ? policy.createScriptURL(address) : address).catch(() => undefined), calmMs);
}
