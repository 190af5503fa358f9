import { generateKeyPairSync } from "node:crypto";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { selfSignedCertificate } from "../../daemon/tls/certificate.ts";
import { type ParsedMail, parseMail } from "./mail.ts";

/** A mail as the server received it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly mail: ParsedMail;
  /** Over TLS. */
  readonly secure: boolean;
  /** The user who logged in. */
  readonly user: string | undefined;
}

/** The server's reply to something; undefined accepts it. */
export type Refuse = (what: string, time: number) => { readonly code: number; readonly text: string } | undefined;

export interface MailServerOptions {
  readonly port?: number;
  readonly tls?: "none" | "offered" | "from the start";
  /** Decides on each connection. */
  readonly onConnect?: Refuse;
  /** Announced maximum size of a mail, in bytes. */
  readonly size?: number;
  readonly login?: { readonly user: string; readonly password: string };
  readonly onSender?: Refuse;
  /** Called for each recipient; `time` counts its attempts, from 1. */
  readonly onRecipient?: Refuse;
  /** Called after the whole mail. */
  readonly onMail?: Refuse;
  /** Number of times the server closes the connection in the middle of a mail. */
  readonly dieInMail?: number;
  /** Delay before the reply to a whole mail. */
  readonly answerAfterMs?: number;
}

export interface MailServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Users of all login attempts. */
  readonly users: readonly string[];
  close(): Promise<void>;
}

/** A real mail server on the loopback interface. */
export async function mailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const users: string[] = [];
  const times = new Map<string, number>();
  const sockets = new Set<Socket>();
  let deaths = options.dieInMail ?? 0;
  const judge = (refuse: Refuse | undefined, what: string, done: (error?: Error | null) => void): void => {
    const time = (times.get(what) ?? 0) + 1;
    times.set(what, time);
    const refusal = refuse?.(what, time);
    done(refusal ? Object.assign(new Error(refusal.text), { responseCode: refusal.code }) : null);
  };
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const day = 86_400_000;
  const certificate = selfSignedCertificate({
    title: "mail server",
    names: ["127.0.0.1"],
    from: new Date(Date.now() - day),
    to: new Date(Date.now() + day),
    publicKey,
    privateKey,
  });
  const settings: SMTPServerOptions = {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: certificate,
    secure: options.tls === "from the start",
    disabledCommands: [...(options.tls === "offered" ? [] : ["STARTTLS"]), ...(options.login ? [] : ["AUTH"])],
    authOptional: !options.login,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) => {
      users.push(username ?? "");
      if (username === options.login?.user && password === options.login?.password) done(null, { user: username });
      else done(Object.assign(new Error("5.7.8 wrong user or password"), { responseCode: 535 }));
    },
    ...(options.size !== undefined && { size: options.size }),
    onConnect: ({ remoteAddress }, done) => judge(options.onConnect, remoteAddress, done),
    onMailFrom: ({ address }, _session, done) => judge(options.onSender, address, done),
    onRcptTo: ({ address }, _session, done) => judge(options.onRecipient, address, done),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      let isCut = false;
      stream.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if (deaths === 0 || isCut) return;
        deaths -= 1;
        isCut = true;
        for (const socket of sockets) socket.destroy();
      });
      stream.on("end", () => {
        if (isCut) return done();
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom ? mailFrom.address : "";
        judge(options.onMail, from, (error) => {
          if (!error) {
            const user = session.user as unknown as string | undefined;
            mails.push({
              from,
              to: rcptTo.map(({ address }) => address),
              mail: parseMail(Buffer.concat(chunks)),
              secure: session.secure,
              user,
            });
          }
          setTimeout(() => done(error), options.answerAfterMs ?? 0);
        });
      });
    },
  };
  const server = new SMTPServer(settings);
  // Some tests have a client disconnect in the middle.
  let failed = (_error: Error): void => {};
  server.on("error", (error) => failed(error));
  server.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    failed = reject;
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    users,
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}

/** A server that accepts connections and says nothing, or only the given text. */
export async function muteServer(greeting = ""): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.write(greeting);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
