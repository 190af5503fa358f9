import { once } from "node:events";
import { WebSocket } from "ws";

/** A message of the daemon, parsed as far as a measurement needs. */
export interface LiveMessage {
  readonly type: string;
  readonly data: { readonly file_path?: string };
}

/** One WebSocket client of the daemon. */
export interface LiveMessages {
  /** Texts since the last call. */
  takeTexts(): string[];
  /** Resolves with the monotonic time of the message that satisfies `enough`. Rejects after the timeout. */
  until(enough: (message: LiveMessage) => boolean, timeoutMs: number): Promise<number>;
  close(): Promise<void>;
}

/** Connects to the daemon. Close it at the end. */
export async function liveMessages(url: string): Promise<LiveMessages> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws/events`, { perMessageDeflate: false });
  let texts: string[] = [];
  let onMessage: ((message: LiveMessage) => void) | undefined;
  socket.on("message", (data) => {
    const text = data.toString();
    const message = JSON.parse(text) as LiveMessage;
    if (message.type !== "connected") texts.push(text);
    onMessage?.(message);
  });
  await once(socket, "message");
  return {
    takeTexts: () => {
      const taken = texts;
      texts = [];
      return taken;
    },
    until: (enough, timeoutMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`what was waited for did not come within ${timeoutMs} ms`)), timeoutMs);
        onMessage = (message) => {
          if (!enough(message)) return;
          onMessage = undefined;
          clearTimeout(timer);
          resolve(performance.now());
        };
      }),
    close: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
}
