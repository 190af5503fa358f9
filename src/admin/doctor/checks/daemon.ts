import { routes } from "../../../contract/routes/index.ts";
import { type Check, finding, ok, skipped } from "../check.ts";
import { listed } from "../wording.ts";

const daemon: Check = {
  id: "daemon",
  group: "daemon",
  title: "Daemon",
  severity: "error",
  finds: "No daemon answers: no camera is watched. Or it refuses the API key",
  remedy: "homesec serve, or the right --url and --api-key-file",
  async run(examination) {
    const daemon = await examination.lookForDaemon();
    if ("client" in daemon) {
      if (daemon.admitted) return ok(daemon.url);
      return finding(
        `The daemon at ${daemon.url} wants an API key, and was given none or a wrong one`,
        "Give the key in HOMESEC_API_KEY or with --api-key-file",
        "warning",
      );
    }
    if (!daemon.asked) return skipped(daemon.absent);
    return finding(
      daemon.absent,
      "Start it: homesec serve, or systemctl start homesec. Is it elsewhere: --url. For a look without one: homesec doctor --direct",
    );
  },
};

const workers: Check = {
  id: "workers",
  group: "daemon",
  title: "Workers",
  severity: "error",
  finds: "A worker of the daemon does not run",
  remedy: "Remove what its message says, or restart homesec",
  async run(examination) {
    const { client } = await examination.daemon();
    const { workers } = await client.call(routes.listWorkers, {});
    const stopped = workers.filter(({ running }) => !running);
    if (stopped.length === 0) return ok(`${workers.length} run`);
    return finding(
      listed(stopped.map(({ name, message }) => `${name} does not run${message ? `: ${message}` : ""}`)),
      "Remove what the message says; the worker is started again by itself. If it stays so: systemctl restart homesec",
    );
  },
};

const breakers: Check = {
  id: "breakers",
  group: "upstream",
  title: "Circuit breakers",
  severity: "error",
  finds: "A service failed several times in a row and is left alone by the daemon",
  remedy: "Mend the service; then homesec breakers reset",
  async run(examination) {
    const { client } = await examination.daemon();
    const { breakers } = await client.call(routes.listBreakers, {});
    const open = breakers.filter(({ state }) => state !== "closed");
    if (open.length === 0) return ok("all closed");
    return finding(
      listed(open.map(({ name, state, failure_count }) => `${name} is left alone (${state}) after ${failure_count} failures in a row`)),
      `Mend the service, then: ${open.map(({ name }) => `homesec breakers reset ${name}`).join(" && ")}; by itself homesec tries it again every 30 s`,
    );
  },
};

const stuckFiles: Check = {
  id: "stuck-files",
  group: "cameras",
  title: "Files that stay incomplete",
  severity: "warning",
  finds: "Uploads broke off in the middle: files stay incomplete and are never looked at",
  remedy: "See why the upload of the camera breaks off, and delete the files",
  async run(examination) {
    const { client } = await examination.daemon();
    const { file_watcher: watcher } = await client.call(routes.getPipeline, {});
    if (watcher.stuck.length === 0) return ok(`${watcher.pending} on the way`);
    return finding(
      listed(
        watcher.stuck.map(({ path, reason }) => `${path}: ${reason}`),
        3,
      ),
      "See why uploads of that camera break off (disk, network, quota of its user at the FTP server); delete what is not coming any more",
    );
  },
};

export const daemonChecks: readonly Check[] = [daemon, workers];
export const breakerChecks: readonly Check[] = [breakers];
export const stuckFileChecks: readonly Check[] = [stuckFiles];
