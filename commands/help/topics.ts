import type { OutputFormat } from "../output/view.ts";
import { exitCodeMeanings } from "./exit-codes.ts";

const formats: Readonly<Record<OutputFormat, string>> = {
  table: "Readable table or record. On a terminal it fits the width, with relative times and colours",
  json: "API reply; the pages of a list are joined",
  ndjson: "One JSON record per line",
  csv: "RFC 4180 with all fields; text that a spreadsheet would run as a formula starts with an apostrophe",
  yaml: "API reply as YAML",
  id: "One id per line",
};

/** Every output format with its meaning. */
export const formatMeanings = Object.entries(formats);

/** A help page about no particular command. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  text(): string;
}

/** The help topics besides the commands. */
export const topics: readonly Topic[] = [
  {
    name: "exit-codes",
    summary: "exit codes for scripts",
    text: () => `Examples:
  homesec health --quiet > /dev/null || echo 'homesec needs attention'
      7 if it finds problems, 6 if no daemon answers
  homesec cameras show garage > /dev/null; [ $? -eq 3 ] && homesec cameras add Garage --camera-id garage
      3 if the camera does not exist

Exit codes:
${columns(exitCodeMeanings.map(([code, meaning]) => [String(code).padStart(3), meaning]))}`,
  },
  {
    name: "environment",
    summary: "environment variables of commands",
    text: () => `Examples:
  HOMESEC_URL=https://home.example.org homesec events list
      a daemon on another machine
  HOMESEC_API_KEY="$(cat key.txt)" homesec events list
      with its API key; or use --api-key-file key.txt, or --api-key-file - for stdin
  NO_COLOR=1 homesec events list
      without colours

Connection:
${columns([
  ["HOMESEC_URL", "Address of the daemon; --url takes precedence (default from HOST, PORT and TLS_MODE)"],
  ["HOMESEC_API_KEY", "API key; --api-key-file takes precedence. No flag takes a key, since other users could see it"],
  ["HOMESEC_CA_FILE", "File with trusted TLS certificates; --ca-file takes precedence"],
])}
Secrets:
${columns([
  ["HOMESEC_CAMERA_PASSWORD", "Password for --pull of `cameras add` and `cameras update`"],
  ["HOMESEC_DISCOVERY_TARGET", "Address that `cameras discover` asks instead of the whole network"],
  ["HOMESEC_CHANNEL_SECRET", "Token or password for `channels add` and `channels update`"],
  ["HOMESEC_WEBHOOK_SECRET", "Token, password or header value for --auth of `webhooks add` and `webhooks update`"],
  ["HOMESEC_SIGNING_SECRET", "Signing secret for `webhooks listen`"],
])}
Output:
${columns([
  ["CALLED_HOMESEC_AS", "How suggestions call homesec; the script of a clone sets it"],
  ["NO_COLOR", "Disables colours if not empty, like TERM=dumb"],
  ["COLORTERM", "truecolor or 24bit: `live` draws pictures in 24 bit colours (default 256 colours)"],
  ["TMUX, TERM_PROGRAM", "`live` shows pictures as half blocks in tmux, and as files in iTerm.app"],
  ["DISPLAY, WAYLAND_DISPLAY", "`open` starts a browser only with one of them (not on macOS)"],
  ["SSH_CONNECTION, SSH_TTY", "`open` only prints the address if one is set"],
  ["CI", "`open` only prints the address; `live` prints lines instead of a screen, unless false or 0"],
  ["VISUAL, EDITOR", "Editor of `rules edit` (default vi)"],
  ["TZ", "Time zone of input and tables; other formats use UTC"],
  ["LC_ALL, LC_NUMERIC, LANG", "Locale whose separator `events export --excel` writes"],
  ["XDG_CACHE_HOME", "Folder that caches ids for completion for 10 s (default ~/.cache)"],
])}
The daemon and commands with --direct read the variables in docs/configuration.md from the environment, from .env in
the working directory and from the file of --config. \`homesec config show\` lists each value with its source.
`,
  },
  {
    name: "formatting",
    summary: "output formats, fields, times and durations",
    text: () => `Examples:
  homesec events list -o json --fields id,risk_level
      two fields of each event, as JSON
  homesec cameras list --status offline -o id | xargs -n1 homesec explain --at -5m --camera
      only ids, for another command
  homesec events export --since 'yesterday 21:00' --to night.csv
      a file for a spreadsheet

Formats of -o:
${columns(formatMeanings)}
--fields a,b prints only these fields, in every format; a.b selects a nested field. The command rejects unknown names
before it does anything.

Results go to stdout, notes and errors to stderr; --quiet suppresses notes. Tables have relative times and are cut to
the terminal width. All other formats are complete, with ISO 8601 times in UTC.

Ids: the start of a long id (4 characters or more) and the names of cameras, rules and webhooks work wherever an id does.
On a terminal lists show short ids, and the start of a camera id works too.

Times: 24h (ago), yesterday, 'yesterday 21:00', 22:15 (today), 2026-01-31, 2026-01-31T22:15 or now, in local time
unless they have a zone. --since and --until are included; a date as --until includes the whole day. The API's names
--start-date and --end-date work too. Durations: 90s, 5m, 2h, 30d.
Separate several values by commas or repeat the option. Put values that begin with - after --.
`,
  },
];

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, meaning]) => `  ${name.padEnd(width)}${meaning}\n`).join("");
}
