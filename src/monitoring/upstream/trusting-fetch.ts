import { Agent } from "undici";

/** A `fetch` that trusts these certificates (PEM) instead of those of the system. */
export function fetchTrusting(certificates: string): typeof fetch {
  const dispatcher = new Agent({ connect: { ca: certificates } });
  // Node's own undici takes the dispatcher of ours, but its types do not know that
  return (input, init) => fetch(input, { ...init, dispatcher } as unknown as RequestInit);
}
