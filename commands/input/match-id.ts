import { nearest } from "../../src/platform/config/nearest.ts";
import { isUuid, shortIds } from "../output/short-ids.ts";

/** Something that a short id or a name may mean. */
export interface Candidate {
  readonly id: string;
  /** The name that also works in place of the id. */
  readonly name?: string;
  /** Shown beside the id where several candidates are listed. */
  readonly about?: string;
}

/** The fewest characters of a prefix: shorter ones are rather a row number or a slip. */
const shortestPrefix = 4;
/** The largest number of candidates in a message. */
const mostListed = 8;

/**
 * The candidates that a text means, by the first of these that fits any: the whole id, the exact name, the name in any case, the start
 * of an id (a UUID with or without its dashes). With `byPrefix: false` the start of an id means nothing.
 */
export function matchId<T extends Candidate>(given: string, candidates: readonly T[], { byPrefix = true } = {}): readonly T[] {
  const lower = given.toLowerCase();
  const rules: readonly ((candidate: T) => boolean)[] = [
    ({ id }) => id === given || (isUuid(id) && id.toLowerCase() === lower),
    ({ name }) => name === given,
    ({ name }) => name?.toLowerCase() === lower,
    ({ id }) => byPrefix && beginsWith(id, lower),
  ];
  for (const fits of rules) {
    const found = candidates.filter(fits);
    if (found.length > 0) return found;
  }
  return [];
}

/** Whether a text is long enough, and of the right characters, to be the start of a UUID. */
export function mayBeginUuid(text: string): boolean {
  return /^[0-9a-f-]+$/i.test(text) && digits(text).length >= shortestPrefix;
}

function beginsWith(id: string, lower: string): boolean {
  if (!isUuid(id)) return lower.length >= shortestPrefix && id.startsWith(lower);
  return mayBeginUuid(lower) && digits(id.toLowerCase()).startsWith(digits(lower));
}

const digits = (text: string): string => text.replaceAll("-", "");

/** The id or name that was probably meant by a text that means nothing: a typing error, or the start of only one candidate. */
export function guessId(given: string, candidates: readonly Candidate[]): string | undefined {
  const texts = candidates.map(({ id, name }) => {
    const shown = isUuid(id) ? id.slice(0, Math.max(8, given.length)) : id;
    return name === undefined ? [shown] : [shown, name];
  });
  const begins = (text: string): boolean => given !== "" && text.toLowerCase().startsWith(given.toLowerCase());
  const begun = texts.filter((each) => each.some(begins));
  return nearest(given, texts.flat()) ?? (begun.length === 1 ? begun[0]?.find(begins) : undefined);
}

/** Lists candidates for a message: `5f0c9d6e (Person at night), 5f0c11a2 (Dog)`. `all` are those that the short ids must tell apart. */
export function listCandidates(candidates: readonly Candidate[], all: readonly Candidate[]): string {
  const short = new Map(shortIds(all.map(({ id }) => id)).map((id, at) => [all[at]?.id, id]));
  const texts = candidates.slice(0, mostListed).map(({ id, name, about = name }) => {
    const shown = short.get(id) ?? id;
    return about === undefined ? shown : `${shown} (${about})`;
  });
  const rest = candidates.length - texts.length;
  return rest > 0 ? `${texts.join(", ")} and ${rest} more` : texts.join(", ");
}
