import { Fault } from "../error.ts";
import type { Run } from "../run.ts";
import { wordsOf } from "../text.ts";

/** Entities that HTML also knows without a semicolon; the only ones that are read. */
const names =
  "AElig AMP Aacute Acirc Agrave Aring Atilde Auml COPY Ccedil ETH Eacute Ecirc Egrave Euml GT Iacute Icirc Igrave Iuml LT Ntilde Oacute Ocirc Ograve Oslash Otilde Ouml QUOT REG THORN Uacute Ucirc Ugrave Uuml Yacute aacute acirc acute aelig agrave amp aring atilde auml brvbar ccedil cedil cent copy curren deg divide eacute ecirc egrave eth euml frac12 frac14 frac34 gt iacute icirc iexcl igrave iquest iuml laquo lt macr micro middot nbsp not ntilde oacute ocirc ograve ordf ordm oslash otilde ouml para plusmn pound quot raquo reg sect shy sup1 sup2 sup3 szlig thorn times uacute ucirc ugrave uml uuml yacute yen yuml";
const codes = [
  198, 38, 193, 194, 192, 197, 195, 196, 169, 199, 208, 201, 202, 200, 203, 62, 205, 206, 204, 207, 60, 209, 211, 212, 210, 216, 213, 214,
  34, 174, 222, 218, 219, 217, 220, 221, 225, 226, 180, 230, 224, 38, 229, 227, 228, 166, 231, 184, 162, 169, 164, 176, 247, 233, 234, 232,
  240, 235, 189, 188, 190, 62, 237, 238, 161, 236, 191, 239, 171, 60, 175, 181, 183, 160, 172, 241, 243, 244, 242, 170, 186, 248, 245, 246,
  182, 177, 163, 34, 187, 174, 167, 173, 185, 178, 179, 223, 254, 215, 250, 251, 249, 168, 252, 253, 165, 255,
];
const entities = new Map(names.split(" ").map((name, index) => [name, String.fromCodePoint(codes[index] ?? 0)]));

/** A text without tags and comments, with entities as characters and white space as single spaces. Throws `Fault` for entities that are not known. */
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

function unescapeEntities(text: string): string {
  return text.replace(/&(#[0-9]{1,8};?|#[xX][0-9a-fA-F]{1,8};?|[A-Za-z][A-Za-z0-9]{1,31};?)/g, (whole, entity: string) => {
    if (entity.startsWith("#")) return numbered(whole, entity);
    const name = entity.replace(";", "");
    const known = entities.get(name);
    if (known !== undefined) return known;
    if (entity.endsWith(";")) throw new Fault(whole, `striptags does not know ${whole}; replace it before`);
    for (let length = name.length - 1; length > 1; length -= 1) {
      const start = entities.get(name.slice(0, length));
      if (start !== undefined) return start + name.slice(length);
    }
    return whole;
  });
}

function numbered(whole: string, entity: string): string {
  const hex = /^#[xX]/.test(entity);
  const code = Number.parseInt(entity.slice(hex ? 2 : 1), hex ? 16 : 10);
  // the others are read in a way of their own by browsers
  const plain =
    code === 9 ||
    code === 10 ||
    (code >= 32 && code < 127) ||
    (code >= 160 && code < 0xd800) ||
    (code >= 0xe000 && code < 0xfdd0) ||
    (code >= 0x10000 && code < 0x1fffe);
  if (!plain) throw new Fault(whole, `striptags does not read ${whole}; replace it before`);
  return String.fromCodePoint(code);
}
