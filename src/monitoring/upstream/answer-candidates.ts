import { curlyQuotes } from "./lenient-json.ts";

/** The position of an object in a text: from its opening brace to just after its closing one. */
export interface Candidate {
  readonly start: number;
  readonly end: number;
}

export interface Candidates {
  /** Complete objects, ordered by where they end. */
  readonly complete: readonly Candidate[];
  /** Start of an object that never ends, if the text breaks off in it. */
  readonly cutAt: number | undefined;
  /** The text breaks off in an object or in thoughts. */
  readonly isCut: boolean;
}

const openTag = /<(think|thinking|thought|reasoning)>/iy;
const closeTag = /<\/(think|thinking|thought|reasoning)>/iy;
const anyCloseTag = /<\/(?:think|thinking|thought|reasoning)>/gi;
const scoreName = /risk[_\s-]?score/iy;
/** Characters that may follow an answer at the end of the text. */
const onlyEndSigns = /^[\s`}\]]*$/;

/**
 * Finds all objects in a text that name a risk score. Skips thoughts: text between think tags, text before a lone closing tag and, if a
 * tag is never closed, everything after it except an object that ends the text. With `heedStrings`, braces and tags inside strings in
 * double or curly quotes are plain text. Without it, a stray quote cannot hide the rest. One pass; linear in the length of the text,
 * which must be in half width (`toHalfWidth`).
 */
export function findCandidates(text: string, heedStrings: boolean): Candidates {
  let complete: Candidate[] = [];
  const open: number[] = [];
  let lastScoreAt = -1;
  /** The quotes that end the current string; empty outside of strings. */
  let closing = "";
  let thinkingSince = -1;
  const interesting = /["“”„‟＂\\{}<r]/gi;
  for (let found = interesting.exec(text); found; found = interesting.exec(text)) {
    const at = found.index;
    const sign = found[0];
    if (sign === "r" || sign === "R") {
      // Also inside strings: names are strings.
      if (matches(scoreName, text, at)) lastScoreAt = at;
    } else if (sign === "\\") {
      if (closing !== "") interesting.lastIndex = at + 2;
    } else if (sign === '"' || curlyQuotes.includes(sign)) {
      if (closing.includes(sign)) closing = "";
      else if (closing === "" && heedStrings && open.length > 0) closing = sign === '"' ? sign : curlyQuotes;
    } else if (closing !== "") {
      // Inside a string, braces and tags are text.
    } else if (sign === "{") {
      open.push(at);
    } else if (sign === "}") {
      const start = open.pop();
      if (start !== undefined && lastScoreAt > start) complete.push({ start, end: at + 1 });
    } else if (matches(closeTag, text, at)) {
      complete = [];
      open.length = 0;
    } else if (thinkingSince < 0 && matches(openTag, text, at)) {
      anyCloseTag.lastIndex = at;
      if (anyCloseTag.exec(text)) interesting.lastIndex = anyCloseTag.lastIndex;
      else thinkingSince = at;
    }
  }
  const cutAt = lastScoreAt < 0 ? undefined : open.findLast((start) => start < lastScoreAt);
  if (thinkingSince < 0) return { complete, cutAt, isCut: cutAt !== undefined };
  const spoken = complete.filter(
    ({ start, end }) => start < thinkingSince || (onlyEndSigns.test(text.slice(end, end + 64)) && text.length - end <= 64),
  );
  return { complete: spoken, cutAt: undefined, isCut: true };
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
