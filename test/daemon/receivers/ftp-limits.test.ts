import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { passiveAddress } from "../../../daemon/receivers/ftp/passive-ports.ts";
import { finalName } from "../../../daemon/receivers/ftp/transfer-commands.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { FtpClient } from "./ftp-client.ts";
import { type FtpHome, ftpHome } from "./ftp-home.ts";

let home: FtpHome;
beforeAll(async () => {
  home = await ftpHome({ limits: { connectMs: 200, portMs: 100, idleMs: 1_000, idleDataMs: 200, slowAfterMs: 500 } });
});
afterAll(() => home.close());

/** Another receiver, which the test closes. */
const another = async (options: Parameters<typeof ftpHome>[0]): Promise<FtpHome> => {
  const own = await ftpHome(options);
  onTestFinished(() => own.close());
  return own;
};

it("FTP limits: a passive connection that does not come, or comes from elsewhere, is noted as blocked", async () => {
  const client = await home.client();
  const reply = await client.ask("EPSV");
  const port = Number(/\|(\d+)\|/.exec(reply)?.[1]);
  const stranger = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" });
  stranger.on("error", () => {});
  stranger.resume();
  await once(stranger, "close");
  expect(await client.ask("STOR a.jpg")).toMatch(/^150/);
  expect(await client.reply()).toMatch(/^425/);
  expect(await home.faults()).toContain(`none came to 127.0.0.1 port ${port} within 0 s: a firewall or a container may block`);
  expect(await client.ask("STOR a.jpg")).toBe("425 Send PASV or EPSV first");
  client.close();
});

it("FTP limits: a slow and a silent sender are ended, and nothing is left", async () => {
  const client = await home.client();
  const slow = await client.passive();
  await client.ask("STOR slow.jpg");
  const drip = setInterval(() => slow.write("x"), 50);
  expect(await client.reply()).toMatch(/^426/);
  clearInterval(drip);
  await client.passive();
  await client.ask("STOR silent.jpg");
  expect(await client.reply()).toMatch(/^426/);
  expect(await home.faults()).toMatch(/silent for 0.2 s after 0 bytes.*slower than 512 bytes per second after \d+ bytes/s);
  expect(await home.files()).toEqual([]);
  client.close();
});

it("FTP limits: a file that is too large, or has no content, is refused or not stored", async () => {
  const client = await home.client();
  expect(await client.upload("STOR large.jpg", Buffer.alloc(1_100_000))).toMatch(/^552/);
  expect(await client.upload("STOR empty.jpg", Buffer.alloc(0))).toBe("226 The file is empty and was not stored");
  expect(await home.files()).toEqual([]);
  client.close();
});

it("FTP limits: idle sessions, long lines and many commands before the login end the connection", async () => {
  const idle = await home.client();
  const long = new FtpClient(home.port);
  await long.reply();
  expect(await long.ask(`USER ${"x".repeat(5_000)}`)).toMatch(/^500/);
  expect(await long.reply()).toBe("closed");
  const chatty = new FtpClient(home.port);
  await chatty.reply();
  for (let count = 0; count < 20; count += 1) expect(await chatty.ask("NOOP")).toMatch(/^200/);
  expect(await chatty.ask("NOOP")).toMatch(/^421/);
  expect(await idle.reply()).toMatch(/^421 No command/);
  expect(await idle.reply()).toBe("closed");
});

it("FTP limits: too many files, connections and passive ports get the answer to try later", async () => {
  const port = await freePort();
  const own = await another({ filesPerMinute: 1, mostConnections: 8, ports: [port, port], limits: { portMs: 100 } });
  const client = await own.client();
  const second = await own.client();
  expect(await client.upload("STOR 1.jpg", Buffer.from("1"))).toMatch(/^226/);
  expect(await client.upload("STOR 2.jpg", Buffer.from("2"))).toMatch(/^450/);
  expect(await client.ask("PASV")).toMatch(/^227/);
  expect(await second.ask("PASV")).toMatch(/^425/);
  const third = new FtpClient(own.port);
  expect(await third.reply()).toBe("421 Too many connections; try later");
  const elsewhere = await own.client("127.0.0.3");
  expect(await elsewhere.ask("NOOP")).toMatch(/^200/);
  for (const each of [client, second, third, elsewhere]) each.close();
  await eventually(() => own.receiver.connections() === 0);
});

it("FTP limits: a receiver that stops aborts uploads with 421 and leaves nothing", async () => {
  const own = await ftpHome();
  const client = await own.client();
  const data = await client.passive();
  await client.ask("STOR half.jpg");
  data.write("half");
  await eventually(async () => (await own.files()).length === 1);
  await own.receiver.close();
  expect(await client.reply()).toMatch(/^421/);
  expect(await own.files()).toEqual([]);
  await own.close();
});

