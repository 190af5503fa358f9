/** One line of a Dockerfile, with its continuations. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The part from one FROM to the next. */
export interface Stage {
  readonly image: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** Parses a Dockerfile. Throws on a line that is neither an instruction, a comment nor empty, and on instructions before the first FROM. */
export function readDockerfile(text: string): readonly Stage[] {
  const lines = text
    .split("\n")
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join("\n")
    .replaceAll(/\s*\\\n\s*/g, " ")
    .split("\n");
  const stages: { image: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = "", rest = ""] = /^([A-Z]+) (\S.*)$/.exec(line) ?? [];
    if (name === "") throw new Error(`no instruction: ${line}`);
    if (name === "FROM") {
      const [, image = "", stage] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
      stages.push({ image, name: stage, instructions: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (!stage) throw new Error(`before the first FROM: ${line}`);
    stage.instructions.push({ name, text: rest });
  }
  return stages;
}

/** The texts of all instructions of a kind, in order. */
export function textsOf(stage: Stage, name: string): readonly string[] {
  return stage.instructions.filter((each) => each.name === name).map(({ text }) => text);
}

export interface Copy {
  /** The source stage; undefined for the build context. */
  readonly from: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

/** The COPY instructions of a stage. */
export function copiesOf(stage: Stage): readonly Copy[] {
  return textsOf(stage, "COPY").map((text) => {
    const [, from] = /--from=(\S+) /.exec(text) ?? [];
    const words = text.replace(/--\S+ /g, "").split(/\s+/);
    return { from, sources: words.slice(0, -1), target: words.at(-1) ?? "" };
  });
}

/** The ENV variables of a stage. */
export function environmentOf(stage: Stage): Readonly<Record<string, string>> {
  return Object.fromEntries(textsOf(stage, "ENV").flatMap((text) => text.split(/\s+/).map((pair) => pair.split("=") as [string, string])));
}

/** Whether a `.dockerignore` that starts with `*` and lists exceptions lets a file into the build. */
export function reachesTheBuild(ignore: string, path: string): boolean {
  const rules = ignore.split("\n").filter((line) => !/^\s*(#|$)/.test(line));
  if (rules[0] !== "*" || rules.slice(1).some((rule) => !/^![\w./-]+$/.test(rule)))
    throw new Error("only .dockerignore files that list exceptions after * are supported");
  return rules.slice(1).some((rule) => path === rule.slice(1) || path.startsWith(`${rule.slice(1)}/`));
}
