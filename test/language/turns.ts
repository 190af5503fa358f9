import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/**
 * Turns of phrase that native writers do not use: headless relative clauses, inverted sentences and private words. Each pattern stands
 * for a kind of fault. On a hit, rewrite the whole sentence instead of swapping the word.
 */
const turns: readonly RegExp[] = [
  /\b(?:is|are|was|were|be|been|being) told\b/gi,
  /\btold of\b|\btells? (?:of|whom|anybody|somebody|nobody)\b/gi,
  /\bmend(?:s|ed|ing)?\b|\bremed(?:y|ies)\b/gi,
  /\blook(?:s|ed|ing)? (?:at|after) (?:a |the |each |every )?(?:picture|image|event|file)s?\b|\b(?:is|are|was|were|be) looked at\b/gi,
  /\b(?:take|takes|taken|took|taking) up\b|\bgive[sn]? up\b|\bgave up\b|\bleft alone\b|\bleave[s]? alone\b/gi,
  /\b[Ww]ho(?:ever)? (?:asks?|waits?|comes?|came|looks?|reads?|writes?|stored|stores?|gets?|has|had|is|was|wants?|needs?|may|can|cannot|calls?|sends?)\b(?![^.?]*\?)/g,
  /(?:^|[.:;,(] )[Ww]hat (?:is|was|are|were|has|had|comes?|came|cannot|can|could|may|might|stays?|a|the|it|they|does|did|will|must|somebody|nobody|homesec|needs?|goes|went|waits?)\b(?![^.?]*\?)/g,
  /\bby (?:itself|themselves|himself)\b/gi,
  /\b(?:at|of|for|by|to|with|from|in|on|under|through|after|behind|without) which\b|\b(?:of|for|to|by|from|with) whom\b/gi,
  /\bbut for\b|\bonce more\b|\banew\b|\bnobody\b|\bsomebody\b|\banybody\b|\beverybody\b/gi,
  /\b(?:is|are|was|were) to be\b|\b(?:is|are) to (?:have|get|do|say|know|hear|send|go)\b/gi,
  /\bof (?:its|their|our|your|one's|his|her) own\b/gi,
  /\bso (?:sure|long|often|many|much|far)\b(?! as\b)/gi,
  /\bhas (?:it|them|all|each|everybody|the [a-z]+) (?:done|sent|told|looked|made|judged|taken)\b/gi,
  /\bof all there (?:is|are)\b|\bno more than that\b|\bfor good measure\b|\bas it is now\b|\bnow and then\b|\bever after\b/gi,
  /\bhow grave\b|\bwell again\b|\bis well\b|\bcame of\b|\bbecame of\b|\bcomes of\b/gi,
  /\bin a row of\b|\bin the order in which\b|\bthe way in which\b|\ball that (?:is|are|was|were|has|have|waits?)\b/gi,
  /\bthe same (?:of|for) (?:the one|those)\b|\bof the kind\b/gi,
];

/** A place that contains a turn. */
export interface Hit {
  readonly place: string;
  readonly turn: string;
}

/** A text and the place it comes from. */
export interface Passage {
  readonly place: string;
  readonly text: string;
}

/** The number of words in a text, as a reader counts them. */
export function wordCount(text: string): number {
  return text.match(/[A-Za-z][A-Za-z'’-]*/g)?.length ?? 0;
}

/** All turns in the passages. */
export function hitsIn(passages: readonly Passage[]): readonly Hit[] {
  return passages.flatMap(({ place, text }) =>
    turns.flatMap((turn) => [...text.matchAll(turn)].map((match) => ({ place, turn: match[0].replaceAll(/\s+/g, " ").trim() }))),
  );
}

/** Tracked and new files below a folder whose names fit. */
export function filesOf(folder: string, name: RegExp): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "--deduplicate", folder], { cwd: root, encoding: "utf8" });
  const gone = new Set(execFileSync("git", ["ls-files", "-d", folder], { cwd: root, encoding: "utf8" }).split("\n"));
  return listed.split("\n").filter((file) => name.test(file) && !gone.has(file));
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length;
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** Comments of TypeScript and SQL, each with its line. */
export function commentsOf(folder: string): readonly Passage[] {
  return filesOf(folder, /\.(?:tsx?|mjs|sql)$/).flatMap((file) => {
    const text = read(file);
    const pattern = file.endsWith(".sql") ? /--([^\n]*)/g : /\/\*\*?([\s\S]*?)\*\/|(?<=^|\s)\/\/([^\n]*)/g;
    return [...text.matchAll(pattern)].map((match) => ({
      place: `${file}:${lineOf(text, match.index)}`,
      text: (match[1] ?? match[2] ?? "")
        .replaceAll(/\n\s*\*/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim(),
    }));
  });
}

/** Titles of tests and groups of tests. */
export function titlesOf(folder: string): readonly Passage[] {
  return filesOf(folder, /\.tsx?$/).flatMap((file) => {
    const text = read(file);
    return [...text.matchAll(/\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(["'`])((?:(?!\1)[^\\]|\\.)*)\1/g)].map((match) => ({
      place: `${file}:${lineOf(text, match.index)}`,
      text: match[2] as string,
    }));
  });
}

/** String literals with at least two words that are not SQL: messages, descriptions, help, log lines. */
export function sentencesOf(folder: string): readonly Passage[] {
  return filesOf(folder, /\.tsx?$/).flatMap((file) => {
    const text = read(file).replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, " "));
    const strings = [...text.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)];
    return strings.flatMap((match) => {
      const said = (match[1] ?? match[2] ?? "").replaceAll(/\$\{[^}]*\}/g, "x");
      const isSql = /\b(?:select|insert into|update \w+|delete from|where|join)\b[\s\S]*\b(?:from|set|and|on|values)\b/.test(said);
      return isSql || !/[a-z]+ [a-z]+/i.test(said) ? [] : [{ place: `${file}:${lineOf(text, match.index)}`, text: said }];
    });
  });
}

/** Lines of Markdown and of mail templates, without code. */
export function proseOf(pattern: RegExp): readonly Passage[] {
  return filesOf(".", pattern).flatMap((file) => {
    const text = read(file)
      .replaceAll(/^```[\s\S]*?^```/gm, (code) => code.replaceAll(/[^\n]/g, ""))
      .replaceAll(/`[^`\n]*`/g, "x");
    return text.split("\n").map((line, at) => ({ place: `${file}:${at + 1}`, text: line }));
  });
}
