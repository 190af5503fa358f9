// Many WebSocket clients that count what they get. They are plain sockets, so that reading costs less than sending.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { answering } from "./answering.mjs";

const nothing = Buffer.alloc(0);
const clients = [];
let expected = Number.POSITIVE_INFINITY;
let done = 0;
let firstAt = 0;
let lastAt = 0;
let onLast = () => {};

class Client {
  messages = 0;
  /** An unfinished header. */
  #rest = nothing;
  /** Bytes of the last message that are still to come. */
  #missing = 0;

  take(chunk) {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let at = this.#missing;
    while (at < bytes.length) {
      const size = frameSize(bytes, at);
      if (size === undefined) break;
      at += size;
      this.messages += 1;
    }
    this.#missing = Math.max(0, at - bytes.length);
    this.#rest = bytes.subarray(at);
  }

  get complete() {
    return this.messages >= expected && this.#missing === 0;
  }
}

/** Size of the unmasked frame that begins there, with its header (RFC 6455, section 5.2); undefined while the header is not all there. */
function frameSize(bytes, at) {
  const left = bytes.length - at;
  if (left < 2) return undefined;
  const length = bytes[at + 1];
  if (length < 126) return 2 + length;
  if (length === 126) return left < 4 ? undefined : 4 + bytes.readUInt16BE(at + 2);
  return left < 10 ? undefined : 10 + Number(bytes.readBigUInt64BE(at + 2));
}

async function open(url) {
  const { hostname, port, host, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const key = randomBytes(16).toString("base64");
  const upgrade = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}`;
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${upgrade}\r\n\r\n`);
  let head = nothing;
  while (!head.includes("\r\n\r\n")) head = Buffer.concat([head, (await once(socket, "data"))[0]]);
  const end = head.indexOf("\r\n\r\n");
  const status = head.toString("latin1", 0, head.indexOf("\r\n"));
  if (!status.includes(" 101 ")) throw new Error(`${url} answered ${status}`);
  const client = new Client();
  clients.push(client);
  client.take(head.subarray(end + 4));
  socket.on("data", (bytes) => receive(client, bytes));
}

function receive(client, bytes) {
  if (client.complete) throw new Error("a client got more than was expected");
  if (firstAt === 0) firstAt = performance.now();
  client.take(bytes);
  if (!client.complete) return;
  done += 1;
  if (done < clients.length) return;
  lastAt = performance.now();
  onLast();
}

answering(async (question) => {
  switch (question.kind) {
    case "open":
      for (let opened = 0; opened < question.count; opened += 50) {
        await Promise.all(Array.from({ length: 50 }, () => open(question.url)));
      }
      return;
    case "expect":
      expected = question.messages;
      done = 0;
      firstAt = 0;
      for (const client of clients) client.messages = 0;
      return;
    // milliseconds from the first byte that any client got to the last one of the last client
    case "wait":
      if (done < clients.length) {
        await new Promise((resolve) => {
          onLast = resolve;
        });
      }
      return lastAt - firstAt;
  }
});
