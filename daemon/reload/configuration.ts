import { isDeepStrictEqual } from "node:util";
import type { Log } from "../../src/base/log/log.ts";
import { type Config, configKey } from "../../src/platform/config/config.ts";
import type { LoadedConfig } from "../../src/platform/config/load.ts";
import { type VariableName, variable, variableNames } from "../../src/platform/config/variables.ts";
import type { RecentEvents } from "../health/recent-events.ts";
import { type WatchedFiles, watchFiles } from "./watch-files.ts";

export interface FollowOptions {
  /** The configuration of the running daemon: values that can change at run time are replaced in this object. */
  readonly config: Config;
  readonly loaded: LoadedConfig;
  readonly log: Log;
  readonly recentEvents: Pick<RecentEvents, "setCondition">;
  /** Called with each configuration that has no errors, the first one included. */
  readonly onRead: (loaded: LoadedConfig) => void;
  readonly setLogLevel: (level: Config["logLevel"]) => void;
}

/**
 * Watches `.env` and the `--config` file of a running daemon. Applies changed values that can change at run time, and reports the variables
 * that need a restart. If the files have errors, the running values stay in force. Returns the watch, so that the caller can close it.
 */
export async function followConfiguration(options: FollowOptions): Promise<WatchedFiles> {
  options.onRead(options.loaded);
  const reload = createReload(options);
  const watched = await watchFiles({ paths: options.loaded.files, log: options.log, onChange: reload });
  // the files may have changed between the start of the program and the start of the watch
  reload();
  return watched;
}

/** Creates the function that reads the files again and applies the changes that it can. */
function createReload({ config, loaded, log, recentEvents, onRead, setLogLevel }: FollowOptions): () => void {
  const running = config as Record<keyof Config, unknown>;
  const warned = new Set(loaded.warnings);
  let fault: string | undefined;
  let waiting: readonly VariableName[] = [];

  const refuse = (error: unknown): void => {
    const message = error instanceof Error ? error.message.replace(/\n\s*/g, " ") : String(error);
    if (message === fault) return;
    fault = message;
    log.error({ error: message }, "the configuration has errors; the running values stay in force");
    recentEvents.setCondition("configuration", "not_applied", `the running values stay in force: ${message}`);
  };
  const accept = (): void => {
    if (fault === undefined) return;
    fault = undefined;
    log.info({}, "the configuration has no errors any more");
    recentEvents.setCondition("configuration", "not_applied", undefined);
  };
  const noteRestart = (names: readonly VariableName[]): void => {
    if (isDeepStrictEqual(names, waiting)) return;
    waiting = names;
    const message = `restart needed: ${names.join(", ")}`;
    if (names.length > 0) log.warn({ variables: names }, `configuration changed, ${message}`);
    else log.info({}, "configuration changed back, no restart needed");
    recentEvents.setCondition("configuration", "restart_needed", names.length > 0 ? message : undefined);
  };

  return () => {
    let next: LoadedConfig;
    try {
      next = loaded.reload();
    } catch (error) {
      refuse(error);
      return;
    }
    accept();
    onRead(next);
    for (const warning of next.warnings) if (!warned.has(warning)) log.warn({}, warning);
    for (const warning of next.warnings) warned.add(warning);
    const changed = variableNames.filter((name) => !isDeepStrictEqual(next.config[configKey(name)], config[configKey(name)]));
    const applied = changed.filter((name) => variable(name).live === true);
    for (const name of applied) running[configKey(name)] = next.config[configKey(name)];
    if (applied.includes("LOG_LEVEL")) setLogLevel(next.config.logLevel);
    if (applied.length > 0) log.info({ variables: applied }, `configuration changed, applied: ${applied.join(", ")}`);
    noteRestart(changed.filter((name) => !applied.includes(name)));
  };
}
