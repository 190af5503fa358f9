/** The position of an object in a text: from its opening brace to just after its closing one. */
export interface Candidate {
  readonly start: number;
  readonly end: number;
}

const openTag = /<(think|thinking|thought|reasoning)>/iy;
const closeTag = /<\/(think|thinking|thought|reasoning)>/iy;
const anyCloseTag = /<\/(?:think|thinking|thought|reasoning)>/gi;
const scoreName = /risk_?score/iy;
/** Characters that may follow an answer at the end of the text. */
const onlyEndSigns = /^[\s`}\]]*$/;

/**
 * Returns all objects in a text that name a risk score, ordered by where they end. Skips thoughts: text between think tags,
 * text before a lone closing tag and, if a tag is never closed, everything after it except an object that ends the text.
 * With `heedStrings`, braces and tags inside double-quoted strings are plain text. Without it, a stray quote cannot hide
 * the rest. One pass; linear in the length of the text.
 */
export function findCandidates(text: string, heedStrings: boolean): Candidate[] {
  let candidates: Candidate[] = [];
  const open: number[] = [];
  let lastScoreAt = -1;
  let inString = false;
  let thinkingSince = -1;
  const interesting = /["\\{}<r]/gi;
  for (let found = interesting.exec(text); found; found = interesting.exec(text)) {
    const at = found.index;
    const sign = found[0];
    if (sign === "r" || sign === "R") {
      // Also inside strings: names are strings.
      if (matches(scoreName, text, at)) lastScoreAt = at;
    } else if (sign === "\\") {
      if (inString) interesting.lastIndex = at + 2;
    } else if (sign === '"') {
      if (heedStrings && open.length > 0) inString = !inString;
    } else if (inString) {
      // Inside a string, braces and tags are text.
    } else if (sign === "{") {
      open.push(at);
    } else if (sign === "}") {
      const start = open.pop();
      if (start !== undefined && lastScoreAt > start) candidates.push({ start, end: at + 1 });
    } else if (matches(closeTag, text, at)) {
      candidates = [];
      open.length = 0;
    } else if (thinkingSince < 0 && matches(openTag, text, at)) {
      anyCloseTag.lastIndex = at;
      if (anyCloseTag.exec(text)) interesting.lastIndex = anyCloseTag.lastIndex;
      else thinkingSince = at;
    }
  }
  if (thinkingSince < 0) return candidates;
  return candidates.filter(
    ({ start, end }) => start < thinkingSince || (onlyEndSigns.test(text.slice(end, end + 64)) && text.length - end <= 64),
  );
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
