import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import type { JournalMessage } from "../../src/contract/live.ts";
import { Problem } from "../../src/contract/problem.ts";
import { liveAddress } from "../../src/contract/tail/address.ts";
import { followMessages, type TailState } from "../../src/contract/tail/follow.ts";
import { applyMessage } from "./apply.ts";
import { Socket } from "./socket.ts";

/** Whether the page hears from the daemon. `since`: the time from which it has not. */
export type LiveState = { readonly kind: "starting" } | { readonly kind: "live" } | { readonly kind: "lost"; readonly since: Date };

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

/** Follows the live messages and keeps the cached replies equal to the database. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const cache = useQueryClient();
  const [state, setState] = useState<LiveState>({ kind: "starting" });
  useEffect(() => {
    const stop = new AbortController();
    let heardAt = new Date();
    let isFirst = true;
    let socket: Socket | undefined;
    const onState = (next: TailState): void => {
      if (next.kind === "connected") {
        setState({ kind: "live" });
        // what was asked for before this connection may lack what happened in between
        if (isFirst) void cache.invalidateQueries();
        isFirst = false;
      }
      if (next.kind === "interrupted") setState((before) => (before.kind === "lost" ? before : { kind: "lost", since: heardAt }));
    };
    const open = (since: number | undefined): Socket => {
      const { url, protocols } = liveAddress({ url: location.origin }, since);
      socket = new Socket(url, protocols);
      return socket;
    };
    const follow = async (): Promise<void> => {
      const problemOf = ({ reason }: { readonly reason: string }) => new Problem("unreachable", reason);
      for await (const message of followMessages({ open, problemOf, signal: stop.signal, onState })) {
        heardAt = new Date();
        if (message.type === "gap") void cache.invalidateQueries();
        else {
          applyMessage(cache, message);
          for (const listen of listeners) listen(message);
        }
      }
    };
    const wake = (): void => {
      if (document.visibilityState === "visible") socket?.check();
    };
    document.addEventListener("visibilitychange", wake);
    addEventListener("online", wake);
    follow().catch(() => setState({ kind: "lost", since: heardAt }));
    return () => {
      stop.abort();
      document.removeEventListener("visibilitychange", wake);
      removeEventListener("online", wake);
    };
  }, [cache]);
  return <State value={state}>{children}</State>;
}
