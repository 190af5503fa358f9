import type { Examination } from "../../src/admin/doctor/examination.ts";
import { isNear, type Machine } from "../../src/admin/doctor/machine.ts";
import { nameFault } from "../../src/admin/doctor/names.ts";
import { createHttpClient } from "../../src/contract/http-client.ts";
import { Problem } from "../../src/contract/problem.ts";
import { routes } from "../../src/contract/routes/index.ts";
import { fetchTrusting } from "../../src/monitoring/upstream/http.ts";
import type { ParsedConfig } from "../../src/platform/config/config.ts";
import type { Io } from "../io.ts";

const answerTimeoutMs = 2_500;

/** Returns a function that looks for the daemon. Throws `Problem("invalid")` for an invalid address or key file. */
export async function daemonFinder(io: Io, parsed: ParsedConfig | Error, machine: Machine): Promise<Examination["lookForDaemon"]> {
  const notTried = (absent: string) => async () => ({ absent, asked: false }) as const;
  if (io.global.direct) return notTried("--direct uses no daemon");
  if (parsed instanceof Error) return notTried("the configuration has errors");
  const { url, apiKey, ca } = await io.endpoint();
  return async () => {
    const fault = await nameFault(machine, new URL(url).hostname);
    if (fault !== undefined) return { absent: `No homesec daemon answers at ${url} (${fault})`, asked: true };
    const client = createHttpClient({
      url,
      apiKey,
      fetch: ca === undefined ? undefined : fetchTrusting(ca),
      timeoutMs: answerTimeoutMs,
      maxWaitMs: 0,
    });
    try {
      const { version } = await client.call(routes.alive, {});
      return {
        url,
        version,
        client,
        isNear: isNear(url, machine),
        admitted: await isAdmitted(() => client.call(routes.getFullHealth, {})),
      };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { absent: error.message.split("; ")[0] ?? error.message, asked: true };
    }
  };
}

async function isAdmitted(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (error instanceof Problem && ["unauthorized", "forbidden"].includes(error.kind)) return false;
    throw error;
  }
}
