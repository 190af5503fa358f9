import type { SearchQuery } from "../../platform/search/query.ts";

/*
 * A phrase matches the class of a detection, the name of its camera, or the words that enrichment read from its picture. Classes and
 * cameras are few, so the query is first reduced for each class at each camera: usually to true or false, otherwise to a condition on the
 * words of enrichment alone, which have an index. The relevance of a detection depends only on where the phrases match, so detections of
 * the same relevance are read in order of time.
 */

/** A class at a camera, and its number of detections on the days of the filter. */
export interface Place {
  readonly cameraId: string;
  readonly objectType: string;
  readonly count: number;
}

/** Relevance of a phrase found in each of these. */
const worth = { class: 1, camera: 0.8, words: 0.6 } as const;

/** Where each phrase of a query was found. */
export interface PhrasePlaces {
  readonly classes: ReadonlyMap<string, ReadonlySet<string>>;
  readonly cameras: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The meaning of a query for a class at a camera: true, false, or a condition on the words of enrichment. */
export interface Meaning {
  readonly value: boolean | SearchQuery;
  /** 0 to 1; undefined if the query only excludes. */
  readonly score: number | undefined;
}

/** Determines the meaning of a query for a class at a camera. */
function meaningAt(query: SearchQuery, { cameraId, objectType }: Omit<Place, "count">, places: PhrasePlaces): Meaning {
  if (query.kind === "phrase") {
    if (places.classes.get(query.text)?.has(objectType)) return { value: true, score: worth.class };
    if (places.cameras.get(query.text)?.has(cameraId)) return { value: true, score: worth.camera };
    return { value: query, score: worth.words };
  }
  if (query.kind === "not") {
    const { value } = meaningAt(query.part, { cameraId, objectType }, places);
    return { value: typeof value === "boolean" ? !value : { kind: "not", part: value }, score: undefined };
  }
  const meanings = query.parts.map((part) => meaningAt(part, { cameraId, objectType }, places));
  // A single part decides: a false one for "and", a true one for "or".
  const decisive = query.kind === "or";
  const deciding = meanings.filter(({ value }) => value === decisive);
  if (deciding.length > 0) return { value: decisive, score: highest(deciding) };
  const open = meanings.flatMap(({ value }) => (typeof value === "boolean" ? [] : [value]));
  const [only] = open;
  const value = only === undefined ? !decisive : open.length === 1 ? only : { kind: query.kind, parts: open };
  return { value, score: query.kind === "and" ? average(meanings) : highest(meanings.filter((meaning) => meaning.value !== false)) };
}

/** Tells whether an open query holds for a detection without enrichment words. */
export function holdsWithoutWords(query: SearchQuery): boolean {
  if (query.kind === "phrase") return false;
  if (query.kind === "not") return !holdsWithoutWords(query.part);
  return query.kind === "and" ? query.parts.every(holdsWithoutWords) : query.parts.some(holdsWithoutWords);
}

/** Classes at cameras with the same meaning of a query. `words` is the condition on the words; true means none. */
export interface Run {
  readonly places: readonly Place[];
  readonly words: SearchQuery | true;
}

/** Runs of the same relevance. */
export interface Rank {
  readonly score: number;
  readonly runs: readonly Run[];
}

/** Returns the results, most relevant first. */
export function rank(query: SearchQuery, places: readonly Place[], found: PhrasePlaces): readonly Rank[] {
  const ranks = new Map<number, Map<string, Run & { places: Place[] }>>();
  for (const place of places) {
    const { value, score = 1 } = meaningAt(query, place, found);
    if (value === false) continue;
    const rounded = Math.round(score * 1000) / 1000;
    const runs = ranks.get(rounded) ?? new Map<string, Run & { places: Place[] }>();
    ranks.set(rounded, runs);
    const run = runs.get(JSON.stringify(value)) ?? { places: [], words: value };
    runs.set(JSON.stringify(value), run);
    run.places.push(place);
  }
  return [...ranks].map(([score, runs]) => ({ score, runs: [...runs.values()] })).toSorted((a, b) => b.score - a.score);
}

function highest(meanings: readonly Meaning[]): number | undefined {
  const scores = meanings.flatMap(({ score }) => score ?? []);
  return scores.length > 0 ? Math.max(...scores) : undefined;
}

function average(meanings: readonly Meaning[]): number | undefined {
  const scores = meanings.flatMap(({ score }) => score ?? []);
  return scores.length > 0 ? sum(scores) / scores.length : undefined;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
