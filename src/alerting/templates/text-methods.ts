import { integerArgument, type Method, textArgument } from "./arguments.ts";
import { iterate } from "./compare.ts";
import { Fault } from "./error.ts";
import type { Run } from "./run.ts";
import { charactersOf, isSpace, lengthOf, linesOf, strip, wordsOf } from "./text.ts";
import { List, Tuple, textOf, typeOf, type Value } from "./value.ts";

/** Methods of texts: those of Python that are useful in a payload. */
export const textMethods: Readonly<Record<string, Method<string>>> = {
  upper: { parameters: [], apply: (run, self) => run.made(self.toUpperCase()) },
  lower: { parameters: [], apply: (run, self) => run.made(self.toLowerCase()) },
  capitalize: { parameters: [], apply: (run, self) => run.made(capitalize(self)) },
  title: { parameters: [], apply: (run, self) => run.made(title(self)) },
  strip: { parameters: ["chars"], apply: (_, self, [chars]) => strip(self, charactersToStrip(chars)) },
  lstrip: { parameters: ["chars"], apply: (_, self, [chars]) => strip(self, charactersToStrip(chars), "start") },
  rstrip: { parameters: ["chars"], apply: (_, self, [chars]) => strip(self, charactersToStrip(chars), "end") },
  split: {
    parameters: ["sep", "maxsplit"],
    apply: (run, self, [by, most]) => split(run, self, by, integerArgument("split", "maxsplit", most, -1)),
  },
  splitlines: { parameters: [], apply: (run, self) => list(run, linesOf(self)) },
  startswith: {
    parameters: ["prefix"],
    required: 1,
    apply: (_, self, [prefix]) => affixes("startswith", prefix).some((each) => self.startsWith(each)),
  },
  endswith: {
    parameters: ["suffix"],
    required: 1,
    apply: (_, self, [suffix]) => affixes("endswith", suffix).some((each) => self.endsWith(each)),
  },
  removeprefix: {
    parameters: ["prefix"],
    required: 1,
    apply: (_, self, [prefix]) => (self.startsWith(text("removeprefix", prefix)) ? self.slice(text("removeprefix", prefix).length) : self),
  },
  removesuffix: {
    parameters: ["suffix"],
    required: 1,
    apply: (_, self, [suffix]) =>
      self.endsWith(text("removesuffix", suffix)) ? self.slice(0, self.length - text("removesuffix", suffix).length) : self,
  },
  replace: {
    parameters: ["old", "new", "count"],
    required: 2,
    apply: (run, self, [old, by, count]) =>
      replaceText(run, self, text("replace", old), text("replace", by), integerArgument("replace", "count", count, -1)),
  },
  find: { parameters: ["sub"], required: 1, apply: (_, self, [part]) => place(self, self.indexOf(text("find", part))) },
  rfind: { parameters: ["sub"], required: 1, apply: (_, self, [part]) => place(self, self.lastIndexOf(text("rfind", part))) },
  count: {
    parameters: ["sub"],
    required: 1,
    apply: (_, self, [part]) => {
      const wanted = text("count", part);
      return BigInt(wanted === "" ? lengthOf(self) + 1 : self.split(wanted).length - 1);
    },
  },
  join: {
    parameters: ["iterable"],
    required: 1,
    apply: (run, self, [items = null]) =>
      joinTexts(
        run,
        self,
        iterate(run, items).map((item) => text("join", item)),
      ),
  },
  center: {
    parameters: ["width", "fillchar"],
    required: 1,
    apply: (run, self, [width, fill]) => center(run, self, integerArgument("center", "width", width, 0), filler("center", fill)),
  },
  ljust: {
    parameters: ["width", "fillchar"],
    required: 1,
    apply: (run, self, [width, fill]) => self + padding(run, self, integerArgument("ljust", "width", width, 0), filler("ljust", fill)),
  },
  rjust: {
    parameters: ["width", "fillchar"],
    required: 1,
    apply: (run, self, [width, fill]) => padding(run, self, integerArgument("rjust", "width", width, 0), filler("rjust", fill)) + self,
  },
  zfill: {
    parameters: ["width"],
    required: 1,
    apply: (run, self, [width]) => {
      const sign = /^[+-]/.exec(self)?.[0] ?? "";
      return sign + padding(run, self, integerArgument("zfill", "width", width, 0), "0") + self.slice(sign.length);
    },
  },
  isdigit: { parameters: [], apply: (_, self) => /^[0-9]+$/.test(ascii("isdigit", self)) },
  isalpha: { parameters: [], apply: (_, self) => /^\p{L}+$/u.test(self) },
  isspace: { parameters: [], apply: (_, self) => self !== "" && charactersOf(self).every(isSpace) },
  islower: { parameters: [], apply: (_, self) => isLower(self) },
  isupper: { parameters: [], apply: (_, self) => isUpper(self) },
};

