import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import postgres from "postgres";
import sharp from "sharp";
import { attachEmbeddedPostgres } from "../../src/platform/database/embedded-postgres.ts";
import { freePort } from "../support/free-port.ts";
import { type HomesecProcess, serveHomesec } from "../support/homesec-process.ts";
import { type MailServer, type MailServerOptions, mailServer, type ReceivedMail } from "../support/mail-server.ts";
import { pictureNames, picturePath, renameIn } from "../support/pictures.ts";
import { type Receiver, receiver } from "../support/receiver.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../support/upstream.ts";
import { type Idle, startIdle } from "./idle.ts";

const cameras = ["front", "back", "garage", "yard", "drive", "gate"];

/** The real program with everything that it talks to. */
export interface Home {
  readonly daemon: HomesecProcess & { readonly url: string };
  readonly detector: StandIn;
  readonly model: StandIn;
  /** DEFAULT_WEBHOOK_URL, and an outbound webhook. */
  readonly channel: Receiver;
  readonly hook: Receiver;
  /** Reference for the event loop. */
  readonly idle: Idle;
  readonly dataDir: string;
  readonly insideFile: string;
  /** Paths of all uploaded pictures. */
  readonly uploaded: readonly string[];
  /**
   * Deletes the oldest processed pictures until this many are left; does nothing while the database is away. Returns how many were
   * deleted in total.
   */
  keepNewest(count: number): Promise<number>;
  /** Uploads this many pictures per second until the returned function is called. */
  upload(rate: number): () => Promise<void>;
  mailServer(how: MailServerOptions | "down"): Promise<void>;
  mails(): readonly ReceivedMail[];
  ask(call: string, body?: object): Promise<Response>;
  /** Runs statements on its database; fails while that is away. */
  query<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Pictures as small as a cheap camera's, so that an hour of them fits on any disk. */
const smallPictures = (): Promise<readonly Buffer[]> =>
  Promise.all(pictureNames.map((_, index) => sharp(picturePath(index)).resize(320).jpeg({ quality: 60 }).toBuffer()));

/** A picture made unique by a comment. */
function withComment(bytes: Buffer, comment: string): Buffer {
  const segment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, comment.length + 2]), Buffer.from(comment, "latin1")]);
  return Buffer.concat([bytes.subarray(0, 2), segment, bytes.subarray(2)]);
}

export async function openHome(): Promise<Home> {
  const [folder, notes] = [temporaryFolder("soak"), temporaryFolder("soak-inside")];
  const dataDir = folder.path;
  const insideFile = join(notes.path, "inside.ndjson");
  const [detector, model, channel, hook, port, pictures] = await Promise.all([
    detectorStandIn({ delayMs: 5 }),
    languageModelStandIn({ delayMs: 50 }),
    receiver(),
    receiver(),
    freePort(),
    smallPictures(),
  ]);
  let server: MailServer | undefined = await mailServer({ port });
  const arrived: ReceivedMail[] = [];
  const stopMail = async (): Promise<void> => {
    arrived.push(...(server?.mails ?? []));
    await server?.close();
    server = undefined;
  };
  const daemon = await serveHomesec({
    ...{ DATA_DIR: dataDir, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
    ...{ BATCH_WINDOW_SECONDS: "10", BATCH_IDLE_TIMEOUT_SECONDS: "3", LANGUAGE_MODEL_READ_TIMEOUT: "10", WEBHOOK_TIMEOUT_SECONDS: "5" },
    ...{ SMTP_HOST: "127.0.0.1", SMTP_PORT: String(port), SMTP_FROM_ADDRESS: "homesec@example.org" },
    ...{ DEFAULT_EMAIL_RECIPIENTS: "me@example.org", DEFAULT_WEBHOOK_URL: channel.url },
    // One built-in service that can be killed. Without vectors: those of a day stay in memory, up to a limit that an hour does not reach.
    ...{ VISION_EXTRACTION_ENABLED: "true", REID_ENABLED: "false" },
    ...{ NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, "inside.mjs")).href}`, SOAK_INSIDE_FILE: insideFile },
    ...{ SOAK_SNAPSHOTS: process.env["SOAK_SNAPSHOTS"] ?? "", LOG_LEVEL: process.env["SOAK_LOG_LEVEL"] ?? "warn" },
  });
  const idle = await startIdle(join(notes.path, "idle.ndjson"));
  const ask = (call: string, body?: object): Promise<Response> => {
    const [method = "GET", path = ""] = call.split(" ");
    const init = body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    return fetch(`${daemon.url}${path}`, { method, ...init, signal: AbortSignal.timeout(30_000) });
  };
  const everything = ["event_created", "event_enriched", "batch_analysis_started", "batch_analysis_completed", "alert_fired"];
  await ask("POST /api/alerts/rules", { name: "Anybody", severity: "high", channels: ["email", "webhook"], cooldown_seconds: 0 });
  await ask("POST /api/outbound-webhooks", { name: "All", url: hook.url, event_types: everything });

  const uploaded: string[] = [];
  const uploadOne = async (): Promise<void> => {
    const number = uploaded.length;
    const path = join(dataDir, "cameras", cameras[number % cameras.length] as string, `${String(number).padStart(6, "0")}.jpg`);
    uploaded.push(path);
    await renameIn(path, withComment(pictures[number % pictures.length] as Buffer, `picture ${number}`));
  };
  let removed = 0;
  const query: Home["query"] = async (work) => {
    const address = await attachEmbeddedPostgres(dataDir);
    if (!address) throw new Error("the embedded server does not run");
    const { socketDir: host, port: at, database, user: username } = address;
    const sql = postgres({ host, port: at, database, username, max: 1, connect_timeout: 2, onnotice: () => {} });
    try {
      return await work(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
  };
  return {
    ...{ daemon, detector, model, channel, hook, idle, dataDir, insideFile, uploaded, ask, query },
    keepNewest: async (count) => {
      const old = uploaded.slice(removed, Math.max(removed, uploaded.length - count));
      const done = await query(
        (sql) =>
          sql<
            { path: string }[]
          >`select r.path || '/' || i.path as path from images i cross join camera_root r where r.path || '/' || i.path = any (${[...old]}) and i.status = 'processed'`,
      ).catch(() => []);
      const seen = new Set(done.map(({ path }) => path));
      for (const path of old) {
        if (!seen.has(path)) break;
        await unlink(path);
        removed += 1;
      }
      return removed;
    },
    upload: (rate) => {
      const begun = performance.now();
      let own = 0;
      let goesOn = true;
      const done = (async () => {
        while (goesOn) {
          await uploadOne();
          own += 1;
          const due = begun + (own * 1000) / rate;
          await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
        }
      })();
      return async () => {
        goesOn = false;
        await done;
      };
    },
    mailServer: async (how) => {
      await stopMail();
      if (how !== "down") server = await mailServer({ ...how, port });
    },
    mails: () => [...arrived, ...(server?.mails ?? [])],
    close: async () => {
      idle.close();
      await Promise.all([detector.close(), model.close(), channel.close(), hook.close(), stopMail()]);
      await folder.remove();
      // Keeps heap snapshots if requested.
      if (process.env["SOAK_SNAPSHOTS"] === undefined) await notes.remove();
    },
  };
}
