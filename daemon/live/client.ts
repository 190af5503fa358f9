import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import type { Clock } from "../../src/base/clock/clock.ts";
import { messageNeeds } from "../../src/contract/access.ts";
import { ClientMessage, type ControlMessage, type JournalType, refusals } from "../../src/contract/live.ts";
import type { Access } from "../../src/platform/keys/named-keys.ts";
import { TokenBucket, type TokenRate } from "../../src/platform/limits/token-bucket.ts";
import { cameraIdOf, type Frame, textFrame } from "./frame.ts";
import { LatestReply } from "./latest-reply.ts";
import { Subscription } from "./subscription.ts";

/** Maximum size of a message in bytes. A larger one gets an `error` reply. */
const messageLimit = 64 * 1024;
/** A message above this size is not read at all: the connection is closed with 1009, so that a client cannot fill our memory. */
export const hardMessageLimit = 256 * 1024;
/** A client with more unsent bytes than this does not read, and is disconnected. */
const bufferLimit = 8 * 1024 * 1024;
/** A client that leaves this much of the replies to its own messages unread is disconnected: no other client shares their memory. */
const replyLimit = 256 * 1024;
/** Memory that a waiting reply takes in addition to its bytes. */
const replyOverhead = 512;
const maxPatterns = 200;
/** Time for a client to reply to a close before its connection is cut. */
export const closeTimeoutMs = 1_000;

/** How long a refused client that does not disconnect is held without being read. */
const heldMs = 10_000;

/**
 * Closes a connection with 1008 and throws away what the client still sends: `ws` would read and check every message of a flood until the
 * client replies. A client that does not disconnect is no longer read, and cut after a while: one that is cut at once connects again at
 * once, and the event loop accepts a single connection per turn, so that everyone else would wait behind such clients.
 */
export function turnAway(socket: WebSocket, stream: Duplex, reason: string): void {
  socket.close(1008, reason);
  stream.removeAllListeners("data");
  stream.resume();
  stream.end();
  const timers = [setTimeout(() => stream.pause(), closeTimeoutMs), setTimeout(() => socket.terminate(), heldMs)];
  for (const timer of timers) timer.unref();
  stream.once("close", () => timers.forEach(clearTimeout));
}

type ControlType = ControlMessage["type"];
type ControlData<T extends ControlType> = Extract<ControlMessage, { type: T }>["data"];

export interface ClientOptions {
  readonly socket: WebSocket;
  /** The connection under the WebSocket. Without compression `ws` writes each frame to it at once, so frames made once for all clients go there directly. */
  readonly stream: Duplex;
  readonly clock: Clock;
  readonly idleTimeoutMs: number;
  /** How many messages and control frames the client may send; beyond that it is closed with 1008. Default: any number. */
  readonly messageRate?: TokenRate | undefined;
  /** What its key may do; undefined without one. */
  readonly access?: Access | undefined;
  /** Called before a client that does not read is disconnected. */
  readonly onCut: (bufferedBytes: number) => void;
  /** Called before a client that sends too many messages is closed. */
  readonly onFlood: () => void;
  /** Counts messages handed to the connection. */
  readonly onSent: (messages: number) => void;
}

