import type { QueryClient } from "@tanstack/react-query";
import type { JournalMessage } from "../../src/contract/live.ts";
import { Problem } from "../../src/contract/problem.ts";
import { liveAddress } from "../../src/contract/tail/address.ts";
import { followMessages, type TailState } from "../../src/contract/tail/follow.ts";
import { applyMessage } from "./apply.ts";
import type { LiveState } from "./live.tsx";
import { Socket } from "./socket.ts";

interface FollowOptions {
  readonly cache: QueryClient;
  readonly signal: AbortSignal;
  readonly onState: (change: (before: LiveState) => LiveState) => void;
  readonly onMessage: (message: JournalMessage) => void;
}

/** Follows the live messages until the signal, and keeps the cached replies equal to the database. */
export async function follow({ cache, signal, onState, onMessage }: FollowOptions): Promise<void> {
  let heardAt = new Date();
  let isFirst = true;
  let socket: Socket | undefined;
  const lost = (before: LiveState): LiveState => (before.kind === "lost" ? before : { kind: "lost", since: heardAt });
  const onTail = (next: TailState): void => {
    if (next.kind === "connected") {
      onState(() => ({ kind: "live" }));
      // what was asked for before this connection may lack what happened in between
      if (isFirst) void cache.invalidateQueries();
      isFirst = false;
    }
    if (next.kind === "interrupted") onState(lost);
  };
  const open = (since: number | undefined): Socket => {
    const { url, protocols } = liveAddress({ url: location.origin }, since);
    socket = new Socket(url, protocols);
    return socket;
  };
  const wake = (): void => {
    if (document.visibilityState === "visible") socket?.check();
  };
  document.addEventListener("visibilitychange", wake, { signal });
  addEventListener("online", wake, { signal });
  const problemOf = ({ reason }: { readonly reason: string }) => new Problem("unreachable", reason);
  try {
    for await (const message of followMessages({ open, problemOf, signal, onState: onTail })) {
      heardAt = new Date();
      if (message.type === "gap") void cache.invalidateQueries();
      else {
        applyMessage(cache, message);
        onMessage(message);
      }
    }
  } catch {
    onState(lost);
  }
}
