import { createHook } from "node:async_hooks";

/** Records every TCP connection that this process begins. */
export interface Connects {
  /** Addresses in the order of the attempts. */
  addresses(): readonly string[];
  stop(): void;
}

/** Starts recording. */
export function recordConnects(): Connects {
  const begun: { readonly address?: string }[] = [];
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      // Node.js sets the address just after this event
      if (type === "TCPCONNECTWRAP") begun.push(resource as { address?: string });
    },
  }).enable();
  return { addresses: () => begun.map(({ address }) => address ?? "?"), stop: () => void hook.disable() };
}
