import { createServer } from "node:net";
import { join } from "node:path";
import { Problem } from "../src/contract/problem.ts";
import { defineCommand } from "./command.ts";
import { calledAs } from "./host.ts";
import { flag, text } from "./input/options.ts";
import { wrapping } from "./output/wrap.ts";

export const demo = defineCommand({
  name: "demo",
  summary: "Try homesec with a demo camera",
  description:
    "Runs homesec with a demo camera that sends real pictures, and prints the results: detected people, an event, its risk score and the reasons. Needs no setup and runs until Ctrl-C. It keeps its data in ~/.local/share/homesec-demo (for root /var/lib/homesec-demo) or DATA_DIR, which you can delete. It uses its own database and exits with 5 if DATABASE_URL is set.",
  options: {
    once: flag("Exit after the first analysed event"),
    port: text("port", "Port to listen on, 0 for any (default PORT)"),
  },
  examples: [
    { command: "homesec demo", note: "keeps running; explore the API and the live view" },
    { command: "homesec demo --once", note: "exits after one event" },
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
        `the demo uses its own database, but DATABASE_URL is set in ${where}; run it in another folder or with env -u DATABASE_URL`,
      );
    }
    const dataDir = sources.DATA_DIR === "default" ? `${config.dataDir}-demo` : config.dataDir;
    // Defaults for everything the user did not set: a separate data folder, batches that close soon, a quiet log
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

/** Whether the port is free. Beside a running daemon the demo uses another port. */
function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
