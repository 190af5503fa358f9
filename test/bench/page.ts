import type { Kept } from "./kept-run.ts";
import type { Row } from "./report.ts";
import type { Spread } from "./statistics.ts";

export const columns = ["benchmark", "baseline", "homesec", "compared", "limit", ""];

/** What each bench file measures, in the order of the page. */
const files: Readonly<Record<string, string>> = {
  "picture-latency": "picture closed to `detection.new` on a WebSocket",
  immediate: "picture closed to an immediate alert accepted by a webhook and a mail server, with the built-in detector",
  "pictures-per-second": "sustained pictures per second, all stages",
  ftp: "picture uploaded by FTP to `detection.new` on a WebSocket; 200 cameras that log in and upload at once",
  peers:
    "the same pictures for homesec, a script with chokidar, and node-deepstackai-trigger (built in `BENCH_DEEPSTACK_TRIGGER`); the same alerts for Alertmanager",
  webhooks: "1,000 alerts raised one by one and delivered to one webhook",
  "first-event":
    "from the first command to the first rated event of a new camera, by each way to deliver (needs curl, lftp, swaks, msmtp, ffmpeg)",
  "folder-size": "cost per picture with 50,000 files in the folder",
  "events-list": "`GET /api/events?limit=50` at 1,000,000 events and 10,000,000 detections",
  detections: "lists by filters and the search of detections at the same size",
  "events-search-export": "search of events for rare and common words; CSV and XLSX exports and their memory",
  analytics: "the six questions about 365 days",
  "rule-backtest": "90 days of history through a rule, and through two versions of it",
  explain: "explanations of an event, an alert and a minute of a camera at 1,000,000 events",
  "fan-out": "WebSocket messages to 1,000 clients",
  "live-flood": "`homesec live` at 200 messages a second, in three sizes of terminal (needs tmux)",
  "command-start": "the start of commands, and the first frame of `homesec live` (needs `script`)",
  "serve-ready": "`homesec serve` to ready, warm and for the first time",
  "idle-memory": "memory of an idle daemon",
  baselines: "unusual hours on generated traces: false alarms and delays",
  "entity-matching": "the nearest of 10,000 live vectors of 96, 512 and 768 numbers",
};

/** A row as it is printed. */
export function cells(row: Row): string[] {
  const { what, unit, baseline, homesec, compared, limit, ok } = row;
  const suffix = row.compare === "ratio" ? " x" : ` ${unit}`;
  const sign = row.compare === "added" && compared.median >= 0 ? "+" : "";
  return [
    what,
    baseline ? `${spread(baseline)} ${unit}` : "-",
    `${spread(homesec)} ${unit}`,
    row.compare === "absolute" ? "-" : `${sign}${spread(compared)}${suffix}`,
    limit ? `${"atMost" in limit ? `<= ${row.compare === "added" ? "+" : ""}${limit.atMost}` : `>= ${limit.atLeast}`}${suffix}` : "-",
    limit ? (ok ? "ok" : "MISSED") : "",
  ];
}

function spread({ median, min, max }: Spread): string {
  return `${figure(median)} (${figure(min)} to ${figure(max)})`;
}

function figure(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits);
}

/** Ends the generated part of docs/benchmarks.md; the notes below it are written by hand. */
export const endOfMeasured = "<!-- End of the part that npm run bench writes. -->";

/** docs/benchmarks.md up to the notes: everything that was measured last. */
export function page(kept: Kept): string {
  const line = (texts: readonly string[]): string => `| ${texts.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
  const runs = Object.keys(files).flatMap((name) => kept[name] ?? []);
  // what it finds without a limit is long, and stands in benchmarks.json
  const rows = runs.flatMap((run) => run.rows.filter(({ limit }) => limit !== undefined || run !== kept["baselines"]));
  const compared = rows.flatMap(({ what, baseline }) => (baseline ? [[baseline.what, what] as const] : []));
  const baselines = [...new Set(compared.map(([baseline]) => baseline))].map((baseline) => {
    const measured = compared.filter(([other]) => other === baseline).map(([, what]) => what);
    return line([measured.join("; "), baseline]);
  });
  const commands = Object.entries(files).map(([name, what]) =>
    line([`\`npm run bench -- ${name}\``, what, kept[name] ? kept[name].load.toFixed(1) : "not measured yet"]),
  );
  return `<!-- Written by npm run bench down to the notes; do not edit that part. -->
# Benchmarks

This page lists every benchmark with its limit, its baseline, and the command that repeats it.

Measured on: ${[...new Set(runs.map(({ machine }) => machine))].join("; ")}.

Each number is the median of the rounds, with minimum and maximum in brackets. Baseline and homesec run alternately within each round, on the same PostgreSQL (the
embedded one with its normal settings: a commit waits for the disk). The median of the rounds' comparisons is checked against the limit. A missed limit is marked MISSED.

${line(columns)}
${line(columns.map(() => "---"))}
${rows.map((row) => line(cells(row))).join("\n")}

## Baselines

${line(["benchmark", "compared with"])}
${line(["---", "---"])}
${baselines.join("\n")}

## How to measure

\`npm run bench\` runs everything and rewrites this page down to the notes. \`npm run bench -- NAME\` runs one file of \`test/bench/\` and prints its rows; with \`--keep\` they
replace those on this page. Every file creates the data it needs. The load is the load average when the run began: milliseconds grow with it, ratios hardly.

${line(["command", "measures", "load"])}
${line(["---", "---", "---"])}
${commands.join("\n")}

\`npm run bench -- --compare\`, with or without a name, fails when a ratio with a limit is more than 20 % worse than on this page. \`docs/benchmarks.json\` has the numbers for
programs. \`BENCH_EVENTS=1000\` before a command runs a quick trial with 1,000 events that does not change this page.

${endOfMeasured}
`;
}
