import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import { z } from "zod";
import type { Clock } from "../../src/base/clock/clock.ts";
import { ClientMessage, ControlMessage } from "../../src/contract/live.ts";
import { type Frame, textFrame } from "./frame.ts";
import { Subscription } from "./subscription.ts";

/** Maximum size of a message in bytes. A larger one gets an `error` reply. */
const messageLimit = 64 * 1024;
/** A message above this size is not read at all: the connection is closed with 1009, so that a client cannot fill our memory. */
export const hardMessageLimit = 1024 * 1024;
/** A client with more unsent bytes than this does not read, and is disconnected. */
const bufferLimit = 8 * 1024 * 1024;
const replayPart = 1024 * 1024;
const maxPatterns = 200;
/** Number of replies that may wait for the greeting, which waits for the database. A client that causes more is disconnected. */
const maxPendingReplies = 100;

type ControlType = ControlMessage["type"];
type ControlData<T extends ControlType> = Extract<ControlMessage, { type: T }>["data"];

export interface ClientOptions {
  readonly socket: WebSocket;
  /** The connection under the WebSocket. Without compression `ws` writes each frame to it at once, so frames made once for all clients go there directly. */
  readonly stream: Duplex;
  readonly clock: Clock;
  readonly idleTimeoutMs: number;
  /** Called before a client that does not read is disconnected. */
  readonly onCut: (bufferedBytes: number) => void;
  /** Counts messages handed to the connection. */
  readonly onSent: (messages: number) => void;
}

/** One connected client. It replies to the client's messages; the hub pushes journal frames once the client is live. */
export class Client {
  readonly subscription = new Subscription();
  readonly #options: ClientOptions;
  readonly #idle: NodeJS.Timeout;
  readonly #pending: Buffer[] = [];
  #greeted = false;
  #live = false;
  /** The last sequence that was sent to it or that its subscription excluded. */
  #position = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { socket } = options;
    this.#idle = setTimeout(() => socket.close(1000, "Idle timeout"), options.idleTimeoutMs);
    socket.on("message", (data, isBinary) => {
      this.#idle.refresh();
      this.#answer(data, isBinary);
    });
    socket.on("close", () => clearTimeout(this.#idle));
  }

  get open(): boolean {
    return this.#options.socket.readyState === this.#options.socket.OPEN;
  }

  get live(): boolean {
    return this.#live;
  }

  /** The client has received `connected`. Before that, no broadcast reaches it. */
  get greeted(): boolean {
    return this.#greeted;
  }

  /** Sends `connected`, then the replies to messages that arrived before it. */
  greet(data: ControlData<"connected">): void {
    this.#greeted = true;
    this.control("connected", data);
    for (const answer of this.#pending.splice(0)) this.#push(answer, 1);
  }

  /** Reports that history is gone, also before the greeting. */
  gap(from: number, to: number): void {
    this.#push(controlFrame("gap", { from, to }, this.#options.clock.now()), 1);
  }

  /** From now on the client receives the hub's frames after `position`. */
  goLive(position: number): void {
    this.#position = position;
    this.#live = true;
  }

  /** Sends a control message. */
  control<T extends ControlType>(type: T, data: ControlData<T>): void {
    const bytes = controlFrame(type, data, this.#options.clock.now());
    if (this.#greeted) this.#push(bytes, 1);
    else if (this.#pending.length < maxPendingReplies) this.#pending.push(bytes);
    else this.#disconnect();
  }

  /** Sends a control frame that was made for all clients. */
  broadcast(bytes: Buffer): void {
    this.#push(bytes, 1);
  }

  /** Sends the frames that this client does not have yet. `joined` holds the bytes of all `frames`, for a client that takes everything. */
  deliver(frames: readonly Frame[], joined: Buffer): void {
    const first = frames[0];
    const last = frames.at(-1);
    if (!first || !last || last.sequence <= this.#position) return;
    if (this.subscription.everything && first.sequence > this.#position) {
      this.#push(joined, frames.length);
    } else {
      const wanted = this.#wanted(frames);
      if (wanted.length > 0) this.#push(Buffer.concat(wanted.map((frame) => frame.bytes)), wanted.length);
    }
    this.#position = last.sequence;
  }

  /** Sends a page of history, each part after the connection has taken the previous one. Resolves to the number of messages. */
  async replay(frames: readonly Frame[]): Promise<number> {
    let part: Buffer[] = [];
    let bytes = 0;
    let sent = 0;
    const flush = async (): Promise<void> => {
      const joined = Buffer.concat(part, bytes);
      sent += part.length;
      this.#options.onSent(part.length);
      part = [];
      bytes = 0;
      // a connection error is followed by a close, which ends the replay
      await new Promise<void>((resolve) => {
        this.#options.stream.write(joined, () => resolve());
      });
    };
    for (const frame of this.#wanted(frames)) {
      if (!this.open) return sent;
      part.push(frame.bytes);
      bytes += frame.bytes.length;
      if (bytes >= replayPart) await flush();
    }
    if (part.length > 0 && this.open) await flush();
    return sent;
  }

  #wanted(frames: readonly Frame[]): readonly Frame[] {
    return frames.filter((frame) => frame.sequence > this.#position && this.subscription.wants(frame.type));
  }

  #push(bytes: Buffer, messages: number): void {
    if (!this.open) return;
    const { stream } = this.#options;
    // the bytes sent now do not count: one round of the journal may exceed the limit, and all clients share its memory
    if (stream.writableLength > bufferLimit) {
      this.#disconnect();
      return;
    }
    stream.write(bytes);
    this.#options.onSent(messages);
  }

  #disconnect(): void {
    this.#options.onCut(this.#options.stream.writableLength);
    this.#options.socket.terminate();
  }

  #answer(data: RawData, isBinary: boolean): void {
    const message = readMessage(data, isBinary);
    if ("problem" in message) {
      this.control("error", { message: message.problem });
      return;
    }
    switch (message.type) {
      case "ping":
        this.control("pong", this.#live ? { last_sequence: this.#position } : {});
        break;
      case "pong":
        break;
      case "subscribe":
      case "unsubscribe":
        this.#updateSubscription(message.type, message.data.types);
        break;
      default:
        message satisfies never;
    }
  }

  #updateSubscription(what: "subscribe" | "unsubscribe", patterns: readonly string[]): void {
    if (this.subscription.size + patterns.length > maxPatterns) {
      this.control("error", { message: `Too many patterns; the limit is ${maxPatterns}. Unsubscribe "*" to start over` });
      return;
    }
    this.subscription[what](patterns);
    this.control("subscribed", this.subscription.describe());
  }
}

/** The WebSocket frame of a control message. */
export function controlFrame<T extends ControlType>(type: T, data: ControlData<T>, now: Date): Buffer {
  return textFrame(JSON.stringify(z.encode(ControlMessage, { type, data, timestamp: now } as ControlMessage)));
}

function readMessage(data: RawData, isBinary: boolean): ClientMessage | { readonly problem: string } {
  if (isBinary) return { problem: "Binary messages are not supported; send JSON as text" };
  const bytes = data as Buffer;
  if (bytes.length > messageLimit) return { problem: `The message has ${bytes.length} bytes; the limit is ${messageLimit}` };
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString());
  } catch (error) {
    return { problem: `The message is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const parsed = ClientMessage.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return { problem: `The message is invalid at ${issue?.path.join(".") || "its top level"}: ${issue?.message ?? "unknown"}` };
}
