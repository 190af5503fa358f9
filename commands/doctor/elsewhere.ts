import type { AnsweringDaemon, Examination } from "../../src/admin/doctor/examination.ts";
import { isNear } from "../../src/admin/doctor/machine.ts";
import { Problem } from "../../src/contract/problem.ts";
import { routes } from "../../src/contract/routes/index.ts";
import type { DataFolderHolder } from "../../src/platform/database/data-folder.ts";
import type { Io } from "../io.ts";

/**
 * Whether the addressed daemon works with other settings than this command, so that checks here would examine the wrong ones. This is so
 * when all of this holds:
 *
 * - The user gave an address (--url or HOMESEC_URL), and not --direct. The address of the configuration is that of its own daemon.
 * - The daemon is not the living process that holds DATA_DIR of these settings. The file `homesec.pid` names that process, and the first
 *   daemon of GET /api/system/daemons is the one that answered, with its host and process number. The address says less: a tunnel or the
 *   port of a container has an address of this machine.
 * - If one of the two cannot be read, the host of the address decides: it is none of this machine. A daemon that refuses the key cannot be
 *   the one of these settings either when no living process holds DATA_DIR.
 */
export async function isElsewhere(io: Io, examination: Examination): Promise<boolean> {
  if (io.global.direct || examination.parsed instanceof Error) return false;
  const { url, isGiven } = await io.endpoint();
  if (!isGiven) return false;
  const isFar = !isNear(url, examination.machine);
  const holder = await examination.holder().catch(() => "unknown" as const);
  if (holder === "unknown") return isFar;
  const daemon = await examination.lookForDaemon();
  if (!("client" in daemon)) return isFar;
  if (!holder?.lives) return true;
  if (!daemon.admitted) return isFar;
  return await isAnother(daemon, holder, examination.machine.hostName).catch((error: unknown) => {
    if (error instanceof Problem) return isFar;
    throw error;
  });
}

/** Whether the daemon is another process than the holder of the data folder. Throws `Problem` if it does not say which one it is. */
async function isAnother({ client }: AnsweringDaemon, holder: DataFolderHolder, hostName: string): Promise<boolean> {
  const { daemons } = await client.call(routes.listDaemons, {});
  const [own] = daemons;
  return own === undefined || own.host !== hostName || own.pid !== holder.pid;
}
