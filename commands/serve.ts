import { roleNames } from "../src/platform/config/roles.ts";
import { defineCommand } from "./command.ts";
import { calledAs } from "./host.ts";
import { text } from "./input/options.ts";
import { wrapping } from "./output/wrap.ts";

export const serve = defineCommand({
  name: "serve",
  summary: "Run homesec",
  description:
    "Runs homesec until Ctrl-C: watches the camera folders, judges what is seen, and answers the API. A second Ctrl-C ends it at once.",
  options: {
    host: text("address", "Address to listen on, instead of HOST"),
    port: text("port", "Port to listen on, instead of PORT; 0 takes any free one"),
    roles: text("list", `What this daemon does, instead of ROLES: all, or some of ${roleNames.join(",")}`),
  },
  examples: [
    { command: "homesec serve", note: "on http://127.0.0.1:8000, with everything built in" },
    { command: "homesec serve --config homesec.conf", note: "with a configuration file" },
    { command: "homesec serve --port 9000 --data-dir /srv/homesec", note: "elsewhere" },
    { command: "homesec serve --roles detect,analyze", note: "beside other daemons on one database (DATABASE_URL)" },
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
