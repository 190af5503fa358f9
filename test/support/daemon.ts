import { type Daemon, startDaemon } from "../../daemon/daemon.ts";
import type { Clock } from "../../src/base/clock/clock.ts";
import { type Log, silentLog } from "../../src/base/log/log.ts";
import { parseConfig } from "../../src/platform/config/parse.ts";
import { redisOf } from "./redis-for-all.ts";
import { temporaryFolder } from "./temporary.ts";

export interface TestDaemon extends Daemon {
  readonly dataDir: string;
  readonly cameraRoot: string;
}

/** Addresses without a service. Where no picture is processed and no health is asked for, they save the start of the built-in services. */
export const noServices = { DETECTOR_URL: "http://127.0.0.1:9", LANGUAGE_MODEL_URL: "http://127.0.0.1:9" } as const;

/** The real daemon in this process, on a free port, with a temporary data folder that `stop` removes. */
export async function testDaemon(options: {
  readonly env: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly log?: Log;
}): Promise<TestDaemon> {
  const folder = temporaryFolder("daemon");
  const { config } = parseConfig({
    // A test sends more requests than any person, and each built-in service costs a process: tests about limits or enrichment switch these
    // on again.
    env: {
      ...{ DATA_DIR: folder.path, PORT: "0", RATE_LIMIT_ENABLED: "false" },
      ...{ VISION_EXTRACTION_ENABLED: "false", REID_ENABLED: "false" },
      ...{ RECEIVER_HOST: "127.0.0.1", FTP_PORT: "0", FTP_PASSIVE_PORTS: "0", MAIL_PORT: "0" },
      ...redisOf({ DATA_DIR: folder.path, ...options.env }),
      ...options.env,
    },
    isRoot: process.getuid?.() === 0,
    home: folder.path,
    cwd: folder.path,
  });
  const daemon = await startDaemon({
    config,
    log: options.log ?? silentLog,
    strictReplies: true,
    ...(options.clock && { clock: options.clock }),
  });
  return {
    ...daemon,
    dataDir: config.dataDir,
    cameraRoot: config.cameraRoot,
    stop: async () => {
      await daemon.stop();
      await folder.remove();
    },
  };
}
