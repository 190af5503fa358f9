/**
 * An English sentence of homesec and the same in another language. `{n}` stands for a part that changes; the letters say which kind:
 * number (n), duration (d), time (t), identifier (i), word (w), text in quotation marks (q), count with a noun (p), classes of objects (c),
 * names of cameras and zones (g), objects with articles (o), modes of the home (m), days and hours (y), counted objects (u), points (v), any text (x), a text that is translated itself (f), and all that follows, translated too (s). A
 * digit tells two of a kind apart. After `$` nothing else follows. `‹...›` may be missing; it appears in the translation if one of its parts was there.
 */
export type Sentence = readonly [english: string, translated: string];

/** Words of the other language that stand within sentences. */
export interface Words {
  /** `detections` as the word for them. */
  readonly nouns: Readonly<Record<string, string>>;
  readonly classes: Readonly<Record<string, readonly [one: string, many: string]>>;
  /** `people` as the word for them, or for one. */
  readonly objects: (noun: string, isOne: boolean) => string;
  /** Between the last two of a list. */
  readonly and: string;
  readonly or: string;
  readonly modes: Readonly<Record<string, string>>;
  /** `mon` as the word for it. */
  readonly days: Readonly<Record<string, string>>;
  readonly units: Readonly<Record<string, string>>;
  /** Between a number and its decimals. */
  readonly point: string;
  readonly quotes: readonly [open: string, close: string];
}

interface Pattern {
  readonly expression: RegExp;
  readonly translated: string;
  readonly startsSmall: boolean;
}

const kinds = (nouns: readonly string[]): Readonly<Record<string, string>> => ({
  n: "-?\\d+(?:[.,]\\d+)*",
  d: "[\\d.]+ (?:ms|s|min|h|d)(?: [\\d.]+ (?:s|min|h))?",
  t: "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z",
  i: "[0-9a-f]{8}-[0-9a-f-]{27}",
  w: '[^\\s"]+?',
  q: '"(?:[^"\\\\]|\\\\.)*"',
  p: `\\d+ (?:${nouns.join("|")})`,
  c: "[a-z][a-z_]*(?: [a-z]+)?(?: \\d+ %)?(?:, [a-z][a-z_]*(?: [a-z]+)?(?: \\d+ %)?)*",
  o: "an? [^,;:]+?(?:, an? [^,;:]+?)*(?: (?:and|or) an? [^,;:]+?)?",
  g: "[^,;:.)]+?(?:, [^,;:.)]+?)*?(?: (?:and|or) [^,;:.)]+?)?",
  m: "\\S+?(?:, \\S+?)*",
  u: "\\d+ [a-z]+(?:, \\d+ [a-z]+)*(?: and \\d+ [a-z]+)?",
  v: "[+−]\\d+",
  y: "(?:(?![.;] ).)+?",
  x: "(?:(?!\\. ).)+?",
  f: "(?:(?!\\. ).)+?",
  s: ".+",
});

