import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { startHomesec } from "../support/homesec-process.ts";
import { picturePath } from "../support/pictures.ts";
import { rtspServer } from "../support/rtsp-server.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { report } from "./report.ts";

const run = promisify(execFile);
/** The limit: seconds from the first command to a rated event. */
const atMostSeconds = 120;
/** A pulled camera shows people for this long; then its picture stays the same. */
const visitMs = 15_000;
const visitPictures = 10;

/** A camera's login, as `cameras connect` prints it. */
interface Login {
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

/** A home as a new user has it: nothing is configured. */
interface Home {
  readonly folder: string;
  readonly url: string;
  /** Types a command and returns what it printed. */
  type(...words: readonly string[]): Promise<string>;
  /** Creates the camera and its login: two commands. */
  connect(by: "ftp" | "mail" | "http"): Promise<Login>;
  /** Ends a stand-in of a camera with the home. */
  onClose(end: () => unknown): void;
}

/** A way to deliver: the commands that the user types, and what the camera does. */
const ways: Readonly<Record<string, (home: Home) => Promise<unknown>>> = {
  "files copied into the folder": async ({ folder, type }) => {
    await type("cameras", "add", "porch");
    await copyFile(picturePath(4), join(folder, "cameras/porch/a.jpg"));
  },
  "FTP, with curl": async ({ connect }) => {
    const { port, username, password } = await connect("ftp");
    await run("curl", ["-sS", "-T", picturePath(4), "--user", `${username}:${password}`, `ftp://127.0.0.1:${port}/a.jpg`]);
  },
  "FTP, with lftp": async ({ connect }) => {
    const { port, username, password } = await connect("ftp");
    await run("lftp", ["-u", `${username},${password}`, "-p", String(port), "127.0.0.1", "-e", `put ${picturePath(4)} -o a.jpg; bye`]);
  },
  "mail, with swaks": async ({ connect }) => {
    const { port, username, password } = await connect("mail");
    const to = ["--from", "cam@home", "--to", "porch@homesec.local", "--auth-user", username, "--auth-password", password];
    await run("swaks", ["--server", `127.0.0.1:${port}`, ...to, "--attach", `@${picturePath(4)}`]);
  },
  "mail, with msmtp": async ({ connect, folder }) => {
    const { port, username, password } = await connect("mail");
    const body = (await readFile(picturePath(4))).toString("base64").replaceAll(/.{76}/g, "$&\r\n");
    const mail = join(folder, "mail.txt");
    await writeFile(mail, `Subject: Motion\r\nContent-Type: image/jpeg\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}\r\n`);
    const options = `--host=127.0.0.1 --port=${port} --auth=plain --user=${username} --tls=off --from=a@b.c --passwordeval='echo ${password}'`;
    await run("sh", ["-c", `msmtp ${options} porch@homesec < ${mail}`]);
  },
  "HTTP, with curl": async ({ connect, url }) => {
    const { password } = await connect("http");
    await run("curl", ["-sS", "--fail", "-T", picturePath(4), "-H", `Authorization: Bearer ${password}`, `${url}/ingest/porch/`]);
  },
  "a snapshot address": async ({ type, onClose }) => {
    const begunAt = performance.now();
    const pictures = await Promise.all(Array.from({ length: visitPictures }, (_, number) => readFile(picturePath(number))));
    const camera = createServer((_request, response) => {
      const at = Math.min(visitPictures - 1, Math.floor(((performance.now() - begunAt) / visitMs) * visitPictures));
      response.writeHead(200, { "content-type": "image/jpeg" }).end(pictures[at]);
    });
    camera.listen(0, "127.0.0.1");
    await once(camera, "listening");
    onClose(() => camera.close());
    await type("cameras", "add", "porch", "--pull", `http://127.0.0.1:${(camera.address() as AddressInfo).port}/snap.jpg`, "--every", "2s");
  },
  "a stream (RTSP), with ffmpeg": async ({ type, folder, onClose }) => {
    const film = join(folder, "film.mp4");
    const rate = ["-framerate", String((visitPictures * 1_000) / visitMs), "-pattern_type", "glob"];
    const still = [
      "-vf",
      "tpad=stop_mode=clone:stop_duration=180,fps=10",
      "-c:v",
      "libx264",
      "-preset",
      "ultrafast",
      "-pix_fmt",
      "yuv420p",
    ];
    await run("ffmpeg", ["-v", "error", ...rate, "-i", picturePath(0).replace(/[^/]+$/, "*.jpg"), ...still, film]);
    const camera = await rtspServer({ source: ["-re", "-i", film] });
    onClose(() => camera.close());
    await type("cameras", "add", "porch", "--pull", camera.url, "--every", "1s");
  },
};

/** Seconds from `homesec serve` in an empty home to the first rated event. */
async function untilRated(way: (home: Home) => Promise<unknown>): Promise<number> {
  const data = temporaryFolder("first-event");
  const ends: (() => unknown)[] = [];
  const env = {
    ...{ DATA_DIR: data.path, PORT: String(await freePort()), RECEIVER_HOST: "127.0.0.1", FTP_PASSIVE_PORTS: "0" },
    ...{ FTP_PORT: String(await freePort()), MAIL_PORT: String(await freePort()) },
  };
  await mkdir(data.path, { recursive: true });
  const startedAt = performance.now();
  const daemon = startHomesec(["serve"], env);
  const [, url = ""] = await daemon.printed(/API\s+(http:\/\/\S+)/, 120_000);
  const type: Home["type"] = async (...words) => {
    const command = startHomesec(words, env);
    const { code } = await command.exit;
    if (code !== 0) throw new Error(`homesec ${words.join(" ")} exited with ${code}:\n${command.output()}`);
    return command.output();
  };
  try {
    await way({
      ...{ folder: data.path, url, type, onClose: (end) => void ends.push(end) },
      connect: async (by) => {
        await type("cameras", "add", "porch");
        const text = await type("cameras", "connect", "porch", "--by", by, "--wait", "0", "-o", "json");
        // The output has hints too
        return (JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)) as { settings: Login }).settings;
      },
    });
    for (;;) {
      const response = await fetch(`${url}/api/events`);
      const { items = [] } = (await response.json()) as { items?: { risk_score: number | null }[] };
      if (items.some(({ risk_score }) => risk_score !== null)) return (performance.now() - startedAt) / 1_000;
      if (performance.now() - startedAt > 5 * 60_000) throw new Error(`no event was rated:\n${daemon.output()}`);
      // Within the rate limit
      await sleep(1_000);
    }
  } finally {
    daemon.kill("SIGTERM");
    await daemon.exit;
    for (const end of ends) await end();
    await data.remove();
  }
}

test.for(Object.keys(ways))("first event by %s", async (name, { task }) => {
  const seconds = await untilRated(ways[name] as (home: Home) => Promise<unknown>);
  const what = `first command -> first event rated, ${name}`;
  report(task, { what, unit: "s", homesec: [seconds], compare: "absolute", limit: { atMost: atMostSeconds } });
});
