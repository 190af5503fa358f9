import type { Log } from "../src/base/log/log.ts";
import { modelFault } from "../src/monitoring/detector-model/model-file.ts";
import type { Config } from "../src/platform/config/config.ts";
import type { LoadedConfig } from "../src/platform/config/load.ts";
import { formatRoles, missingRoles } from "../src/platform/config/roles.ts";
import { type Daemon, startDaemon } from "./daemon.ts";
import { firstAlertHint } from "./first-alert.ts";
import type { OpenLog } from "./log.ts";
import type { ServiceManager } from "./service-manager.ts";

/** Input of `homesec serve` from the command line. */
export interface ServeOptions extends LoadedConfig {
  readonly log: OpenLog;
  /** Output for the person at the terminal. */
  readonly out: { write(text: string): unknown };
  /** How the person starts homesec: `homesec`, `./homesec` or `npx homesec`. */
  readonly called: string;
  /** Fires when the daemon must stop. */
  readonly signal: AbortSignal;
}

interface ServeOptionsWithManager extends ServeOptions {
  /** Receives readiness, heartbeats and the stop. */
  readonly serviceManager: ServiceManager;
}

/** Runs the daemon until the signal fires. Returns the exit code; throws `Problem` if it cannot start. */
export async function serve(options: ServeOptionsWithManager): Promise<number> {
  for (const warning of options.warnings) options.log.warn({}, warning);
  const daemon = await startDaemon({
    config: options.config,
    log: options.log,
    following: { loaded: options, setLogLevel: (level) => options.log.setLevel(level) },
  });
  const hint = await firstAlertHint(options.config, daemon.context.db, `${options.called} setup${otherAddress(daemon)}`);
  options.out.write(greeting(daemon, options, hint));
  await options.serviceManager.ready(`Listening on ${daemon.url}`, () => daemon.context.runtime?.supervisorAlive() ?? true);
  await untilAborted(options.signal);
  options.out.write("Stopping ...\n");
  const [code] = await Promise.all([stopped(daemon, options.log), options.serviceManager.stopping()]);
  return code;
}

/** Resolves when the signal fires. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Stops the daemon and returns the exit code: 1 if a part of it did not stop cleanly. */
export async function stopped(daemon: Daemon, log: Log): Promise<number> {
  try {
    await daemon.stop();
    return 0;
  } catch (error) {
    log.error({ error: String(error) }, "the daemon did not stop cleanly");
    return 1;
  }
}

/** The address options for commands that do not find the daemon by HOST and PORT, which may not be set in another terminal. */
function otherAddress(daemon: Daemon): string {
  return daemon.url === "http://127.0.0.1:8000" ? "" : ` ${addressOptions(daemon)}`;
}

function greeting(daemon: Daemon, { config, called }: ServeOptions, hint: string | undefined): string {
  const { version } = daemon.context.runtime ?? { version: "" };
  const upstream = (name: "detector" | "language_model"): string =>
    daemon.upstreams.label(name) === "built-in" ? `built-in (set ${name.toUpperCase()}_URL to use your own)` : daemon.upstreams.label(name);
  const where = otherAddress(daemon);
  return [
    `homesec ${version} is running. Press Ctrl-C to stop it.`,
    "",
    ...(config.webEnabled && config.roles.includes("api") ? [`  web page         ${reachable(daemon.url)}`] : []),
    `  API              ${daemon.url}`,
    ...(daemon.ownCertificatePath === undefined ? [] : [`  certificate      ${daemon.ownCertificatePath} (self-signed by homesec)`]),
    ...(missingRoles(config.roles).length === 0 ? [] : [`  roles            ${formatRoles(config.roles)}`]),
    `  pictures         ${config.cameraRoot}/<camera>/`,
    `  detector         ${config.detectorUrl === undefined && config.roles.includes("detect") ? (ownModel(config) ?? upstream("detector")) : upstream("detector")}`,
    `  language model   ${upstream("language_model")}`,
    `  database         ${daemon.databaseDescription}`,
    `  queue            ${daemon.dispatcher === "bullmq" ? "BullMQ on Redis" : "in-process (no Redis)"}`,
    `  log              ${config.dataDir}/logs`,
    "",
    "What to do next:",
    "  - Have a camera upload pictures (JPEG, PNG, WebP) into its own folder;",
    "    the folder's name becomes the camera. To try: copy a picture into a new one.",
    "  - In another terminal:",
    ...(config.webEnabled ? [`      web page   ${called} open${where}`] : []),
    `      live       ${called} live${where}`,
    `      cameras    ${called} cameras list${where}`,
    `      health     ${called} health${where}`,
    ...(hint === undefined ? [] : [`  - ${hint}`]),
    "",
    "",
  ].join("\n");
}

/** Describes the user's own model of the built-in detector; undefined without one. */
function ownModel(config: Config): string | undefined {
  if (config.detectorModelPath === undefined) return undefined;
  const fault = modelFault(config);
  return fault === undefined
    ? `built-in, with the model ${config.detectorModelPath}`
    : `built-in, BUT IT DETECTS NOTHING. ${fault}. Pictures wait until this is fixed.`;
}

/** Returns the options that a command needs to reach this daemon. */
export function addressOptions({ url, ownCertificatePath }: Daemon): string {
  return `--url ${reachable(url)}${ownCertificatePath === undefined ? "" : ` --ca-file ${ownCertificatePath}`}`;
}

/** Returns the address for use on this machine: a client cannot connect to a wildcard address. */
export function reachable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}