/** A part of a sentence, the beginning or the end of one that may be missing, or the text between them. */
const parts = /\{[a-z]\d?\}|‹|›|\$$|[^{‹›$]+|[{$]/g;
/** What follows a sentence with a full stop, and a part of one. */
const after = { sentence: "(?=\\s|$)", part: "(?=[.;:,]\\s|[.;:,]?$)" };

function compile([english, translated]: Sentence, kind: Readonly<Record<string, string>>): Pattern {
  const source = [...english.matchAll(parts)].map(([part]) => {
    if (part === "‹") return "(?:";
    if (part === "›") return ")?";
    if (part === "$") return "$";
    const name = /^\{([a-z]\d?)\}$/.exec(part)?.[1];
    return name === undefined ? part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : `(?<${name}>${kind[name[0] ?? "x"]})`;
  });
  const [first = ""] = english;
  const startsSmall = /[a-z]/.test(first);
  const begin = startsSmall ? `[${first}${first.toUpperCase()}]${(source[0] ?? "").slice(1)}` : (source[0] ?? "");
  const end = /\{s\}$|\$$/.test(english) ? "" : /[.:?]$/.test(english) ? after.sentence : after.part;
  return { expression: new RegExp(`^${begin}${source.slice(1).join("")}${end}`, "s"), translated, startsSmall };
}

const innermost = /‹([^‹›]*)›/;
const fixedLength = ([english]: Sentence): number => english.replace(/\{[a-z]\d?\}|[‹›]/g, "").length;

/** Translates a text. `onUnknown` gets each part that no sentence fits. */
export type Translator = (text: string, onUnknown?: (part: string) => void) => string;

/**
 * Creates a function that translates what homesec says. Text that no sentence fits stays as it is: names, quotations, and what other
 * programs answered.
 */
export function translator(sentences: readonly Sentence[], words: Words): Translator {
  const kind = kinds(Object.keys(words.nouns));
  // the sentence with the most fixed text says most
  const patterns = sentences.toSorted((a, b) => fixedLength(b) - fixedLength(a)).map((each) => compile(each, kind));
  const partText = (name: string, text: string, onUnknown?: (part: string) => void): string => {
    switch (name[0]) {
      case "s":
      case "f":
        return translate(text, onUnknown);
      case "q":
        return `${words.quotes[0]}${text.slice(1, -1).replace(/\\(.)/g, "$1")}${words.quotes[1]}`;
      case "p": {
        const [count = "", noun = ""] = text.split(/ (.*)/s);
        return `${count} ${words.nouns[noun] ?? noun}`;
      }
      case "c":
        return text.replace(/[a-z][a-z_]*/g, (word) => words.classes[word]?.[0] ?? word);
      case "u":
        return text
          .replace(/(\d+) ([a-z]+)/g, (_, count: string, noun: string) => `${count} ${words.objects(noun, count === "1")}`)
          .replace(" and ", words.and);
      case "o":
        return text
          .replace(/\ban? ([^,]+?)(?=,| and an? | or an? |$)/g, (_, name: string) => words.classes[name]?.[0] ?? name)
          .replace(" and ", words.and)
          .replace(" or ", words.or);
      case "g":
        return text.replace(" and ", words.and).replace(" or ", words.or);
      case "m":
        return text.replace(/\w+/g, (mode) => words.modes[mode] ?? mode);
      case "y":
        return text.replace(/\b[a-z]{3}\b/g, (day) => words.days[day] ?? day);
      case "n":
        return text.replace(/^(-?\d+)\.(\d+)$/, `$1${words.point}$2`);
      case "d":
        return text.replace(".", words.point).replace(/ (h|d)\b/g, (_, unit: string) => ` ${words.units[unit] ?? unit}`);
      default:
        return text;
    }
  };
  const render = ({ translated, startsSmall }: Pattern, match: RegExpExecArray, onUnknown?: (part: string) => void): string => {
    const groups = match.groups ?? {};
    let whole = translated;
    // innermost first
    for (let optional = innermost.exec(whole); optional; optional = innermost.exec(whole)) {
      const names = [...(optional[1] ?? "").matchAll(/\{([a-z]\d?)\}/g)].map(([, name = ""]) => name);
      const isThere = names.some((name) => groups[name] !== undefined);
      whole = whole.replace(optional[0], () => (isThere ? (optional?.[1] ?? "") : ""));
    }
    whole = whole.replace(/\{([a-z]\d?)\}/g, (_, name: string) => partText(name, groups[name] ?? "", onUnknown));
    const isBegin = startsSmall && /^[A-Z]/.test(match[0]) && !whole.startsWith("homesec");
    return isBegin ? whole.slice(0, 1).toUpperCase() + whole.slice(1) : whole;
  };
  const translate: Translator = (text, onUnknown) => {
    let done = "";
    let rest = text;
    while (rest !== "") {
      const found = patterns.flatMap((pattern) => {
        const match = pattern.expression.exec(rest);
        return match ? [{ pattern, match }] : [];
      })[0];
      const taken = found?.match[0] ?? /^.*?(?:[.;:!?](?=\s|$)|$)/s.exec(rest)?.[0] ?? rest;
      if (!found) onUnknown?.(taken);
      done += found ? render(found.pattern, found.match, onUnknown) : taken;
      const [between = ""] = /^[.;:,]?\s*/.exec(rest.slice(taken.length)) ?? [];
      done += between;
      rest = rest.slice(taken.length + between.length);
    }
    return done;
  };
  return translate;
}
