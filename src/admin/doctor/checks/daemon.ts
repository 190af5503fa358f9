import { pluralize } from "../../../base/text/format.ts";
import { routes } from "../../../contract/routes/index.ts";
import { isFinding, passedOverParts } from "../../../monitoring/cameras/passed-over.ts";
import { type Check, finding, notPossible, ok, skipped } from "../check.ts";
import { listed } from "../wording.ts";

const daemon: Check = {
  id: "daemon",
  replaces: ["data-folder-lock"],
  group: "daemon",
  title: "Daemon",
  severity: "error",
  finds: "No daemon answers, so no camera is monitored: it does not run, was killed, or hangs; or it rejects the API key",
  async run(examination) {
    const daemon = await examination.lookForDaemon();
    if ("client" in daemon) {
      if (daemon.admitted) return ok(daemon.url);
      return finding(
        `The daemon at ${daemon.url} requires an API key and got none, or a wrong one`,
        "Set HOMESEC_API_KEY, or pass the key with --api-key-file",
        "warning",
      );
    }
    if (!daemon.asked) return skipped(daemon.absent);
    const holder = await examination.holder().catch(notPossible);
    if (holder?.lives)
      return finding(
        `homesec (pid ${holder.pid}) holds the data folder, but no daemon answers: ${daemon.absent}`,
        `It may be starting, or listen elsewhere (pass --url). If it hangs: kill ${holder.pid}, then start it again`,
      );
    return finding(
      holder === undefined ? daemon.absent : `${daemon.absent}. homesec (pid ${holder.pid}) was killed, or the machine lost power`,
      "Start it with homesec serve or systemctl start homesec. For a daemon elsewhere, pass --url; to check without one: homesec doctor --direct",
    );
  },
};

const workers: Check = {
  id: "workers",
  group: "daemon",
  title: "Workers",
  severity: "error",
  finds: "A worker of the daemon is not running",
  async run(examination) {
    const { client } = await examination.daemon();
    const { workers } = await client.call(routes.listWorkers, {});
    const stopped = workers.filter(({ running }) => !running);
    if (stopped.length === 0) return ok(`${workers.length} running`);
    return finding(
      listed(stopped.map(({ name, message }) => `The worker ${name} is not running${message ? `: ${message}` : ""}`)),
      "Fix the cause in the message; the worker then restarts automatically. If it does not: systemctl restart homesec",
    );
  },
};

const breakers: Check = {
  id: "breakers",
  group: "upstream",
  title: "Circuit breakers",
  severity: "error",
  finds: "A service failed several times in a row, so the daemon paused requests to it",
  async run(examination) {
    const { client } = await examination.daemon();
    const { breakers } = await client.call(routes.listBreakers, {});
    const open = breakers.filter(({ state }) => state !== "closed");
    if (open.length === 0) return ok("all closed");
    return finding(
      listed(open.map(({ name, state, failure_count }) => `The breaker of ${name} is ${state} after ${failure_count} failures in a row`)),
      `Fix the service, then: ${open.map(({ name }) => `homesec breakers reset ${name}`).join(" && ")}. homesec also retries every 30 s`,
    );
  },
};

const stuckFiles: Check = {
  id: "stuck-files",
  group: "cameras",
  title: "Incomplete uploads",
  severity: "warning",
  finds: "Uploads broke off: the files stay incomplete and homesec never processes them",
  async run(examination) {
    const { client } = await examination.daemon();
    const { file_watcher: watcher } = await client.call(routes.getPipeline, {});
    if (watcher.stuck.length === 0) return ok(`${watcher.pending} in progress`);
    return finding(
      listed(watcher.stuck.map(({ path, reason }) => `${path}: ${reason}`)),
      "Find out why uploads of that camera break off (disk, network, quota of its FTP user); then delete the incomplete files",
    );
  },
};

const passedOver: Check = {
  id: "passed-over",
  group: "cameras",
  title: "Folders and files that are not read",
  severity: "warning",
  finds:
    "A folder below CAMERA_ROOT cannot be read (an error), a link leads to a folder, files lie in CAMERA_ROOT itself, or a camera's folder holds files that are no pictures or never lose their temporary names",
  async run(examination) {
    const { client } = await examination.daemon();
    const { file_watcher: watcher } = await client.call(routes.getPipeline, {});
    const all = watcher.passed_over ?? [];
    const findings = all.filter(isFinding).map((entry) => {
      const severity = entry.kind === "unreadable_folder" ? ("error" as const) : undefined;
      return { ...passedOverParts(entry), severity };
    });
    if (findings.length > 0) return { status: "finding", findings };
    const sideFiles = all.reduce((sum, { count }) => sum + count, 0);
    return ok(sideFiles === 0 ? "everything is read" : `${pluralize(sideFiles, "file")} beside the pictures`);
  },
};

export const daemonChecks: readonly Check[] = [daemon, workers, breakers, stuckFiles, passedOver];
