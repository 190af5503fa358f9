import { createApp } from "../../daemon/http/app.ts";
import { listen } from "../../daemon/http/listen.ts";
import { operations } from "../../src/all-operations.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { type CliOptions, type CliResult, cli } from "./cli.ts";
import { type Desk, openDesk } from "./operations.ts";

/** How a command reaches the data: through the daemon's HTTP server, or directly on the database. */
export type Way = "over HTTP" | "--direct";
export const ways: readonly Way[] = ["over HTTP", "--direct"];

export interface ServedDesk {
  readonly desk: Desk;
  readonly url: string;
  /** Runs a command at the desk's time. */
  homesec(way: Way, args: readonly string[], options?: CliOptions): Promise<CliResult>;
  close(): Promise<void>;
}

/** A desk behind the daemon's HTTP server, for commands. */
export async function serveDesk(): Promise<ServedDesk> {
  const desk = await openDesk();
  const app = createApp({ context: desk.context, operations, log: silentLog, allowedHosts: [], strictReplies: true });
  const server = await listen({ app, host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${server.port}`;
  const { clock } = desk.context;
  const direct = { DATABASE_URL: desk.url, DATA_DIR: desk.dataDir };
  return {
    desk,
    url,
    homesec: (way, args, options = {}) => {
      const reach = way === "--direct" ? ["--direct"] : ["--url", url];
      const env = { ...(way === "--direct" && direct), ...options.env };
      return cli([...args, ...reach], { clock, cwd: desk.dataDir, ...options, env });
    },
    close: async () => {
      await server.close();
      await desk.close();
    },
  };
}
