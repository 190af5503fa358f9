/** One line of Prometheus text with a value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** One metric of a scrape. */
export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

/** Parses Prometheus text. Throws on an invalid line. */
export function readExposition(text: string): readonly Family[] {
  const families: Family[] = [];
  const helps = new Map<string, string>();
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, help = "", said = ""] = /^# HELP (\S+) (.*)$/.exec(line) ?? [];
    if (help !== "") helps.set(help, said);
    const [, name = "", type = ""] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== "") families.push({ name, type, help: helps.get(name) ?? "", samples: [] });
    if (line.startsWith("#")) continue;
    const [, sample = "", labels = "", value = ""] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (sample === "") throw new Error(`this is no line of Prometheus text: ${line}`);
    families.at(-1)?.samples.push({ name: sample, labels: labelsOf(labels), value: Number(value) });
  }
  return families;
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = "", value = ""]) => [name, value]));
}
