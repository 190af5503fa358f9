import { once } from "node:events";
import { rename, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Ingest } from "../../../daemon/receivers/http/ingest.ts";
import { KnownLogins } from "../../../daemon/receivers/known-logins.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { uniqueJpeg } from "../../support/pictures.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { keptLog } from "../http/support.ts";
import { ask, cameraWithLogin, faults, filesOf, holds, isInstalled, listening, output } from "./deliveries.ts";

let daemon: TestDaemon;
let folder: ReturnType<typeof temporaryFolder>;
let porch: Awaited<ReturnType<typeof cameraWithLogin>>;
let yard: typeof porch;
const log = keptLog();

beforeAll(async () => {
  folder = temporaryFolder("ingest");
  daemon = await testDaemon({ env: { RECEIVER_HOST: "127.0.0.1", MAIL_PORT: "0", FTP_PORT: "0", RECEIVER_MAX_FILE_MB: "1" }, log });
  porch = await cameraWithLogin(daemon, "porch", "http");
  yard = await cameraWithLogin(daemon, "yard", "http");
  await listening(daemon, "http");
});
afterAll(async () => {
  await daemon.stop();
  await folder.remove();
});

interface Reply {
  readonly status: number;
  readonly body: { readonly image_id?: number; readonly path?: string; readonly detail?: string; readonly files?: readonly unknown[] };
  readonly headers: Headers;
}

async function send(
  path: string,
  body: string | FormData | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  method = "PUT",
): Promise<Reply> {
  const response = await fetch(`${daemon.url}/ingest/${path}`, { method, body, headers });
  return { status: response.status, body: (await response.json()) as Reply["body"], headers: response.headers };
}

const picture = async (): Promise<Uint8Array<ArrayBuffer>> => new Uint8Array(await uniqueJpeg());
const bearer = ({ password }: typeof porch) => ({ Authorization: `Bearer ${password}` });

async function pictureFile(name: string): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, await uniqueJpeg());
  return path;
}

it("HTTP upload: the answer names the image in the ledger, which is processed for the right camera", async () => {
  const { status, body } = await send("porch/snap.jpg", await picture(), bearer(porch));
  expect({ status, body }).toEqual({
    status: 201,
    body: { camera_id: "porch", image_id: expect.any(Number), path: join(daemon.cameraRoot, "porch/snap.jpg") },
  });
  await holds(async () => {
    const { body: image } = await ask(daemon, "GET", `/api/images/${body.image_id}`);
    expect(image).toMatchObject({ camera_id: "porch", status: "processed" });
  });
  const { body: state } = await ask(daemon, "GET", "/api/receivers?camera_id=porch");
  expect(state.receivers.find(({ protocol }: { protocol: string }) => protocol === "http")).toMatchObject({
    ...{ state: "listening", host: "127.0.0.1", port: daemon.port, login_count: 2, connections: 0 },
  });
});

it("HTTP upload: the same bytes again answer 409 and leave one file", async () => {
  const bytes = await picture();
  const first = await send("porch/twice.jpg", bytes, bearer(porch));
  const again = await send("porch/twice.jpg", bytes, bearer(porch));
  const renamed = await send("porch/other.jpg", bytes, bearer(porch));
  expect([first.status, again.status, renamed.status]).toEqual([201, 409, 409]);
  expect(again.body.detail).toBe(`Camera porch delivered the same bytes before, as image ${first.body.image_id}`);
  expect(filesOf(daemon, "porch").filter((name) => /twice|other/.test(name))).toEqual(["twice.jpg"]);
  expect((await send("yard/twice.jpg", bytes, bearer(yard))).status).toBe(201);
});

