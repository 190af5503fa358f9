import { WebSocket } from "ws";

/** A client that records the sequence of each message and resumes after the last one when it is disconnected. */
export interface Follower {
  readonly sequences: readonly number[];
  /** Reported gaps. */
  readonly gaps: number;
  readonly connections: number;
  close(): void;
}

/** Follows the journal from its beginning at any address that answers. */
export function follow(urls: () => readonly string[]): Follower {
  const sequences: number[] = [];
  let gaps = 0;
  let connections = 0;
  let closed = false;
  let attempt = 0;
  let socket: WebSocket | undefined;

  const connect = (): void => {
    if (closed) return;
    const all = urls();
    const url = all[attempt++ % all.length] ?? "";
    const own = new WebSocket(`${url.replace(/^http/, "ws")}/ws/events?since=${sequences.at(-1) ?? 0}`);
    socket = own;
    own.on("open", () => {
      connections += 1;
    });
    own.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { readonly type: string; readonly sequence?: number };
      if (message.type === "gap") gaps += 1;
      if (message.sequence !== undefined) sequences.push(message.sequence);
    });
    own.on("error", () => {});
    own.on("close", () => setTimeout(connect, 50));
  };
  connect();
  return {
    sequences,
    get gaps() {
      return gaps;
    },
    get connections() {
      return connections;
    },
    close: () => {
      closed = true;
      socket?.terminate();
    },
  };
}

/** The numbers from 1 to the newest. */
export const upTo = (newest: number): readonly number[] => Array.from({ length: newest }, (_, index) => index + 1);
