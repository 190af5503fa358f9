import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printRows } from "../output/output.ts";
import type { RowView } from "../output/view.ts";

interface Value {
  readonly name: string;
  readonly value: unknown;
  readonly source: string;
}

const view: RowView<Value> = {
  plural: "variables",
  fields: () => ["name", "value", "source"],
  id: ({ name }) => name,
  columns: [
    { title: "VARIABLE", keep: true, cell: ({ name }) => ({ text: name }) },
    { title: "VALUE", cell: ({ value }) => cellOf(value) },
    { title: "SOURCE", keep: true, cell: ({ source }) => ({ text: source, paint: source === "default" ? "dim" : "cyan" }) },
  ],
};

export const showConfig = defineCommand({
  name: "config show",
  summary: "Show every variable, its value and its source",
  description:
    "Shows every configuration variable with its value and its source: settings (changed at run time), flag, environment, .env, file or default. Secrets are masked.",
  examples: [
    { command: "homesec config show", note: "the current configuration" },
    { command: "homesec config show --config homesec.conf -o json", note: "the configuration with that file" },
  ],
  prints: () => view,
  async run(_, io) {
    const parsed = await io.configuration();
    const { config, sources } = parsed;
    const [{ configKey }, { variable, variableNames }, { maskedValue }, { configuredSettings }, { readStoredValues }] = await Promise.all([
      import("../../src/platform/config/config.ts"),
      import("../../src/platform/config/variables.ts"),
      import("../../src/platform/config/variable.ts"),
      import("../../src/platform/config/settings.ts"),
      import("./stored.ts"),
    ]);
    const stored = await readStoredValues(io, config);
    const value = (name: string, configured: unknown, source: string): Value =>
      stored.has(name) ? { name, value: stored.get(name), source: "settings" } : { name, value: configured, source };
    const values = [
      ...variableNames.map((name) => value(name, maskedValue(variable(name), config[configKey(name)]), sources[name])),
      value("RISK_SCORE_THRESHOLDS", configuredSettings(config).riskScoreThresholds, "default"),
    ];
    for (const warning of parsed.warnings) io.output.note(`warning: ${warning}`);
    await printRows(io.output, values, view, values);
    return exitCodes.ok;
  },
});

function cellOf(value: unknown) {
  if (value === null || (Array.isArray(value) && value.length === 0)) return { text: "not set", paint: "dim" as const };
  return { text: Array.isArray(value) ? value.join(", ") : typeof value === "object" ? JSON.stringify(value) : String(value) };
}
