/** A word of a command line, or an operator between words. */
type Token = { readonly word: string } | { readonly operator: string };

/** Takes a command line apart as a shell does: quotes of both kinds, a backslash, operators. What is to be replaced stays as it is written. */
function tokens(line: string): Token[] {
  const pattern =
    /\s+|(?<comment>#.*$)|(?<operator>\|\||&&|2?>>?|[|;&()<])|(?<word>(?:\$\([^()]*\)|[^\s'"\\|;&()<>]|\\.|'[^']*'|"(?:\\.|[^"\\])*")+)/gs;
  return [...line.matchAll(pattern)].flatMap(({ groups }): Token[] => {
    if (groups?.["operator"] !== undefined) return [{ operator: groups["operator"] }];
    if (groups?.["word"] === undefined) return [];
    const word = groups["word"].replace(
      /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs,
      (_, raw, quoted, escaped) => raw ?? quoted?.replace(/\\(["\\$`])/g, "$1") ?? escaped,
    );
    return [{ word }];
  });
}

/** The words of a line that is one command. */
export function words(line: string): string[] {
  return tokens(line).flatMap((token) => ("word" in token ? token.word : []));
}

/** What may stand before the name of a program, with what belongs to it. */
const leading = /^(\w+=.*|!|if|while|until|then|do|exec|time|nohup|npx|sudo|xargs|-.*)$/s;

/** What stands behind `homesec` in each command of a line in which it is called; what `xargs` adds is `added`. */
export function homesecCalls(line: string): string[][] {
  const commands: string[][] = [[]];
  let skip = false;
  for (const token of tokens(line)) {
    if ("operator" in token) {
      skip = /[<>]/.test(token.operator);
      if (!skip) commands.push([]);
    } else if (skip) skip = false;
    else commands.at(-1)?.push(token.word);
  }
  const inner = [...line.matchAll(/\$\(([^()]*)\)/g)].flatMap(([, part = ""]) => homesecCalls(part));
  const outer = commands.flatMap((command) => {
    const at = command.findIndex((word) => !leading.test(word));
    if (command[at] !== "homesec") return [];
    const args = command.slice(at + 1);
    return [command.slice(0, at).includes("xargs") ? [...args, "added"] : args];
  });
  return [...outer, ...inner];
}
