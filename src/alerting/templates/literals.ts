import { TemplateError } from "./error.ts";

const escapes: Readonly<Record<string, string>> = {
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Decodes Python's escapes in a quoted text. An unknown escape stays, as in Python. Throws `TemplateError`. */
export function decodeString(inner: string, line: number): string {
  return inner.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g,
    (whole, x, u, U, octal, other) => {
      if (other === undefined) {
        const code = octal === undefined ? Number.parseInt(x ?? u ?? U, 16) : Number.parseInt(octal, 8);
        if (code > 0x10ffff) throw new TemplateError(line, whole, `${whole} is not a character; the last one is \\U0010ffff`);
        return String.fromCodePoint(code);
      }
      if ("xuUN".includes(other))
        throw new TemplateError(line, whole, `${whole} is not a complete escape; write \\xHH, \\uHHHH or \\UHHHHHHHH`);
      return escapes[other] ?? whole;
    },
  );
}

/** Parses an integer; underscores may group digits. Throws `TemplateError` for more than 300 digits. */
export function integerOf(text: string, line: number): bigint {
  if (text.length > 300) throw new TemplateError(line, "number", "the number has more than 300 digits; write a smaller one");
  return BigInt(text.replaceAll("_", ""));
}