it("HTTP upload: the password may be in a header, in basic authentication or in the path, and never in the log", async () => {
  const { username, password } = porch;
  const basic = { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
  expect((await send("porch/basic.jpg", await picture(), basic)).status).toBe(201);
  expect((await send("porch/token.jpg", await picture(), { "X-Camera-Token": password })).status).toBe(201);
  expect((await send(`porch/${password}/path.jpg`, await picture())).body.path).toMatch(/\/porch\/path\.jpg$/);
  expect((await send(`porch/${password}`, await picture(), {}, "POST")).body.path).toMatch(/\/porch\/picture-[0-9a-f]{8}\.jpg$/);
  expect((await send(`Porch/${password}/case.jpg`, await picture())).status).toBe(404);
  expect(log.lines.some((line) => JSON.stringify(line).includes("/ingest/porch/…"))).toBe(true);
  expect(JSON.stringify(log.lines)).not.toContain(password);
});

it("HTTP upload: curl and wget upload as the docs say", async () => {
  const { username, password } = porch;
  const url = `${daemon.url}/ingest/porch`;
  const token = `Authorization: Bearer ${password}`;
  const lines: readonly (readonly [string, ...string[]])[] = [
    ["curl", "-sS", "-T", await pictureFile("put.jpg"), "-H", token, `${url}/`],
    ["curl", "-sS", "-F", `image=@${await pictureFile("form.jpg")}`, "-u", `${username}:${password}`, url],
    ["curl", "-sS", "--data-binary", `@${await pictureFile("raw.jpg")}`, "-H", token, url],
    ["curl", "-sS", "--fail", "-T", await pictureFile("motion.jpg"), `${url}/${password}/motion.jpg`],
    [
      ...(["wget", "-q", "-O", "-", `--post-file=${await pictureFile("wget.jpg")}`, `--user=${username}`] as const),
      ...[`--password=${password}`, "--auth-no-challenge", `${url}/wget.jpg`],
    ],
  ];
  for (const [program, ...args] of lines) {
    if (!isInstalled(program)) process.stderr.write(`SKIPPED: ${program} is not installed\n`);
    else expect(await output(program, args), args.join(" ")).toContain('"image_id":');
  }
  expect(filesOf(daemon, "porch")).toEqual(expect.arrayContaining(["form.jpg", "motion.jpg", "put.jpg"]));
});

it("HTTP upload: a form delivers each of its pictures, and its other parts do not count", async () => {
  const form = new FormData();
  form.append("event", new Blob(["<EventNotificationAlert/>"], { type: "application/xml" }), "alert.xml");
  form.append("a", new Blob([await picture()], { type: "image/jpeg" }), "a.jpg");
  form.append("b", new Blob([await picture()], { type: "image/jpeg" }), "b.jpg");
  form.append("comment", "motion at the porch");
  const { status, body } = await send("porch", form, bearer(porch), "POST");
  expect(status).toBe(201);
  expect(body.files).toMatchObject([{ path: expect.stringMatching(/\/a\.jpg$/) }, { path: expect.stringMatching(/\/b\.jpg$/) }]);
  const empty = new FormData();
  empty.append("event", new Blob(["<EventNotificationAlert/>"], { type: "application/xml" }), "alert.xml");
  expect((await send("porch", empty, bearer(porch), "POST")).status).toBe(415);
});

it("HTTP upload: a wrong or missing password, another camera's password and an unknown camera are refused and noted", async () => {
  const bytes = await picture();
  const missing = await send("porch/x.jpg", bytes);
  expect(missing).toMatchObject({ status: 401, body: { detail: expect.stringContaining("sent no password") } });
  expect(missing.headers.get("WWW-Authenticate")).toContain("Basic");
  expect((await send("porch/x.jpg", bytes, { "X-Camera-Token": "wrong" })).status).toBe(401);
  expect((await send("porch/x.jpg", bytes, bearer(yard))).status).toBe(401);
  expect((await send(`porch/${yard.password}/x.jpg`, bytes)).status).toBe(401);
  const startedAt = performance.now();
  expect((await send("nowhere/x.jpg", bytes, bearer(porch))).status).toBe(404);
  expect(performance.now() - startedAt).toBeGreaterThan(200);
  expect(filesOf(daemon, "porch")).not.toContain("x.jpg");
  await holds(async () => {
    const noted = await faults(daemon, "porch");
    expect(noted.some((message) => message.startsWith("Wrong password for user porch"))).toBe(true);
    expect(noted.some((message) => message.startsWith('Camera "nowhere" has no login for HTTP'))).toBe(true);
  });
});

it("HTTP upload: other files, too large ones and compressed ones are refused and leave nothing behind", async () => {
  const before = filesOf(daemon, "porch");
  const text = await send("porch/note.jpg", "This is no picture. ".repeat(100), bearer(porch));
  expect(text).toMatchObject({ status: 415, body: { detail: expect.stringContaining("no picture or video") } });
  expect((await send("porch/short.jpg", "x", bearer(porch))).status).toBe(415);
  expect((await send("porch/empty.jpg", "", bearer(porch))).status).toBe(415);
  const gif = await send("porch/a.gif", `GIF89a${"x".repeat(1_000)}`, bearer(porch));
  expect(gif.body.detail).toContain("does not read image/gif");
  const large = new Uint8Array(1_500_000);
  large.set(await picture());
  expect((await send("porch/large.jpg", large, bearer(porch))).status).toBe(413);
  expect((await send("porch/large.jpg", new Uint8Array(3_000_000), bearer(porch))).status).toBe(413);
  expect((await send("porch/z.jpg", await picture(), { ...bearer(porch), "Content-Encoding": "gzip" })).status).toBe(415);
  expect((await send("porch", "no form", { ...bearer(porch), "Content-Type": "multipart/form-data" }, "POST")).status).toBe(400);
  expect(filesOf(daemon, "porch")).toEqual(before);
  await holds(async () => expect((await faults(daemon, "porch")).join()).toContain("raise RECEIVER_MAX_FILE_MB"));
});

it("HTTP upload: a name cannot lead out of the camera's folder", async () => {
  for (const name of ["..%2F..%2Fevil.jpg", "%2e%2e%2fevil.jpg", "..%5Cevil.jpg", ".hidden.jpg", "a%00b.jpg", "%2Fetc%2Fpasswd"]) {
    const { status, body } = await send(`porch/${porch.password}/${name}`, await picture());
    expect(status, name).toBe(201);
    expect(body.path, name).toMatch(/\/porch\/[^/.][^/]*\.jpg$/);
  }
});

it("HTTP upload: an upload that breaks off leaves nothing behind, and the camera's owner can see it", async () => {
  const before = filesOf(daemon, "porch");
  const socket = connect(daemon.port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    `PUT /ingest/porch/cut.jpg HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Camera-Token: ${porch.password}\r\nContent-Length: 90000\r\n\r\n`,
  );
  socket.write((await picture()).subarray(0, 5_000));
  await holds(() => expect(filesOf(daemon, "porch").some((name) => name.endsWith(".part"))).toBe(true));
  socket.destroy();
  await holds(async () => {
    expect(filesOf(daemon, "porch")).toEqual(before);
    expect(await faults(daemon, "porch")).toContain("The upload broke off before its end");
  });
});

it("HTTP upload: forms that break off at any point leave nothing behind and do not end the daemon", async () => {
  const before = filesOf(daemon, "porch");
  const head = `POST /ingest/porch HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Camera-Token: ${porch.password}\r\n`;
  const part = `--b\r\nContent-Disposition: form-data; name="image"; filename="cut.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`;
  const form = Buffer.concat([
    Buffer.from(`${head}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 90000\r\n\r\n${part}`),
    (await picture()).subarray(0, 5_000),
  ]);
  await Promise.all(
    Array.from({ length: 60 }, async (_, number) => {
      const socket = connect(daemon.port, "127.0.0.1");
      socket.on("error", () => {});
      await once(socket, "connect");
      // some begin a second file, which waits for the first one
      socket.write(form.subarray(0, number % 3 === 0 ? form.length : form.length - (number % 5_200)));
      if (number % 3 === 0) socket.write(`\r\n${part}`);
      await new Promise((resolve) => setTimeout(resolve, number % 12));
      socket.resetAndDestroy();
    }),
  );
  await holds(() => expect(filesOf(daemon, "porch")).toEqual(before));
  expect((await send("porch/after.jpg", await picture(), bearer(porch))).status).toBe(201);
});

it("HTTP upload: a folder that cannot be used answers 503 with a time to try again", async () => {
  const home = join(daemon.cameraRoot, "yard");
  await rename(home, `${folder.path}/yard`);
  const refused = await send("yard/later.jpg", await picture(), bearer(yard));
  await rename(`${folder.path}/yard`, home);
  expect(refused).toMatchObject({ status: 503, body: { detail: expect.stringContaining("The folder of yard cannot be used") } });
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThanOrEqual(10);
});

it("HTTP upload: a file goes to the camera that its pattern names, or is refused with the fix", async () => {
  const nvr = await cameraWithLogin(daemon, "nvr", "http");
  await ask(daemon, "POST", "/api/cameras", { camera_id: "gate", name: "gate", folder_path: "nvr", file_pattern: "ch01*" });
  await ask(daemon, "POST", "/api/cameras/gate/logins/http", {});
  const gate = await cameraWithLogin(daemon, "gate", "http");
  const bytes = await picture();
  await holds(async () => {
    const refused = await send("gate/ch02.jpg", bytes, bearer(gate));
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("takes only ch01*, and ch02.jpg is one of camera nvr") },
    });
  });
  const own = await send("gate/ch01_a.jpg", bytes, bearer(gate));
  expect(own).toMatchObject({ status: 201, body: { camera_id: "gate" } });
  const assigned = await send("nvr/ch01_b.jpg", await picture(), bearer(nvr));
  expect(assigned).toMatchObject({ status: 201, body: { camera_id: "gate" } });
  const image = await ask(daemon, "GET", `/api/images/${assigned.body.image_id}`);
  expect(image.body.camera_id).toBe("gate");
  expect((await send("nvr/again.jpg", bytes, bearer(nvr))).status).toBe(409);
  expect((await send("nvr/snap.jpg", await picture(), bearer(nvr))).body).toMatchObject({ camera_id: "nvr" });
});

