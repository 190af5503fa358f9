/** A word of a command line, or an operator between words. */
type Token = { readonly word: string } | { readonly operator: string };

/** Splits a command line as a shell does: quotes of both kinds, backslashes, operators. Nothing is expanded. */
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

/** The words of a line with one command. */
export function words(line: string): string[] {
  return tokens(line).flatMap((token) => ("word" in token ? token.word : []));
}

/** Words that may precede the name of a program, with their arguments. */
const leading = /^(\w+=.*|!|if|while|until|then|do|exec|time|nohup|npx|sudo|xargs|-.*)$/s;

/** The arguments of each `homesec` command in a line; `added` stands for the arguments that `xargs` adds. */
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
