import { Agent } from "undici";

/** Returns a `fetch` that trusts these certificates (PEM) instead of the system's. */
export function fetchTrusting(certificates: string): typeof fetch {
  const dispatcher = new Agent({ connect: { ca: certificates } });
  // Node's built-in undici accepts a dispatcher of the installed one, but its types do not say so.
  return (input, init) => fetch(input, { ...init, dispatcher } as unknown as RequestInit);
}