it("HTTP upload: pages of other sites and foreign hosts are refused", async () => {
  expect((await send("porch/x.jpg", await picture(), { ...bearer(porch), Origin: "https://evil.example" })).status).toBe(403);
});

it("HTTP upload: while homesec starts, a camera is asked to try again", async () => {
  const logins = new KnownLogins({ db: undefined as never, clock: systemClock, log: silentLog });
  const ingest = new Ingest({ logins } as never);
  const server = createServer((request, response) => ingest.handle(request, response, () => response.writeHead(404).end()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const early = await fetch(`${url}/ingest/porch/snap.jpg`, { method: "PUT", body: await picture() });
  expect(early.status).toBe(503);
  expect(Number(early.headers.get("Retry-After"))).toBeGreaterThanOrEqual(10);
  expect(await early.json()).toEqual({ detail: "homesec starts or stops at the moment; try again in half a minute" });
  expect((await fetch(`${url}/elsewhere`, { method: "PUT", body: "x" })).status).toBe(404);
  server.close();
});

it("HTTP upload: a deleted login stops working, and the receiver is off without one", async () => {
  await ask(daemon, "DELETE", "/api/cameras/yard/logins/http");
  await holds(async () => expect((await send("yard/x.jpg", await picture(), bearer(yard))).status).toBe(404));
});
