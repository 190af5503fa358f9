import type { Check } from "../../src/admin/doctor/check.ts";
import { type DoctorReport, reportOf } from "../../src/admin/doctor/report.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Io } from "../io.ts";

/**
 * Lets the addressed daemon run its checks, and returns those that the user chose. Throws `Problem` as every request to a daemon does, and
 * `Problem("unavailable")` if the daemon is of a version that cannot check itself.
 */
export async function askDaemon(io: Io, chosen: readonly Check[]): Promise<DoctorReport> {
  const report = await io.call("getDoctorReport", {}).catch(async (error: unknown) => {
    if (!(error instanceof Problem) || error.kind !== "not_found") throw error;
    const { url } = await io.endpoint();
    const message = `The daemon at ${url} cannot check itself, because it is older than 0.3.0 or runs without the role api; update it, or run homesec doctor on its machine`;
    throw new Problem("unavailable", message, { cause: error });
  });
  const ids = new Set(chosen.map(({ id }) => id));
  return reportOf(
    report,
    report.checks.filter(({ id }) => ids.has(id)),
  );
}
