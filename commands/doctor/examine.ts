import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { type Check, NotPossible } from "../../src/admin/doctor/check.ts";
import type { Examination } from "../../src/admin/doctor/examination.ts";
import { thisMachine } from "../../src/admin/doctor/machine.ts";
import { type DoctorReport, reportOf } from "../../src/admin/doctor/report.ts";
import { runChecks } from "../../src/admin/doctor/run-checks.ts";
import { notPossible, once, schemaOf } from "../../src/admin/doctor/schema.ts";
import { findShares } from "../../src/admin/doctor/shares.ts";
import { within } from "../../src/base/lifecycle/lifecycle.ts";
import type { Problem } from "../../src/contract/problem.ts";
import type { ParsedConfig } from "../../src/platform/config/config.ts";
import { WrongConfiguration } from "../../src/platform/config/parse.ts";
import { configuredSettings, createSettings } from "../../src/platform/config/settings.ts";
import { dataFolderHolder } from "../../src/platform/database/data-folder.ts";
import { commandLog } from "../direct.ts";
import type { Host } from "../host.ts";
import type { Io } from "../io.ts";
import { databaseOpener } from "./database.ts";
import { daemonFinder } from "./find-daemon.ts";

/** Checks of services wait this long for the settings in the database, then use the configuration. */
const settingsMs = 2_000;

/** The input of the checks, opened on first use. */
export interface Examined {
  readonly examination: Examination;
  /** Closes the database. Takes two seconds at most. */
  close(): Promise<void>;
}

/** Collects the input of the checks. Throws `Problem("invalid")` for wrong usage; a check reports errors in the configuration. */
export async function examine(io: Io): Promise<Examined> {
  const { host } = io;
  const { clock } = host;
  const log = commandLog(io);
  const parsed = await configurationOf(io);
  const config = () => {
    if (parsed instanceof Error) throw new NotPossible("the configuration has errors");
    return parsed.config;
  };
  const machine = thisMachine({ env: host.env, cwd: host.cwd, configPath: io.global.config });
  const shares = once(async () => await findShares(machine, config()));
  const holder = once(async () => {
    if ((await shares()).silentForData.length > 0) throw new NotPossible("a network share does not answer");
    const { dataDir } = config();
    return await dataFolderHolder(dataDir).catch((cause: unknown) => notPossible("this user may not read the data folder", cause));
  });
  // read the lock before the database is opened, because that takes the lock for a moment
  if (!(parsed instanceof Error)) await holder().catch(() => {});
  const lookForDaemon = once(await daemonFinder(io, parsed, machine));
  const isForeign = once(async () => (await isAccessRefused(config().dataDir)) && "client" in (await lookForDaemon()));
  const opener = databaseOpener({ machine, config, shares, holder, log });
  const database = once(opener.open);
  const { migrations, rows } = schemaOf(database);
  const settings = once(async () => {
    const read = async () => {
      const stored = createSettings({ db: await rows(), config: config(), log, clock });
      await stored.load();
      return stored.current();
    };
    try {
      return await within(settingsMs, read, new NotPossible("the database does not answer"));
    } catch (error) {
      if (error instanceof NotPossible) return configuredSettings(config());
      throw error;
    }
  });
  return {
    examination: {
      machine,
      isDaemon: false,
      clock,
      version: host.version,
      parsed,
      config,
      shares,
      isForeign,
      holder,
      database,
      migrations,
      rows,
      settings,
      lookForDaemon,
      daemon: async () => {
        const daemon = await lookForDaemon();
        if (!("client" in daemon)) throw new NotPossible(daemon.asked ? "no daemon answers" : daemon.absent);
        if (!daemon.admitted) throw new NotPossible("the daemon requires an API key");
        return daemon;
      },
    },
    close: opener.close,
  };
}

async function isAccessRefused(folder: string): Promise<boolean> {
  const refused = (error: NodeJS.ErrnoException): boolean => error.code === "EACCES";
  return await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(() => false, refused);
}

async function configurationOf(io: Io): Promise<ParsedConfig | Problem> {
  try {
    return await io.configuration();
  } catch (error) {
    if (error instanceof WrongConfiguration) return error;
    throw error;
  }
}

/** Runs checks in this process. `begun` is the monotonic time at which the command began. */
export async function checkHere(
  { clock, version }: Host,
  checks: readonly Check[],
  examination: Examination,
  begun: number,
): Promise<DoctorReport> {
  const reports = await runChecks(checks, examination);
  const elapsedMs = Math.round(clock.monotonic() - begun);
  return reportOf({ version, host: examination.machine.hostName, checked_at: clock.now(), elapsed_ms: elapsedMs }, reports);
}
