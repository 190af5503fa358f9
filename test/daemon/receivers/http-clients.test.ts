import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { uniqueJpeg } from "../../support/pictures.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { cameraWithLogin, filesOf, holds, isInstalled, listening, output } from "./deliveries.ts";

let daemon: TestDaemon;
let folder: ReturnType<typeof temporaryFolder>;
let password: string;

beforeAll(async () => {
  folder = temporaryFolder("http-clients");
  daemon = await testDaemon({ env: { RECEIVER_HOST: "127.0.0.1", MAIL_PORT: "0", FTP_PORT: "0" } });
  ({ password } = await cameraWithLogin(daemon, "porch", "http"));
  await listening(daemon, "http");
});
afterAll(async () => {
  await daemon.stop();
  await folder.remove();
});

const crlf = "\r\n";

/** Sends requests over one connection, each after the answer to the one before, and returns the statuses. */
async function dialogue(requests: readonly { readonly head: readonly string[]; readonly body: Uint8Array }[]): Promise<readonly string[]> {
  const socket = connect(daemon.port, "127.0.0.1");
  await once(socket, "connect");
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
  });
  const statuses: string[] = [];
  for (const { head, body } of requests) {
    received = "";
    socket.write([...head, "", ""].join(crlf));
    // a client that expects 100 sends nothing before it
    if (head.includes("Expect: 100-continue")) await expect.poll(() => received).toMatch(/^HTTP\/1\.1 100 /);
    received = "";
    socket.write(body);
    await expect.poll(() => received, { timeout: 10_000 }).toMatch(/^HTTP\/1\.1 \d{3} [\s\S]*\r\n\r\n\{.*\}$/);
    statuses.push(received.slice(9, 12));
  }
  socket.destroy();
  return statuses;
}

/** A body in pieces, as of a client that does not know its length. */
function inChunks(bytes: Uint8Array): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 8_000) {
    const part = bytes.subarray(at, at + 8_000);
    parts.push(Buffer.from(`${part.length.toString(16)}${crlf}`), Buffer.from(part), Buffer.from(crlf));
  }
  return Buffer.concat([...parts, Buffer.from(`0${crlf}${crlf}`)]);
}

it("HTTP clients: motion's curl waits for 100, names the file by time and has the password in the path", async () => {
  const body = await uniqueJpeg();
  const head = [
    ...[
      `PUT /ingest/porch/${password}/01-20261128081349-04.jpg HTTP/1.1`,
      "Host: 127.0.0.1:8000",
      "User-Agent: curl/7.88.1",
      "Accept: */*",
    ],
    ...[`Content-Length: ${body.length}`, "Expect: 100-continue"],
  ];
  expect(await dialogue([{ head, body }])).toEqual(["201"]);
  expect(filesOf(daemon, "porch")).toContain("01-20261128081349-04.jpg");
});

it("HTTP clients: OpenIPC pipes its snapshot into curl, which sends pieces, and uses one name for all of its pictures", async () => {
  const head = [
    ...[`PUT /ingest/porch/${password}/snap.jpg HTTP/1.1`, "Host: 127.0.0.1:8000", "User-Agent: curl/8.7.1", "Accept: */*"],
    ...["Transfer-Encoding: chunked", "Expect: 100-continue"],
  ];
  for (let count = 0; count < 3; count += 1) expect(await dialogue([{ head, body: inChunks(await uniqueJpeg()) }])).toEqual(["201"]);
  expect(filesOf(daemon, "porch")).toEqual(expect.arrayContaining(["snap.jpg", "snap-2.jpg", "snap-3.jpg"]));
});

it("HTTP clients: Shortcuts posts a file without a name, and a form, over one connection that stays open", async () => {
  const general = [
    ...["Host: 127.0.0.1:8000", "Accept: */*", `Authorization: Bearer ${password}`, "Accept-Language: en-GB,en;q=0.9"],
    ...[
      "Accept-Encoding: gzip, deflate",
      "User-Agent: BackgroundShortcutRunner/3607.0.2 CFNetwork/1568.200.51 Darwin/24.1.0",
      "Connection: keep-alive",
    ],
  ];
  const file = await uniqueJpeg();
  const boundary = "Boundary-5C8E7A50-1B0B-4C7E-8B59-60A4E2D7F3B1";
  const form = Buffer.concat([
    Buffer.from([`--${boundary}`, 'Content-Disposition: form-data; name="image"; filename="IMG_0042.jpeg"'].join(crlf)),
    Buffer.from([`${crlf}Content-Type: image/jpeg`, "", ""].join(crlf)),
    await uniqueJpeg(),
    Buffer.from(`${crlf}--${boundary}--${crlf}`),
  ]);
  const post = "POST /ingest/porch HTTP/1.1";
  expect(
    await dialogue([
      { head: [post, ...general, "Content-Type: image/jpeg", `Content-Length: ${file.length}`], body: file },
      { head: [post, ...general, `Content-Type: multipart/form-data; boundary=${boundary}`, `Content-Length: ${form.length}`], body: form },
    ]),
  ).toEqual(["201", "201"]);
  expect(filesOf(daemon, "porch")).toEqual(expect.arrayContaining([expect.stringMatching(/^picture-[0-9a-f]{8}\.jpg$/), "IMG_0042.jpeg"]));
});

it("HTTP clients: the commands of the docs for OpenIPC and Home Assistant deliver", async () => {
  const path = join(folder.path, "assistant.jpg");
  const url = `${daemon.url}/ingest/porch/${password}`;
  // Home Assistant and OpenIPC run the whole line in a shell
  for (const line of [`curl -sS -T ${path} ${url}/assistant.jpg`, `cat ${path} | curl -sS -T - ${url}/piped.jpg`]) {
    await writeFile(path, await uniqueJpeg());
    expect(await output("sh", ["-c", line])).toContain('"image_id":');
  }
  expect(filesOf(daemon, "porch")).toEqual(expect.arrayContaining(["assistant.jpg", "piped.jpg"]));
});

it.skipIf(!isInstalled("motion") || !isInstalled("ffmpeg"))("HTTP clients: motion itself delivers by the line of the docs", async () => {
  const clip = join(folder.path, "clip.mp4");
  await output("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=5", "-t", "30", "-pix_fmt", "yuv420p", clip]);
  const target = join(folder.path, "motion");
  await mkdir(target);
  const settings = [
    ...["daemon off", "setup_mode off", `netcam_url file://${clip}`, "width 320", "height 240", "framerate 5", "emulate_motion on"],
    ...["picture_output first", "movie_output off", `target_dir ${target}`, "webcontrol_port 0", "stream_port 0"],
    `on_picture_save curl -sS -T %f ${daemon.url}/ingest/porch/${password}/`,
  ];
  const file = join(folder.path, "motion.conf");
  await writeFile(file, settings.join("\n"));
  const motion = spawn("motion", ["-n", "-c", file], { stdio: "ignore" });
  const ended = once(motion, "exit");
  await holds(() => expect(filesOf(daemon, "porch").filter((name) => /^01-\d{14}-\d\d\.jpg$/.test(name)).length).toBeGreaterThan(1));
  motion.kill("SIGTERM");
  await Promise.race([ended, sleep(5_000)]);
  motion.kill("SIGKILL");
});