/** One connected client. It replies to the client's messages; the hub pushes journal frames once the client is live. */
export class Client {
  readonly subscription = new Subscription();
  readonly #options: ClientOptions;
  readonly #idle: NodeJS.Timeout;
  readonly #allowance: TokenBucket | undefined;
  /** Replies that wait for the greeting, which waits for the database. */
  readonly #pending: { readonly bytes: Buffer; readonly onTaken: () => void }[] = [];
  readonly #pong = new LatestReply<void>((_, onTaken) => {
    this.control("pong", this.#live ? { last_sequence: this.#position } : {}, onTaken);
  });
  /** Replies to pings of the protocol itself. */
  readonly #wirePong = new LatestReply<Buffer>((payload, onTaken) => this.#options.socket.pong(payload, false, onTaken));
  /** Memory of the replies that the connection has not taken. */
  #replyBytes = 0;
  #isFlooding = false;
  #greeted = false;
  #live = false;
  /** The last sequence that was sent to it or that its subscription excluded. */
  #position = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { socket, clock, messageRate } = options;
    this.#allowance = messageRate && new TokenBucket(messageRate, clock.monotonic());
    this.#idle = setTimeout(() => socket.close(1000, "Idle timeout"), options.idleTimeoutMs);
    socket.on("message", (data, isBinary) => {
      if (!this.#mayAsk()) return;
      this.#idle.refresh();
      this.#answer(data, isBinary);
    });
    socket.on("ping", (payload) => {
      if (this.#mayAsk()) this.#wirePong.request(payload);
    });
    socket.on("pong", () => void this.#mayAsk());
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

  /** What its key may do; undefined without one. */
  get access(): Access | undefined {
    return this.#options.access;
  }

  /** Closes the connection with 1008. */
  refuse(reason: string): void {
    if (this.open) turnAway(this.#options.socket, this.#options.stream, reason);
  }

  /** Sends `connected`, then the replies to messages that arrived before it. */
  greet(data: ControlData<"connected">): void {
    this.#greeted = true;
    this.control("connected", data);
    for (const { bytes, onTaken } of this.#pending.splice(0)) this.#write(bytes, onTaken);
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

  /** Sends a control message, and calls `onTaken` when the connection has taken it. */
  control<T extends ControlType>(type: T, data: ControlData<T>, onTaken: () => void = () => {}): void {
    const bytes = controlFrame(type, data, this.#options.clock.now());
    const memory = bytes.length + replyOverhead;
    this.#replyBytes += memory;
    if (this.#replyBytes > replyLimit) {
      this.#disconnect();
      return;
    }
    const free = (): void => {
      this.#replyBytes -= memory;
      onTaken();
    };
    if (this.#greeted) this.#write(bytes, free);
    else this.#pending.push({ bytes, onTaken: free });
  }

  /** Sends a control frame that was made for all clients. */
  broadcast(bytes: Buffer): void {
    this.#push(bytes, 1);
  }

  /**
   * Sends the frames that this client does not have yet. `joined` holds the bytes of all `frames`, for clients that take everything; without
   * it, and for other clients, the frames are sent one by one, so that no client has bytes of its own in memory.
   */
  deliver(frames: readonly Frame[], joined?: Buffer): void {
    const first = frames[0];
    const last = frames.at(-1);
    if (!first || !last || last.sequence <= this.#position) return;
    if (joined && this.subscription.everything && !this.access?.cameraIds && first.sequence > this.#position)
      this.#push(joined, frames.length);
    else this.#pushEach(this.#wanted(frames));
    this.#position = last.sequence;
  }

  /** Sends a page of history. Resolves to the number of messages when the connection has taken them. */
  async replay(frames: readonly Frame[]): Promise<number> {
    const wanted = this.#wanted(frames);
    if (wanted.length === 0 || !this.open) return 0;
    this.#options.onSent(wanted.length);
    // a connection error is followed by a close, which ends the replay
    await new Promise<void>((resolve) => this.#writeEach(wanted, () => resolve()));
    return wanted.length;
  }

  #wanted(frames: readonly Frame[]): readonly Frame[] {
    return frames.filter((frame) => frame.sequence > this.#position && this.subscription.wants(frame.type) && this.#mayReceive(frame));
  }

  /** A guest receives the messages of its cameras, the others receive all. */
  #mayReceive(frame: Frame): boolean {
    const cameraIds = this.access?.cameraIds;
    if (!cameraIds) return true;
    return messageNeeds[frame.type as JournalType] === "guest" && cameraIds.includes(cameraIdOf(frame) ?? "");
  }

  #push(bytes: Buffer, messages: number): void {
    if (!this.#takesMore()) return;
    this.#options.stream.write(bytes);
    this.#options.onSent(messages);
  }

  #pushEach(frames: readonly Frame[]): void {
    if (frames.length === 0 || !this.#takesMore()) return;
    this.#writeEach(frames);
    this.#options.onSent(frames.length);
  }

  #takesMore(): boolean {
    if (!this.open) return false;
    // the bytes sent now do not count: one round of the journal may exceed the limit, and all clients share its memory
    if (this.#options.stream.writableLength <= bufferLimit) return true;
    this.#disconnect();
    return false;
  }

  #writeEach(frames: readonly Frame[], onTaken?: () => void): void {
    const { stream } = this.#options;
    stream.cork();
    for (const [at, { bytes }] of frames.entries()) stream.write(bytes, at === frames.length - 1 ? onTaken : undefined);
    stream.uncork();
  }

  #write(bytes: Buffer, onTaken: () => void): void {
    if (!this.#takesMore()) return;
    this.#options.stream.write(bytes, onTaken);
    this.#options.onSent(1);
  }

  /** Counts a message of the client. Closes the connection of one that sends too many, and ignores the rest. */
  #mayAsk(): boolean {
    const { socket, stream, clock, onFlood } = this.#options;
    if (this.#isFlooding) return false;
    if (this.#allowance?.take(clock.monotonic()) !== false) return true;
    this.#isFlooding = true;
    onFlood();
    turnAway(socket, stream, refusals.messages);
    return false;
  }

  #disconnect(): void {
    if (!this.open) return;
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
        this.#pong.request();
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

/** The WebSocket frame of a control message. Only the timestamp is encoded; to encode by the schema took a third of the time of a ping. */
export function controlFrame<T extends ControlType>(type: T, data: ControlData<T>, now: Date): Buffer {
  return textFrame(JSON.stringify({ type, data, timestamp: now.toISOString() }));
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
