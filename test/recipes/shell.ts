/**
 * Splits a shell script into simple commands, each as words without quotes, redirections and leading variable assignments. A command ends at
 * `|`, `&&`, `||`, `;`, `&`, brackets and the end of a line. This suffices for documents: `$(...)` and variables stay as written.
 */
export function simpleCommands(script: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    const kept = withoutRedirections(words);
    while (/^[A-Za-z_]\w*=/.test(kept[0] ?? "")) kept.shift();
    if (kept.length > 0) commands.push(kept);
    words = [];
  };
  for (let at = 0; at < script.length; at += 1) {
    const sign = script[at] as string;
    const rest = script.slice(at);
    if (sign === "#" && word === undefined) {
      at += /^.*/.exec(rest)?.[0].length ?? 0;
      endCommand();
      continue;
    }
    if (rest.startsWith("\\\n")) {
      endWord();
      at += 1;
      continue;
    }
    const quoted = /^(?:'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\$\([^)]*\)))/s.exec(rest);
    if (quoted) {
      const [all, single, double, escaped, substituted] = quoted;
      word = (word ?? "") + (single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? substituted ?? "");
      at += all.length - 1;
    } else if (/[\n|;()]/.test(sign) || (sign === "&" && !/[<>]$/.test(word ?? ""))) endCommand();
    else if (/\s/.test(sign)) endWord();
    else if (/[<>]/.test(sign) && !/^[12]?[<>]?$/.test(word ?? "")) {
      endWord();
      word = sign;
    } else word = (word ?? "") + sign;
  }
  endCommand();
  return commands;
}

function withoutRedirections(words: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    if (/^[12]?[<>]{1,2}$/.test(word)) at += 1;
    else if (!/^[12]?[<>]{1,2}/.test(word)) kept.push(word);
  }
  return kept;
}

/** The shell code of a Markdown page: `blocks` to copy, and `named` commands in `code` marks. */
export function shellIn(markdown: string): { readonly blocks: readonly string[]; readonly named: readonly string[] } {
  const blocks: string[] = [];
  const text = markdown.replace(/^```(\w*)\n(.*?)^```$/gms, (_, language: string, content: string) => {
    if (language === "sh" || language === "bash") blocks.push(content);
    // Lines after a prompt; the others are output
    if (language === "console") blocks.push(linesAfter(/^\$ (.*)$/gm, content));
    if (language === "cron") blocks.push(cronCommands(content));
    if (language === "ini") blocks.push(unitCommands(content));
    return "";
  });
  return { blocks, named: [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code) };
}

/** Commands of a crontab, without their times; `\%` becomes a percent sign. */
export function cronCommands(crontab: string): string {
  return linesAfter(/^(?:[\d*/,-]+ +){5}(.*)$/gm, crontab).replaceAll("\\%", "%");
}

/** Commands of the `Exec...=` lines of a systemd unit. */
export function unitCommands(unit: string): string {
  return linesAfter(/^Exec\w+=-?(.*)$/gm, unit);
}

function linesAfter(pattern: RegExp, text: string): string {
  return [...text.matchAll(pattern)].map(([, line = ""]) => line).join("\n");
}
