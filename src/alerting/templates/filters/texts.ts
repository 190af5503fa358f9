import { integerArgument, textArgument, truthArgument } from "../arguments.ts";
import { dictOf, iterate } from "../compare.ts";
import { Fault } from "../error.ts";
import { formatPercent } from "../percent.ts";
import { represent, show } from "../print.ts";
import { charactersOf, escapeText, lengthOf, linesOf, spaces, startOf, strip } from "../text.ts";
import { capitalize, center, joinTexts, replaceText } from "../text-methods.ts";
import { Dict, Markup, Tuple, textOf, typeOf, Undefined, type Value } from "../value.ts";
import { attributeReader, type Filter, like, textOnly } from "./filter.ts";
import { stripTags } from "./striptags.ts";

const wordStarts = new RegExp(`([-${spaces}({[<]+|^)([^-${spaces}({[<]*)`, "g");

/** Filters that turn a value into text. */
export const textFilters: Readonly<Record<string, Filter>> = {
  upper: { parameters: [], apply: (run, value) => like(value, run.made(show(run, value).toUpperCase())) },
  lower: { parameters: [], apply: (run, value) => like(value, run.made(show(run, value).toLowerCase())) },
  capitalize: { parameters: [], apply: (run, value) => like(value, run.made(capitalize(show(run, value)))) },
  title: {
    parameters: [],
    apply: (run, value) => run.made(show(run, value).replace(wordStarts, (_, gap: string, word: string) => gap + titled(word))),
  },
  trim: {
    parameters: ["chars"],
    apply: (run, value, [chars]) =>
      like(value, strip(show(run, value), chars === undefined || chars === null ? null : textArgument("trim", "chars", chars, ""))),
  },
  replace: {
    parameters: ["old", "new", "count"],
    required: 2,
    apply: (run, value, [old = null, by = null, count]) =>
      replaceText(
        run,
        show(run, value),
        show(run, old),
        show(run, by),
        count === null ? -1 : integerArgument("replace", "count", count, -1),
      ),
  },
  truncate: {
    parameters: ["length", "killwords", "end", "leeway"],
    apply: (run, value, [length, killwords, end, leeway]) => {
      if (value instanceof Undefined) return value;
      const text = textOnly("truncate", value);
      const wanted = integerArgument("truncate", "length", length, 255);
      const ending = textArgument("truncate", "end", end, "...");
      const slack = leeway === null ? 5 : integerArgument("truncate", "leeway", leeway, 5);
      if (wanted < lengthOf(ending) || slack < 0)
        throw new Fault("truncate", "truncate needs a length of at least that of its ending, and a leeway of at least 0");
      run.room(text.length + ending.length);
      if (lengthOf(text) <= wanted + slack) return value;
      const start = startOf(text, wanted - lengthOf(ending));
      const shortened = truthArgument(killwords, false) || !start.includes(" ") ? start : start.slice(0, start.lastIndexOf(" "));
      if (value instanceof Markup)
        throw new Fault("truncate", "truncate of escaped text may cut an entity; truncate first and escape then");
      return shortened + ending;
    },
  },
  wordcount: { parameters: [], apply: (run, value) => BigInt(run.made(show(run, value)).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0) },
  center: {
    parameters: ["width"],
    apply: (run, value, [width]) => like(value, center(run, show(run, value), integerArgument("center", "width", width, 80))),
  },
  indent: {
    parameters: ["width", "first", "blank"],
    apply: (run, value, [width, first, blank]) => {
      if (value instanceof Undefined) throw new Fault(value.hint, `indent: ${value.hint} is undefined; give it a value with default(...)`);
      const text = textOnly("indent", value);
      const by = textOf(width ?? null) ?? " ".repeat(Math.max(0, Math.min(10_000, integerArgument("indent", "width", width, 4))));
      const lines = linesOf(`${text}\n`);
      run.room(text.length + by.length * lines.length);
      const rest = lines.slice(1).map((line) => (line === "" && !truthArgument(blank, false) ? line : by + line));
      return like(value, (truthArgument(first, false) ? by : "") + [lines[0] ?? "", ...rest].join("\n"));
    },
  },
  striptags: { parameters: [], apply: (run, value) => stripTags(run, run.made(show(run, value))) },
  format: {
    parameters: "any",
    apply: (run, value, _, given) => {
      if (given.positional.length > 0 && given.named.size > 0)
        throw new Fault("format", "format takes values by place or by name, not both; use one kind");
      if (value instanceof Markup) throw new Fault("format", "format of escaped text is not supported; escape the result instead");
      const named = dictOf(run, given.named);
      return formatPercent(run, show(run, value), given.named.size > 0 ? named : new Tuple(given.positional));
    },
  },
  string: { parameters: [], apply: (run, value) => (value instanceof Markup ? value : run.made(show(run, value))) },
  join: {
    parameters: ["d", "attribute"],
    apply: (run, value, [between = "", attribute]) => {
      const read = attributeReader(run, "join", attribute);
      return joinTexts(
        run,
        show(run, between),
        iterate(run, value).map((item) => run.made(show(run, read(item)))),
      );
    },
  },
  e: { parameters: [], apply: (run, value) => (value instanceof Markup ? value : new Markup(run.made(escapeText(show(run, value))))) },
  forceescape: { parameters: [], apply: (run, value) => new Markup(run.made(escapeText(show(run, value)))) },
  safe: { parameters: [], apply: (run, value) => new Markup(show(run, value)) },
  urlencode: {
    parameters: [],
    apply: (run, value) => {
      if (textOf(value) !== null || value === null || typeof value !== "object") return run.made(percentEncoded(show(run, value), false));
      if (value instanceof Undefined) return "";
      const pairs = value instanceof Dict ? [...value.entries.values()] : iterate(run, value).map((pair) => iterate(run, pair));
      const parts = pairs.map((pair) => {
        if (pair.length !== 2) throw new Fault("urlencode", "urlencode needs a text, a dict, or pairs of key and value");
        return run.made(pair.map((each) => percentEncoded(show(run, each as Value), true)).join("="));
      });
      return joinTexts(run, "&", parts);
    },
  },
  xmlattr: {
    parameters: ["autospace"],
    apply: (run, value, [autospace]) => {
      if (!(value instanceof Dict)) throw new Fault("xmlattr", `xmlattr needs a dict, not ${typeOf(value)}; write {'name': value}`);
      const parts: string[] = [];
      for (const [key, item] of value.entries.values()) {
        if (item === null || item instanceof Undefined) continue;
        const name = textOnly("xmlattr", key);
        if (/[\t\n\v\f\r />=]/.test(name))
          throw new Fault("xmlattr", `xmlattr: ${represent(run, name)} cannot be the name of an attribute; leave out spaces, /, > and =`);
        parts.push(run.made(`${escapeText(name)}="${item instanceof Markup ? item.text : escapeText(show(run, item))}"`));
      }
      return (truthArgument(autospace, true) && parts.length > 0 ? " " : "") + joinTexts(run, " ", parts);
    },
  },
};

function titled(word: string): string {
  const [first = "", ...rest] = charactersOf(word);
  return first.toUpperCase() + rest.join("").toLowerCase();
}

/** Encodes like Python's `quote`: letters, digits and `_.-~` stay, and `/` outside of a query. */
function percentEncoded(text: string, query: boolean): string {
  if (/\p{Cs}/u.test(text)) throw new Fault("urlencode", "urlencode: the text has half a character; leave it out");
  const encoded = encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return query ? encoded.replaceAll("%20", "+") : encoded.replaceAll("%2F", "/");
}
