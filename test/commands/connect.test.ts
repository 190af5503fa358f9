import { copyFile } from "node:fs/promises";
import { connect as openSocket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cli } from "../support/cli.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";

const pictures = join(import.meta.dirname, "../../demo/pictures");
let daemon: TestDaemon;
const homesec = (args: readonly string[], options: Parameters<typeof cli>[1] = {}) =>
  cli(args, { ...options, env: { HOMESEC_URL: daemon.url } });

beforeAll(async () => {
  daemon = await testDaemon({ env: {} });
  for (const name of ["porch", "yard"]) expect((await homesec(["cameras", "add", name])).code).toBe(0);
});
afterAll(() => daemon.stop());

it("cameras connect: prints what to enter in the camera, waits, and says what its first picture shows", async () => {
  let copied: Promise<void> | undefined;
  const { code, out, err } = await homesec(["cameras", "connect", "porch", "--by", "ftp", "--wait", "60s"], {
    onErr: (text) => {
      if (!/Waiting for the first picture/.test(text)) return;
      copied = copyFile(join(pictures, "walkway-0060.jpg"), join(daemon.cameraRoot, "porch/1.jpg"));
    },
  });
  await copied;
  expect([code, err]).toEqual([0, expect.stringMatching(/porch works: 768 x 576, \d detections, \d+\.\d s/)]);
  for (const line of [/server +127\.0\.0\.1/, /port +\d+/, /user name +porch/, /password +[a-z2-9]{16}/, /folder +\//])
    expect(out).toMatch(line);
});

it("cameras connect: asks how the camera delivers on a terminal, and names the choices elsewhere", async () => {
  const asked = await homesec(["cameras", "connect", "yard", "--wait", "0"], { terminal: 80, input: "carrier pigeon\nhttp\n" });
  expect(asked.err).toMatch(/How does the camera deliver \(ftp, mail, http\)\?.*It must be one of ftp, mail, http/s);
  expect(asked.out).toMatch(/address.*http:\/\/127\.0\.0\.1:[1-9]\d+\/ingest\/yard/);
  const refused = await homesec(["cameras", "connect", "yard"]);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("--by ftp, --by mail, --by http")]);
});

it("cameras add: asks on a terminal how the camera delivers, and connects it", async () => {
  const saved = await homesec(["cameras", "add", "shed"], { terminal: 80, input: "\n" });
  expect([saved.code, saved.err]).toEqual([
    0,
    expect.stringMatching(/How does the camera deliver \(folder, ftp, mail, http\)\? \[folder\]/),
  ]);
  let copied: Promise<void> | undefined;
  const { code, out, err } = await homesec(["cameras", "add", "attic"], {
    ...{ terminal: 80, input: "mail\n" },
    onErr: (text) => {
      if (/Waiting for the first picture/.test(text))
        copied = copyFile(join(pictures, "walkway-0060.jpg"), join(daemon.cameraRoot, "attic/1.jpg"));
    },
  });
  await copied;
  expect([code, out, err]).toEqual([0, expect.stringMatching(/recipient.*attic@homesec\.local/), expect.stringContaining("attic works: ")]);
});

it("cameras connect: says that no picture arrived in time, and cameras disconnect ends the login", async () => {
  const late = await homesec(["cameras", "connect", "yard", "--by", "ftp", "--wait", "1s"]);
  expect([late.code, late.err]).toEqual([1, expect.stringContaining("No picture arrived within 1 s")]);
  expect((await homesec(["cameras", "disconnect", "yard"])).err).toContain("say which login: --by ftp or --by http");
  expect((await homesec(["cameras", "disconnect", "yard", "--by", "ftp"])).code).toBe(0);
  expect((await homesec(["receivers", "list"])).out).toMatch(/ftp/);
});

it("cameras connect: reports a wrong password while it waits", async () => {
  // As a camera does, it tries again: right after its creation, the receiver may not know the login yet
  let tries: NodeJS.Timeout | undefined;
  const { err } = await homesec(["cameras", "connect", "yard", "--by", "ftp", "--wait", "9s"], {
    onErr: (text) => {
      if (/Waiting for the first picture/.test(text)) tries ??= setInterval(() => void sendWrongPassword(), 1_000);
    },
  });
  clearInterval(tries);
  expect(err).toMatch(/127\.0\.0\.1: Wrong password for user yard/);
});

async function sendWrongPassword(): Promise<void> {
  const { receivers } = (await (await fetch(`${daemon.url}/api/receivers`)).json()) as { receivers: { protocol: string; port: number }[] };
  const socket = openSocket(receivers.find(({ protocol }) => protocol === "ftp")?.port ?? 0, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write("USER yard\r\nPASS wrong\r\n");
  setTimeout(() => socket.destroy(), 2_000);
}
