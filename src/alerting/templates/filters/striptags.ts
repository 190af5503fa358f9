import type { Run } from "../run.ts";
import { wordsOf } from "../text.ts";
import { htmlEntities } from "./html-entities.ts";

/** Characters for the numbers 128 to 159, which HTML reads as Windows-1252. */
const windows1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";
/** The longest name that is recognised without its semicolon. */
const longestBareName = 6;

/** Removes tags and comments, decodes entities and collapses white space. Text that only resembles an entity stays. */
export function stripTags(run: Run, text: string): string {
  const bare = withoutTags(withoutComments(text));
  run.spend(text.length >> 5);
  return unescapeEntities(wordsOf(bare).join(" "));
}

/** Removes comments from left to right; the text around one may form the next, as in a repeated search. */
function withoutComments(text: string): string {
  const output: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    output.push(text[at] as string);
    if (text[at] !== "-" || output.slice(-4).join("") !== "<!--") continue;
    // The dashes of the start may also be those of the end: <!-->
    const end = text[at + 1] === ">" ? at + 1 : text.startsWith("->", at + 1) ? at + 2 : text.indexOf("-->", at + 1) + 2;
    if (end === 1) return output.join("") + text.slice(at + 1);
    output.length -= 4;
    at = end;
  }
  return output.join("");
}

function withoutTags(text: string): string {
  let output = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf("<", at);
    const end = start === -1 ? -1 : text.indexOf(">", start);
    if (end === -1) return output + text.slice(at);
    output += text.slice(at, start);
    at = end + 1;
  }
}

/** Decodes entities as browsers and Python do: a name that begins with a known one is that one, any other stays. */
function unescapeEntities(text: string): string {
  return text.replace(/&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)/gu, (whole, entity: string) => {
    if (entity.startsWith("#")) return numbered(entity);
    const known = htmlEntities.get(entity);
    if (known !== undefined) return known;
    for (let length = Math.min(entity.length - 1, longestBareName); length > 1; length -= 1) {
      const start = htmlEntities.get(entity.slice(0, length));
      if (start !== undefined) return start + entity.slice(length);
    }
    return whole;
  });
}

function numbered(entity: string): string {
  const hex = /^#[xX]/.test(entity);
  const code = Number.parseInt(entity.slice(hex ? 2 : 1), hex ? 16 : 10);
  if (code >= 0x80 && code < 0xa0) return windows1252[code - 0x80] as string;
  if (code === 0 || code > 0x10_ffff || (code >= 0xd800 && code < 0xe000)) return "\ufffd";
  const isNoCharacter = (code < 32 && !/[\t\n\f\r]/.test(String.fromCharCode(code))) || code === 0x7f;
  if (isNoCharacter || (code >= 0xfdd0 && code < 0xfdf0) || (code & 0xfffe) === 0xfffe) return "";
  return String.fromCodePoint(code);
}