it("FTP limits: a camera of a shared folder delivers its own files only, and the recorder's login those of every camera", async () => {
  const own = await another({ pattern: "ch01*", sharers: { yard: "ch02*" } });
  const client = await own.client();
  expect(await client.upload("STOR ch01_a.jpg", Buffer.from("own"))).toMatch(/^226/);
  expect(await client.upload("STOR ch02_a.jpg", Buffer.from("yard's"))).toMatch(/^553/);
  expect(await client.upload("STOR snap.jpg.tmp", Buffer.from("no one's"))).toMatch(/^226/);
  expect(await client.ask("RNFR snap.jpg.tmp")).toMatch(/^350/);
  expect(await client.ask("RNTO ch02_b.jpg")).toMatch(/^553/);
  expect(await client.ask("RNFR snap.jpg.tmp")).toMatch(/^350/);
  expect(await client.ask("RNTO ch01_b.jpg")).toMatch(/^250/);
  expect((await own.files()).toSorted()).toEqual(["ch01_a.jpg", "ch01_b.jpg"]);
  expect(await own.faults()).toContain("Camera Porch takes only ch01*, and ch02_a.jpg is one of camera yard; change the file name");
  client.close();
  const recorder = await another({ sharers: { gate: "ch01*", yard: "ch02*" } });
  const second = await recorder.client();
  for (const name of ["ch01_a.jpg", "ch02_a.jpg", "snap.jpg"])
    expect(await second.upload(`STOR ${name}`, Buffer.from(name))).toMatch(/^226/);
  expect((await recorder.files()).toSorted()).toEqual(["ch01_a.jpg", "ch02_a.jpg", "snap.jpg"]);
  second.close();
});

it("FTP limits: a full disk is answered with 452 and leaves nothing", async (context) => {
  const disk = temporaryFolder("small-disk");
  onTestFinished(() => disk.remove());
  const folder = join(disk.path, "mounted");
  await mkdir(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=128k", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    process.stdout.write("SKIPPED: a small disk can only be mounted by root\n");
    context.skip();
  }
  const own = await ftpHome({ folder });
  try {
    const client = await own.client();
    expect(await client.upload("STOR large.jpg", Buffer.alloc(400_000, 1))).toBe("452 The disk is full; try later");
    expect(await own.files()).toEqual([]);
    expect(await own.faults()).toContain("is full; free some space");
    client.close();
  } finally {
    await own.close();
    execFileSync("umount", [folder]);
  }
});

it("FTP limits: the reply to PASV has the configured address for clients elsewhere", () => {
  const local = "172.17.0.2";
  expect(passiveAddress({ client: "192.168.1.64", local, configured: "192.168.1.10" })).toBe("192.168.1.10");
  expect(passiveAddress({ client: "127.0.0.1", local: "127.0.0.1", configured: "192.168.1.10" })).toBe("127.0.0.1");
  expect(passiveAddress({ client: "192.168.1.64", local, configured: undefined })).toBe(local);
  expect(passiveAddress({ client: "::1", local: "::1", configured: undefined })).toBeUndefined();
});

it("FTP limits: a temporary name becomes a plain one", () => {
  const names = ["a.jpg.tmp", "a.jpg~", ".a.jpg", "a.jpg.part~", ".in.a.jpg.", "~", ".tmp"].map(finalName);
  expect(names).toEqual(["a.jpg", "a.jpg", "a.jpg", "a.jpg", "in.a.jpg.", "picture", "tmp"]);
});

it("FTP limits: only side files can be deleted, and folders of the session removed", async () => {
  const client = await home.client();
  await client.upload("STOR test.txt", Buffer.from("test"));
  await client.upload("STOR a.jpg", Buffer.from("picture"));
  expect(await client.ask("DELE test.txt")).toMatch(/^250/);
  expect(await client.ask("DELE a.jpg")).toMatch(/^550/);
  expect(await client.ask("MKD new")).toMatch(/^257/);
  expect(await client.list("LIST -la")).toMatch(/^drwxrwx--- .* new\r\n-rw-rw---- 1 camera camera +7 .* a\.jpg\r\n$/);
  expect(await client.ask("RMD new")).toMatch(/^250/);
  expect(await client.list("NLST")).toBe("a.jpg\r\n");
  expect(await home.files()).toEqual(["a.jpg"]);
  client.close();
});

it("FTP limits: a reset right behind the data is no end of a file", async () => {
  for (let count = 0; count < 30; count += 1) {
    const client = await home.client();
    const data = await client.passive();
    await client.ask("STOR cut.jpg");
    data.write("half of a picture");
    data.resetAndDestroy();
    expect(await client.reply()).toMatch(/^426/);
    client.close();
  }
  expect((await home.files()).filter((name) => name.startsWith("cut"))).toEqual([]);
});
