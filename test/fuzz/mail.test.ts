import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, cameraWithLogin, holds as eventuallyHolds, filesOf, listening } from "../daemon/receivers/deliveries.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { heldBytes } from "../support/garbage.ts";
import { uniqueJpeg } from "../support/pictures.ts";
import { countOf, mostHeldMb, sampleOf, seedNote, testTimeoutMs } from "./support.ts";

/** Sessions at a time. */
const atOnce = 20;

let daemon: TestDaemon;
let port: number;
let auth: string;

beforeAll(async () => {
  const limits = { RECEIVER_MAX_FILE_MB: "1", RECEIVER_MAX_CONNECTIONS: "1000", RECEIVER_FILES_PER_MINUTE: "1000000" };
  daemon = await testDaemon({ env: { RECEIVER_HOST: "127.0.0.1", MAIL_PORT: "0", FTP_PORT: "0", ...limits } });
  const { username, password } = await cameraWithLogin(daemon, "porch", "mail");
  auth = `AUTH PLAIN ${Buffer.from(`\0${username}\0${password}`).toString("base64")}`;
  ({ port } = await listening(daemon, "mail"));
});
afterAll(() => daemon.stop());

const verb = fc.constantFrom(
  "EHLO x",
  "HELO",
  "MAIL FROM:<a@b>",
  "RCPT TO:<porch@x>",
  "RCPT TO:<../x@y>",
  "DATA",
  "RSET",
  "NOOP",
  "AUTH LOGIN",
  "AUTH PLAIN =",
  ".",
  "BDAT 5 LAST",
  "VRFY x",
  "QUIT",
  "STARTTLS",
  "XCLIENT A=B",
);
const noise = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("latin1"));
const header = fc.constantFrom(
  ...["Content-Type: multipart/mixed; boundary=b", "Content-Type: message/rfc822", "Content-Transfer-Encoding: base64", "--b", "--b--", ""],
  ...[
    'Content-Type: image/jpeg; name="../../../x.jpg"',
    "Content-Disposition: attachment; filename*=UTF-8''%2e%2e%2fy.jpg",
    "Subject: =?x?q?=",
  ],
);
const body = fc.array(fc.oneof({ weight: 4, arbitrary: header }, { weight: 1, arbitrary: noise }), { maxLength: 30 });

/** Lines of a session: any commands, or a mail of a camera with any content. */
const session = fc.oneof(
  fc.array(fc.oneof({ weight: 5, arbitrary: verb }, { weight: 1, arbitrary: noise }), { maxLength: 12 }),
  body.map((lines) => ["EHLO x", "AUTHENTICATE", "MAIL FROM:<a@b>", "RCPT TO:<porch@x>", "DATA", ...lines, "PICTURE", ".", "QUIT"]),
);

async function talk(lines: readonly string[], picture: string): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  const closed = once(socket, "close");
  // The server refuses clients that speak before its greeting
  await Promise.race([once(socket, "data"), closed]);
  socket.resume();
  const known: Readonly<Record<string, string>> = { PICTURE: picture, AUTHENTICATE: auth };
  for (const line of lines) socket.write(`${known[line] ?? line}\r\n`, "latin1");
  socket.end();
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 2_000).unref())]);
  socket.destroy();
}

test(
  "fuzz mail receiver: no session ends the daemon, hangs, or leaves a file outside of the camera's folder",
  async () => {
    const outside = (): readonly string[] => filesOf(daemon, ".").filter((name) => !name.startsWith("porch"));
    const before = outside();
    const picture = (await uniqueJpeg()).toString("base64").replaceAll(/.{76}/g, "$&\r\n");
    const amount = { few: 200, many: 100_000 };
    const sessions = sampleOf(session, amount);
    // the first sessions compile and load what the others use
    await Promise.all(sessions.slice(0, atOnce).map((lines) => talk(lines, picture)));
    const heldBefore = heldBytes();
    for (let at = 0; at < sessions.length; at += atOnce) {
      await Promise.all(sessions.slice(at, at + atOnce).map((lines) => talk(lines, picture)));
    }
    expect(sessions, seedNote).toHaveLength(countOf(amount));
    await eventuallyHolds(async () => expect((await listening(daemon, "mail")).connections).toBe(0));
    expect(outside(), seedNote).toEqual(before);
    // what a broken session left is removed after its connection is gone
    await eventuallyHolds(() => expect(filesOf(daemon, "porch").filter((name) => name.endsWith(".part"))).toEqual([]));
    expect(filesOf(daemon, "porch").length, seedNote).toBeGreaterThan(0);
    expect((await ask(daemon, "GET", "/api/receivers")).status).toBe(200);
    const grownMb = (heldBytes() - heldBefore) / 1e6;
    if (sessions.length > 1_000)
      process.stdout.write(`fuzz mail receiver: ${sessions.length} sessions, ${grownMb.toFixed(1)} MB more held\n`);
    expect(grownMb, seedNote).toBeLessThan(mostHeldMb);
  },
  testTimeoutMs,
);
