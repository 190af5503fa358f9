import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { FtpClient } from "../../daemon/receivers/ftp-client.ts";
import type { Chance } from "../../support/chance.ts";

/**
 * The fate of an upload. `away`: it can be sent again, nothing of it was read. `acknowledged`: it must be there once. `cut`: it must not
 * be there. `doubtful`: all of it was sent, but no answer came. `refused`: it was complete, and the answer says that it is wrong.
 */
export type Fate = "away" | "acknowledged" | "cut" | "doubtful" | "refused";

/** One upload of a camera. */
export interface Delivery {
  readonly port: number;
  readonly login: { readonly name: string; readonly password: string };
  /** Name of the file, without its ending. */
  readonly name: string;
  readonly pictures: readonly Buffer[];
  readonly chance: Chance;
}

/** An upload that goes on at a byte a second until the signal. */
export interface SlowDelivery extends Delivery {
  readonly until: AbortSignal;
}

/** A protocol that cameras deliver by. */
export interface Door {
  readonly protocol: "ftp" | "mail" | "http";
  /** Whether the camera sends everything again after an upload without an answer, and the receiver has to recognise it. */
  readonly repeats: boolean;
  /** Delivers over a separate connection, and may cut it at a random point. */
  deliver(delivery: Delivery): Promise<Fate>;
  /** Sends a byte a second. Returns the seconds until the receiver ended the connection; undefined if it did not. */
  dawdle(delivery: SlowDelivery): Promise<number | undefined>;
}

/** Whether this upload is cut: every fourth. */
const isCut = (chance: Chance): boolean => chance.below(4) === 0;

/** Sends a beginning and resets the connection. */
async function cutOff(socket: Socket, bytes: Uint8Array, chance: Chance): Promise<void> {
  socket.write(bytes.subarray(0, chance.below(bytes.length)));
  await sleep(chance.below(5));
  socket.resetAndDestroy();
}

async function drip(socket: Socket, bytes: Uint8Array, until: AbortSignal): Promise<number | undefined> {
  const startedAt = performance.now();
  let isEnded = false;
  socket.once("close", () => {
    isEnded = true;
  });
  for (let at = 0; !isEnded && !until.aborted && at < bytes.length - 1; at += 1) {
    socket.write(bytes.subarray(at, at + 1));
    await sleep(1_000);
  }
  socket.resetAndDestroy();
  return isEnded ? Math.round((performance.now() - startedAt) / 1_000) : undefined;
}

const ftp: Door = {
  protocol: "ftp",
  repeats: false,
  deliver: async ({ port, login, name, pictures: [picture = Buffer.alloc(0)], chance }) => {
    const client = new FtpClient(port);
    let fate: Fate = "away";
    try {
      await client.login(login.name, login.password);
      fate = "cut";
      const isTemporary = chance.below(3) === 0;
      const data = await client.passive();
      if (!(await client.ask(`STOR ${name}.jpg${isTemporary ? ".tmp" : ""}`)).startsWith("150")) return "cut";
      if (isCut(chance)) {
        await cutOff(data, picture, chance);
        await client.reply();
        return "cut";
      }
      fate = "doubtful";
      data.end(picture);
      const reply = await client.reply();
      if (!reply.startsWith("226")) return reply === "closed" ? "doubtful" : "cut";
      fate = "acknowledged";
      // some cameras vanish before they rename
      if (isTemporary && chance.below(2) === 0) {
        await client.ask(`RNFR ${name}.jpg.tmp`);
        await client.ask(`RNTO ${name}.jpg`);
      }
      return fate;
    } catch {
      return fate;
    } finally {
      client.socket.resetAndDestroy();
    }
  },
  dawdle: async ({ port, login, name, pictures: [picture = Buffer.alloc(0)], until }) => {
    const client = new FtpClient(port);
    try {
      await client.login(login.name, login.password);
      const data = await client.passive();
      await client.ask(`STOR ${name}.jpg`);
      return await drip(data, picture, until);
    } catch {
      return undefined;
    } finally {
      client.socket.resetAndDestroy();
    }
  },
};

const crlf = "\r\n";

