import { access } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../../../base/version.ts";
import { type Check, finding, NotPossible, ok } from "../check.ts";
import { livingVersions } from "../doctor-repository.ts";
import { listed } from "../wording.ts";

/** What the program reads besides its own code. */
const needed = [
  "migrations",
  "mail-templates",
  "demo",
  join("dist", "daemon", "builtin", "detector", "main.js"),
  join("dist", "bin", "homesec.js"),
];

/** The check of the files of the program, below its folder. */
export function programFiles(root: () => string = packageRoot): Check {
  return {
    id: "program-files",
    group: "program",
    title: "Files of the program",
    severity: "error",
    finds: "Files that belong to homesec are missing: it was not built, or not installed whole",
    remedy: "npm ci, or npm run build in a clone",
    async run() {
      const folder = root();
      const there = await Promise.all(
        needed.map((path) =>
          access(join(folder, path)).then(
            () => true,
            () => false,
          ),
        ),
      );
      const missing = needed.filter((_, at) => !there[at]);
      if (missing.length === 0) return ok(folder);
      return finding(
        `${listed(missing, 3, ", ")} ${missing.length === 1 ? "is" : "are"} missing in ${folder}`,
        `Install it whole again: cd ${folder} && npm ci && npm run build`,
      );
    },
  };
}

const version: Check = {
  id: "version",
  group: "program",
  title: "Version",
  severity: "warning",
  finds: "A running homesec is of another version than this program: it was updated and not restarted, or another machine was not",
  remedy: "Restart homesec; bring all machines on one database to one version",
  async run(examination) {
    const own = examination.version;
    const daemon = await examination.lookForDaemon();
    if ("client" in daemon && daemon.version !== own) {
      return finding(
        `The daemon at ${daemon.url} is version ${daemon.version}, this program is ${own}`,
        "Restart homesec, so that the program that is installed runs: systemctl restart homesec",
      );
    }
    const others = await examination.rows().then(
      (db) => db.query(livingVersions),
      (error: unknown) => {
        if (error instanceof NotPossible) return [];
        throw error;
      },
    );
    const different = others.filter((other) => other.version !== own);
    if (different.length === 0) return ok(own);
    return finding(
      `${listed(different.map((other) => `${other.host} runs ${other.version}`))} on this database, this program is ${own}`,
      `Install version ${own} there too, and restart it`,
    );
  },
};

export const programChecks: readonly Check[] = [programFiles(), version];
