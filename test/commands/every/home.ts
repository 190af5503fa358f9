import { join } from "node:path";
import { execa } from "execa";
import { cli } from "../../support/cli.ts";
import { testDatabase } from "../../support/database.ts";
import { cleanEnvironment, type HomesecProcess, serveHomesec } from "../../support/homesec-process.ts";
import { receiver } from "../../support/receiver.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../../support/upstream.ts";
import { furnish } from "./furnish.ts";
import { words } from "./shell.ts";

/** Exit code and output of a command. */
export interface Ended {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  /** Standard input. */
  readonly input?: string | undefined;
  /** Replaces variables of the home. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A home with a running daemon that requires a key, and old data of every kind. */
export interface Home {
  readonly url: string;
  /** The address for webhooks and other calls. */
  readonly hook: string;
  /** The working folder of commands, with the files they name. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The variables of an empty database, for `homesec db restore`. */
  readonly elsewhere: Readonly<Record<string, string>>;
  readonly daemon: HomesecProcess;
  /** Runs the real program with these arguments of `homesec`. */
  homesec(line: string, running?: Running): Promise<Ended>;
  /** The same in this process, which is much faster. */
  here(line: string, running?: Running): Promise<Ended>;
  close(): Promise<void>;
}

const program = new URL("../../../dist/bin/homesec.js", import.meta.url).pathname;
/** A search for cameras stays on this machine. */
const onLoopback = { HOMESEC_DISCOVERY_TARGET: "127.0.0.1:9" };
const key = "the-key-of-this-home-0123456789abcdef";

/** Starts a home. Only the detector, which finds no people, and the language model are stand-ins. */
export async function openHome(): Promise<Home> {
  const folder = temporaryFolder("every");
  const [database, spare, detector, model, hook] = await Promise.all([
    testDatabase(),
    testDatabase(),
    detectorStandIn({ answer: () => ({ detections: [], inference_time_ms: 5, image_width: 768, image_height: 576 }) }),
    languageModelStandIn(),
    receiver(() => ({ status: 204 })),
  ]);
  const data = { DATABASE_URL: database.url, DATA_DIR: join(folder.path, "data"), RETENTION_DAYS: "3650" };
  const daemon = await serveHomesec({
    ...data,
    ...{ DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, CAMERA_OFFLINE_AFTER_SECONDS: "864000", LOG_RETENTION_DAYS: "3650" },
    ...{ API_KEY_ENABLED: "true", API_KEYS: key },
  });
  const editor = "sed -i -e 's/^severity: .*/severity: low/'";
  const env = {
    ...data,
    HOMESEC_URL: daemon.url,
    HOMESEC_API_KEY: key,
    HOME: folder.path,
    TZ: "UTC",
    EDITOR: editor,
    VISUAL: "",
    ...onLoopback,
  };
  await furnish({ url: daemon.url, key, hook: hook.url, database, folder: folder.path });
  return {
    url: daemon.url,
    hook: hook.url,
    folder: folder.path,
    env,
    elsewhere: { DATABASE_URL: spare.url, DATA_DIR: join(folder.path, "elsewhere") },
    daemon,
    homesec: async (line, { input, env: own } = {}) => {
      const ended = await execa(process.execPath, [program, ...words(line)], {
        env: cleanEnvironment({ ...env, ...own }),
        extendEnv: false,
        cwd: folder.path,
        reject: false,
        stripFinalNewline: false,
        ...(input === undefined ? { stdin: "ignore" as const } : { input }),
      });
      return { code: ended.exitCode, out: String(ended.stdout ?? ""), err: String(ended.stderr ?? "") };
    },
    here: (line, { input, env: own } = {}) => {
      const given = { env: { PATH: process.env["PATH"], ...env, ...own }, cwd: folder.path, home: folder.path };
      return cli(words(line), { ...given, ...(input === undefined ? {} : { input }) });
    },
    close: async () => {
      daemon.kill("SIGTERM");
      await daemon.exit;
      await Promise.all([detector.close(), model.close(), hook.close(), database.close(), spare.close()]);
      await folder.remove();
    },
  };
}
