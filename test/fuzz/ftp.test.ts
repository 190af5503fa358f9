import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FtpClient } from "../daemon/receivers/ftp-client.ts";
import { type FtpHome, ftpHome } from "../daemon/receivers/ftp-home.ts";
import { eventually } from "../support/eventually.ts";
import { heldBytes } from "../support/garbage.ts";
import { holds, isLong, mostHeldMb, testTimeoutMs } from "./support.ts";

let home: FtpHome;
/** A well-behaved camera that must not notice the others. */
let bystander: FtpClient;
beforeAll(async () => {
  home = await ftpHome({ limits: { connectMs: 2, portMs: 5, idleMs: 3_600_000, idleDataMs: 100 } });
  bystander = await home.client("127.0.0.9");
});
afterAll(async () => {
  bystander.close();
  await home.close();
});

const verbs = [
  ...["USER", "PASS", "AUTH", "PBSZ", "PROT", "SYST", "FEAT", "OPTS", "TYPE", "MODE", "STRU", "PWD", "CWD", "CDUP", "MKD", "RMD", "PASV"],
  ...["EPSV", "PORT", "EPRT", "ALLO", "STOR", "STOU", "APPE", "REST", "RNFR", "RNTO", "SIZE", "MDTM", "NLST", "LIST", "MLSD", "DELE"],
  ...["NOOP", "ABOR", "QUIT", "XMKD", "RETR", "SITE", "constructor", "__proto__", ""],
];
const argument = fc.oneof(
  fc.constantFrom(
    "",
    "/",
    "..",
    "../../../etc/passwd",
    "~",
    "\\..\\..\\x",
    "a.jpg",
    "a.jpg.tmp",
    ".a",
    "C:\\x",
    "|1|127.0.0.1|9|",
    "||",
    "-la",
  ),
  fc.constantFrom(
    "127,0,0,1,0,25",
    "127,0,0,1,255,255",
    "999,0,0,1,1,1",
    "TLS",
    "P",
    "0",
    "-1",
    "1e309",
    `${"a/".repeat(300)}b`,
    "con",
    "%00",
  ),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ maxLength: 5_000 }),
);
const line = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom(...verbs), argument).map(([verb, text]) => Buffer.from(`${verb} ${text}\r\n`)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.constantFrom("\r\n", "\n", "\xff\xf4\xff\xf2ABOR\r\n", "\0", "A").map((text) => Buffer.from(text, "latin1")) },
);
const session = fc.record({
  logsIn: fc.boolean(),
  lines: fc.array(line, { maxLength: 12 }),
  /** The client vanishes instead of ending the connection. */
  resets: fc.boolean(),
});

test(
  "fuzz FTP: any session is answered or ended, reaches no other file, and harms no other camera",
  async () => {
    let most = 0;
    let count = 0;
    let heldBefore = 0;
    await holds(session, { few: 300, many: 100_000 }, async ({ logsIn, lines, resets }) => {
      const socket = connect(home.port, "127.0.0.1");
      const received: Buffer[] = [];
      socket.on("data", (chunk: Buffer) => received.push(chunk));
      socket.on("error", () => {});
      const closed = new Promise((resolve) => socket.once("close", resolve));
      const login = logsIn ? ["USER porch\r\nPASS k3mx7rq2fh9tnw4c\r\n"] : [];
      socket.write(Buffer.concat([...login.map((text) => Buffer.from(text)), ...lines]));
      if (resets) socket.once("data", () => socket.resetAndDestroy());
      else socket.end();
      await closed;
      for (const reply of Buffer.concat(received).toString("latin1").split("\r\n").slice(0, -1)) expect(reply).toMatch(/^(?:\d{3}[ -]| )/);
      count += 1;
      // the first sessions compile and load what the others use
      if (count === 100) heldBefore = heldBytes();
      if (count % 100 !== 0) return;
      expect(await bystander.ask("NOOP")).toBe("200 OK");
      most = Math.max(most, process.memoryUsage().rss);
    });
    await eventually(() => home.receiver.connections() === 1);
    expect(await home.files()).toEqual([]);
    expect(await home.filesElsewhere()).toEqual([]);
    const grownMb = (heldBytes() - heldBefore) / 1e6;
    const figures = `at most ${Math.round(most / 1e6)} MB, ${grownMb.toFixed(1)} MB more held after the last one than after the first hundred`;
    if (isLong) process.stdout.write(`fuzz FTP: ${count} sessions, ${figures}\n`);
    expect(grownMb, figures).toBeLessThan(mostHeldMb);
  },
  testTimeoutMs,
);
