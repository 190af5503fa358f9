import { exitCodeMeanings } from "./exit-codes.ts";
import { formatMeanings } from "./formatting.ts";

/** A page of help that is about no single command. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  text(): string;
}

/** What `homesec help` knows beside the commands. */
export const topics: readonly Topic[] = [
  {
    name: "exit-codes",
    summary: "what the end of a command tells a script",
    text: () => `Examples:
  homesec health --quiet > /dev/null || echo 'have a look'
      7 when something is not well, 6 when no daemon answers
  homesec cameras show garage > /dev/null; [ $? -eq 3 ] && homesec cameras add Garage --camera-id garage
      3 when there is no such camera

Exit codes:
${columns(exitCodeMeanings.map(([code, meaning]) => [String(code).padStart(3), meaning]))}`,
  },
  {
    name: "environment",
    summary: "which variables commands read",
    text: () => `Examples:
  HOMESEC_URL=https://home.example.org homesec events list
      the daemon of another machine
  HOMESEC_API_KEY="$(cat key.txt)" homesec events list
      with its key; --api-key-file key.txt does the same, --api-key-file - reads it from a pipe
  NO_COLOR=1 homesec events list
      without colours

Which daemon is asked:
${columns([
  ["HOMESEC_URL", "Its address. --url comes first; without either, HOST, PORT and TLS_MODE of the configuration say it"],
  ["HOMESEC_API_KEY", "The API key. --api-key-file comes first. No flag takes a key: other users could see it"],
  ["HOMESEC_CA_FILE", "Certificates to trust, as --ca-file"],
])}
Secrets of single commands:
${columns([
  ["HOMESEC_WEBHOOK_SECRET", "Token, password or header value for `webhooks add` and `webhooks update` with --auth"],
  ["HOMESEC_SIGNING_SECRET", "Signing secret with which `webhooks listen` verifies"],
])}
How results look:
${columns([
  ["NO_COLOR", "No colours, when it holds anything; TERM=dumb does the same"],
  ["COLORTERM", "Pictures of `live` in 24 bit colours, when it is truecolor or 24bit; in 256 without it"],
  ["CI", "`live` does not draw, when it holds anything but false and 0"],
  ["VISUAL, EDITOR", "Editor of `rules edit`; vi without them"],
  ["TZ", "Time zone of what people read and type; machine output is always UTC"],
  ["XDG_CACHE_HOME", "Where completions keep ids for ten seconds; ~/.cache without it"],
])}
The daemon and commands with --direct read the variables of docs/configuration.md, from the environment, .env of the
working folder and the file of --config; \`homesec config show\` names each value and who has set it.
`,
  },
  {
    name: "formatting",
    summary: "formats, fields, times and durations",
    text: () => `Examples:
  homesec events list -o json --fields id,risk_level
      two fields of each event, as JSON
  homesec cameras list --status offline -o id | xargs -n1 homesec explain --at -5m --camera
      the ids alone, for another command
  homesec events export --start-date 'yesterday 21:00' --to night.csv
      a file for a spreadsheet

Formats, with -o:
${columns(formatMeanings)}
--fields a,b prints only these fields, in every format; a.b is a field inside of another one. A wrong name is refused
before anything is done.

Results go to the standard output, everything else to the standard error output, which --quiet leaves to errors.
Tables have relative times and are cut to the terminal; all other formats have exact ISO 8601 times in UTC and are whole.

Times are typed as 2026-01-31T22:15, 2026-01-31, 22:15 (today), now, -2h, yesterday, 'yesterday 21:00' or
'tomorrow 06:00'; without a zone they are local. Durations are 90s, 5m, 2h, 30d.
Several values are given with commas, or by repeating the option. Words that begin with - go behind --.
`,
  },
];

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, meaning]) => `  ${name.padEnd(width)}${meaning}\n`).join("");
}
