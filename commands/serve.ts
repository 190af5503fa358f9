import { roleNames } from "../src/platform/config/roles.ts";
import { defineCommand } from "./command.ts";
import { calledAs } from "./host.ts";
import { text } from "./input/options.ts";
import { wrapping } from "./output/wrap.ts";

export const serve = defineCommand({
  name: "serve",
  summary: "Run the daemon",
  description:
    "Runs the daemon until Ctrl-C: it watches camera folders, analyses pictures and serves the API. A second Ctrl-C exits at once.",
  options: {
    host: text("address", "Address to listen on (default HOST)"),
    port: text("port", "Port to listen on, 0 for any (default PORT)"),
    roles: text("list", `all, or some of ${roleNames.join(",")} (default ROLES)`),
  },
  examples: [
    { command: "homesec serve", note: "on http://127.0.0.1:8000, with built-in services" },
    { command: "homesec serve --config homesec.conf", note: "with a configuration file" },
    { command: "homesec serve --port 9000 --data-dir /srv/homesec", note: "another port and data folder" },
    { command: "homesec serve --roles detect,analyze", note: "one of several daemons on one database (DATABASE_URL)" },
  ],
  endsOnSignal: true,
  async run({ options: { host, port, roles } }, io) {
    const flags = {
      ...(host === undefined ? {} : { HOST: host }),
      ...(port === undefined ? {} : { PORT: port }),
      ...(roles === undefined ? {} : { ROLES: roles }),
    };
    return io.host.daemon.serve({
      ...(await io.configuration(flags)),
      called: calledAs(io.host),
      out: wrapping(io.host.stdout),
      colour: io.output.terminal.colour,
      signal: io.host.signal,
    });
  },
});
