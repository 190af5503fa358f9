import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { pause } from "../../src/base/lifecycle/pause.ts";
import type { JournalMessage } from "../../src/contract/live.ts";
import { afterFirstReplies } from "../api/first-replies.ts";

/** Whether the page hears from the daemon. `since`: the time from which it has not. */
export type LiveState = { readonly kind: "starting" } | { readonly kind: "live" } | { readonly kind: "lost"; readonly since: Date };

const retryMs = 3_000;
const drawMs = 50;

const State = createContext<LiveState>({ kind: "starting" });

/** Returns whether the page hears from the daemon. */
export function useLiveState(): LiveState {
  return useContext(State);
}

const listeners = new Set<(message: JournalMessage) => void>();

/** Calls a function with each message while the component is on the page. */
export function useMessages(listen: (message: JournalMessage) => void): void {
  useEffect(() => {
    listeners.add(listen);
    return () => void listeners.delete(listen);
  }, [listen]);
}

/** Follows the live messages. What follows them comes in a file of its own, after what the page shows first. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const cache = useQueryClient();
  const [state, setState] = useState<LiveState>({ kind: "starting" });
  useEffect(() => {
    const stop = new AbortController();
    const heard = (message: JournalMessage): void => {
      for (const listen of listeners) listen(message);
    };
    const start = async (): Promise<void> => {
      await new Promise<void>((resolve) => {
        const end = afterFirstReplies(cache, resolve);
        stop.signal.addEventListener("abort", end);
      });
      // the browser draws the page first
      await pause(drawMs, stop.signal);
      const { follow } = await whenLoaded(stop.signal);
      await follow({ cache, signal: stop.signal, onState: setState, onMessage: heard });
    };
    const startedAt = new Date();
    start().catch(() => setState({ kind: "lost", since: startedAt }));
    return () => stop.abort();
  }, [cache]);
  return <State value={state}>{children}</State>;
}

/** Loads what follows the messages, again and again while homesec does not answer. */
async function whenLoaded(signal: AbortSignal): Promise<typeof import("./follow.ts")> {
  for (;;) {
    try {
      return await import("./follow.ts");
    } catch (error) {
      await pause(retryMs, signal);
      if (signal.aborted) throw error;
    }
  }
}
