import type { Run } from "../run.ts";
import { wordsOf } from "../text.ts";
import { htmlEntities } from "./html-entities.ts";

/** What the numbers 128 to 159 stand for: in HTML they are characters of Windows. */
const windows1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";
/** No name that is read without its semicolon is longer. */
const longestBareName = 6;

/** A text without tags and comments, with entities as characters and white space as single spaces. What is no entity stays as it is. */
export function stripTags(run: Run, text: string): string {
  const bare = withoutTags(withoutComments(text));
  run.spend(text.length >> 5);
  return unescapeEntities(wordsOf(bare).join(" "));
}

/** Takes comments out from left to right; what stands before and after one may form the next, as repeated searching would find it. */
function withoutComments(text: string): string {
  const kept: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    kept.push(text[at] as string);
    if (text[at] !== "-" || kept.slice(-4).join("") !== "<!--") continue;
    // the dashes of the start may be those of the end: <!-->
    const end = text[at + 1] === ">" ? at + 1 : text.startsWith("->", at + 1) ? at + 2 : text.indexOf("-->", at + 1) + 2;
    if (end === 1) return kept.join("") + text.slice(at + 1);
    kept.length -= 4;
    at = end;
  }
  return kept.join("");
}

function withoutTags(text: string): string {
  let kept = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf("<", at);
    const end = start === -1 ? -1 : text.indexOf(">", start);
    if (end === -1) return kept + text.slice(at);
    kept += text.slice(at, start);
    at = end + 1;
  }
}

/** As browsers and Python read entities: a name that begins with a known one is that one, any other stays as it is. */
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