/** A request as different clients send it: the file as it is or in a form, the password in a header or in the path. */
function requestOf({ login, name, pictures: [picture = Buffer.alloc(0)], chance }: Delivery): Buffer {
  const isInPath = chance.below(2) === 0;
  const head = (length: number, type: string): string =>
    [
      `${type === "image/jpeg" ? "PUT" : "POST"} /ingest/${login.name}/${isInPath ? `${login.password}/` : ""}${name}.jpg HTTP/1.1`,
      ...["Host: 127.0.0.1", "Connection: close", `Content-Type: ${type}`, `Content-Length: ${length}`],
      ...(isInPath ? [] : [`Authorization: Bearer ${login.password}`]),
      `${crlf}`,
    ].join(crlf);
  if (chance.below(2) === 0) return Buffer.concat([Buffer.from(head(picture.length, "image/jpeg")), picture]);
  const disposition = `Content-Disposition: form-data; name="image"; filename="${name}.jpg"`;
  const body = Buffer.concat([
    Buffer.from(["--edge", disposition, "Content-Type: image/jpeg", "", ""].join(crlf)),
    picture,
    Buffer.from(`${crlf}--edge--${crlf}`),
  ]);
  return Buffer.concat([Buffer.from(head(body.length, "multipart/form-data; boundary=edge")), body]);
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => {});
  return socket;
}

const http: Door = {
  protocol: "http",
  repeats: true,
  deliver: async (delivery) => {
    const socket = await connected(delivery.port).catch(() => undefined);
    if (!socket) return "away";
    const request = requestOf(delivery);
    if (isCut(delivery.chance)) {
      await cutOff(socket, request, delivery.chance);
      return "cut";
    }
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(request);
    await closed;
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? "";
    if (["201", "202", "409"].includes(status)) return "acknowledged";
    return ["429", "503"].includes(status) ? "away" : status === "" ? "doubtful" : "refused";
  },
  dawdle: async (delivery) => {
    const socket = await connected(delivery.port).catch(() => undefined);
    if (!socket) return undefined;
    const request = requestOf(delivery);
    const bodyAt = request.indexOf(crlf + crlf) + 4;
    socket.write(request.subarray(0, bodyAt));
    return await drip(socket, request.subarray(bodyAt), delivery.until);
  },
};

/** A mail with an attachment for each picture. */
function mailOf({ name, pictures }: Delivery): string {
  const parts = pictures.map((picture, at) =>
    [
      ...["--edge", `Content-Type: image/jpeg; name="${name}${at === 0 ? "" : `-${at}`}.jpg"`, "Content-Transfer-Encoding: base64", ""],
      picture.toString("base64").replaceAll(/.{76}/g, `$&${crlf}`),
    ].join(crlf),
  );
  const head = ["Subject: Motion", "MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=edge", ""];
  return [...head, ...parts, "--edge--", "."].join(crlf) + crlf;
}

/** An SMTP dialogue up to the answer to DATA. Its replies have the form of those of FTP. */
async function untilData({ port, login }: Delivery): Promise<FtpClient | undefined> {
  const client = new FtpClient(port);
  const auth = Buffer.from(`\0${login.name}\0${login.password}`).toString("base64");
  let reply = await client.reply();
  for (const command of ["EHLO camera", `AUTH PLAIN ${auth}`, "MAIL FROM:<a@b>", `RCPT TO:<${login.name}@homesec>`, "DATA"]) {
    if (!/^[23]\d\d/.test(reply)) break;
    reply = await client.ask(command);
  }
  if (reply.startsWith("354")) return client;
  client.socket.resetAndDestroy();
  return undefined;
}

const mail: Door = {
  protocol: "mail",
  repeats: true,
  deliver: async (delivery) => {
    const client = await untilData(delivery);
    if (!client) return "away";
    const text = Buffer.from(mailOf(delivery));
    try {
      if (isCut(delivery.chance)) {
        // without the line that ends the mail
        await cutOff(client.socket, text.subarray(0, -3), delivery.chance);
        return "cut";
      }
      client.socket.write(text);
      const reply = await client.reply();
      return reply.startsWith("250") ? "acknowledged" : /^4\d\d/.test(reply) ? "away" : reply === "closed" ? "doubtful" : "refused";
    } finally {
      client.socket.resetAndDestroy();
    }
  },
  dawdle: async (delivery) => {
    const client = await untilData(delivery);
    return client ? await drip(client.socket, Buffer.from(mailOf(delivery)), delivery.until) : undefined;
  },
};

/** The receivers' ways in. */
export const doors: readonly Door[] = [ftp, mail, http];
