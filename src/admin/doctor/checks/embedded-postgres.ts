import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { Problem } from "../../../contract/problem.ts";
import { installedServer } from "../../../platform/database/embedded-binaries.ts";
import { type Check, finding, ok, skipped } from "../check.ts";

const answerMs = 4_000;

/** The check of the embedded server's program; `find` tells where it is. */
export function embeddedProgram(find: typeof installedServer = installedServer): Check {
  return {
    id: "embedded-postgres",
    group: "database",
    title: "Embedded PostgreSQL",
    severity: "error",
    finds: "The program of the embedded PostgreSQL is not installed for this platform, or does not run here",
    remedy: "npm ci without --omit=optional, or DATABASE_URL",
    async run(examination, signal) {
      const { databaseUrl, dataDir } = examination.config();
      if (databaseUrl !== undefined) return skipped("DATABASE_URL names another server");
      const ownServer = "or set DATABASE_URL to a PostgreSQL server";
      try {
        const { program, isComplete } = await find(dataDir);
        if (!isComplete) return skipped("its libraries get their links at the first start");
        await access(program, constants.X_OK);
        return ok(await versionOf(program, signal));
      } catch (error) {
        if (error instanceof Problem) {
          const [what, ...how] = error.message.split("; ");
          return finding(what ?? error.message, how.join("; "));
        }
        const { code, message } = error as NodeJS.ErrnoException;
        return finding(
          `The embedded PostgreSQL does not run here: ${message.trim().split("\n").at(-1)}`,
          code === "ENOENT" ? `Install homesec whole again (npm ci), ${ownServer}` : `Install what it misses (ldd shows it), ${ownServer}`,
        );
      }
    },
  };
}

function versionOf(program: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, ["--version"], { timeout: answerMs, signal }, (error, out) => (error ? reject(error) : resolve(out.trim())));
  });
}

export const embeddedChecks: readonly Check[] = [embeddedProgram()];
