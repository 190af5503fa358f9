import { createServer } from "node:net";
import { join } from "node:path";
import { Problem } from "../src/contract/problem.ts";
import { defineCommand } from "./command.ts";
import { calledAs } from "./host.ts";
import { flag, text } from "./input/options.ts";
import { wrapping } from "./output/wrap.ts";

export const demo = defineCommand({
  name: "demo",
  summary: "See homesec work, with pictures of a demonstration camera",
  description:
    "Runs homesec with a demonstration camera that sends real pictures, and prints what becomes of them: people found, an event, its score and why. Nothing else is needed. Runs until Ctrl-C. What it stores is in a folder of its own, ~/.local/share/homesec-demo (for root /var/lib/homesec-demo) or what DATA_DIR names; it may be deleted. It has a database of its own: with a DATABASE_URL that names another one it does not start and exits with 5.",
  options: {
    once: flag("End after the first judged event"),
    port: text("port", "Port to listen on, instead of PORT; 0 takes any free one"),
  },
  examples: [
    { command: "homesec demo", note: "runs on, with the API to look around" },
    { command: "homesec demo --once", note: "ends by itself" },
  ],
  endsOnSignal: true,
  async run({ options: { once, port } }, io) {
    const chosen = await io.configuration(port === undefined ? {} : { PORT: port });
    const { config, sources } = chosen;
    if (sources.DATABASE_URL !== "default") {
      const where =
        sources.DATABASE_URL === ".env" ? ".env" : sources.DATABASE_URL === "file" ? "the configuration file" : "the environment";
      throw new Problem(
        "conflict",
        `the demonstration has a database of its own, and DATABASE_URL in ${where} names another one; run it without: in another folder, or with env -u DATABASE_URL`,
      );
    }
    const dataDir = sources.DATA_DIR === "default" ? `${config.dataDir}-demo` : config.dataDir;
    // what the person has not chosen: a data folder apart from the real one, events that close soon, a quiet log
    const parsed = await io.configuration({
      ...(port === undefined ? {} : { PORT: port }),
      DATA_DIR: dataDir,
      CAMERA_ROOT: join(dataDir, "cameras"),
      ...(sources.BATCH_IDLE_TIMEOUT_SECONDS === "default" ? { BATCH_IDLE_TIMEOUT_SECONDS: "4" } : {}),
      ...(sources.LOG_LEVEL === "default" ? { LOG_LEVEL: "warn" } : {}),
      ...(sources.PORT === "default" && !(await isFree(config.host, config.port)) ? { PORT: "0" } : {}),
      ...(sources.BATCH_WINDOW_SECONDS === "default" ? { BATCH_WINDOW_SECONDS: "20" } : {}),
    });
    return io.host.daemon.demo({
      ...parsed,
      once,
      called: calledAs(io.host),
      out: wrapping(io.host.stdout),
      colour: io.output.terminal.colour,
      signal: io.host.signal,
    });
  },
});

/** Whether nobody listens there: a demonstration beside the real daemon takes another port. */
function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