/** Upper-cases the first character and lower-cases the others. */
export function capitalize(self: string): string {
  const [first = "", ...rest] = charactersOf(self);
  return capital(first) + rest.join("").toLowerCase();
}

/** Returns Python's title case of one character: digraphs such as `\u01c6` and Greek letters with iota subscript have special capitals. */
function capital(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x1c4 && code <= 0x1cc) return String.fromCodePoint(0x1c5 + 3 * Math.floor((code - 0x1c4) / 3));
  if (code >= 0x1f1 && code <= 0x1f3) return "\u01f2";
  if (code >= 0x10d0 && code <= 0x10ff) return character;
  if (code >= 0x1f80 && code <= 0x1faf) return String.fromCodePoint(code | 8);
  const upper = charactersOf(character.toUpperCase());
  if (upper.length <= 1 || code === 0x149) return upper.join("");
  if (upper.at(-1) !== "\u0399") return upper[0] + upper.slice(1).join("").toLowerCase();
  const whole = `${upper.slice(0, -1).join("")}\u0345`;
  return upper.length === 2 ? whole.normalize("NFC") : whole;
}

/** Tells whether the text has cased letters and all of them are lower case. */
export function isLower(self: string): boolean {
  return /\p{Lowercase}/u.test(self) && !/[\p{Uppercase}\p{Lt}]/u.test(self);
}

/** Tells whether the text has cased letters and all of them are upper case. */
export function isUpper(self: string): boolean {
  return /\p{Uppercase}/u.test(self) && !/[\p{Lowercase}\p{Lt}]/u.test(self);
}

/** Replaces the first `count` occurrences, or all if negative. Throws `Fault` if the result would be too long. */
export function replaceText(run: Run, self: string, old: string, by: string, count: number): string {
  run.room(self.length);
  const pieces = old === "" ? ["", ...charactersOf(self), ""] : self.split(old);
  const places = count < 0 ? pieces.length - 1 : Math.min(count, pieces.length - 1);
  run.room(self.length + places * Math.max(0, by.length - old.length));
  run.spend(pieces.length);
  return joinPieces(pieces.slice(0, places + 1), by) + (places + 1 < pieces.length ? old + pieces.slice(places + 1).join(old) : "");
}

function joinPieces(pieces: readonly string[], by: string): string {
  return pieces.join(by);
}

/** Centres a text in a width as Python does, padding with `fill` (one character). */
export function center(run: Run, self: string, width: number, fill = " "): string {
  const count = padding(run, self, width, fill).length / fill.length;
  const left = (count >> 1) + (count & width & 1);
  return fill.repeat(left) + self + fill.repeat(count - left);
}

/** Joins texts with a separator. Throws `Fault` if the result would be too long. */
export function joinTexts(run: Run, between: string, texts: readonly string[]): string {
  run.room(texts.reduce((sum, each) => sum + each.length, between.length * Math.max(0, texts.length - 1)));
  return texts.join(between);
}

function title(self: string): string {
  return self.replace(/\p{Cased}+/gu, (word) => capitalize(word));
}

function padding(run: Run, self: string, width: number, fill: string): string {
  const count = Math.max(0, width - lengthOf(self));
  run.room(self.length + count * fill.length);
  return fill.repeat(count);
}

function filler(method: string, value: Value | undefined): string {
  const fill = textArgument(method, "fillchar", value, " ");
  if (lengthOf(fill) !== 1) throw new Fault(method, `fillchar of ${method} must be one character; write for example ${method}(10, '.')`);
  return fill;
}

function split(run: Run, self: string, by: Value | undefined, most: number): Value {
  if (by === undefined || by === null) {
    if (most >= 0) throw new Fault("split", "split with maxsplit needs a separator; write split(' ', 1)");
    return list(run, wordsOf(self));
  }
  const separator = text("split", by);
  if (separator === "") throw new Fault("split", "split needs a separator that is not empty; |list gives the characters");
  const parts = self.split(separator);
  return list(run, most < 0 || parts.length <= most + 1 ? parts : [...parts.slice(0, most), parts.slice(most).join(separator)]);
}

function list(run: Run, items: readonly string[]): List {
  run.spend(items.length);
  return new List(items);
}

function text(method: string, value: Value | undefined): string {
  return textArgument(method, "an argument", value, "");
}

function charactersToStrip(value: Value | undefined): string | null {
  return value === undefined || value === null ? null : text("strip", value);
}

function affixes(method: string, value: Value | undefined): string[] {
  return value instanceof Tuple ? value.items.map((item) => text(method, item)) : [text(method, value)];
}

function place(self: string, index: number): bigint {
  return BigInt(index < 0 ? -1 : lengthOf(self.slice(0, index)));
}

function ascii(method: string, self: string): string {
  // Other scripts have digits too, and Python's list differs from JavaScript's.
  if (/[^\0-\x7f]/.test(self))
    throw new Fault(method, `${method} is for plain letters and digits only; ${typeOf(textOf(self) ?? self)} with others is not supported`);
  return self;
}
