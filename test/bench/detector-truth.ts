import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Corners, iou, shareOfSmaller } from "../../daemon/builtin/detector/boxes.ts";

/** A picture with what is in it. */
export interface TruePicture {
  readonly name: string;
  readonly bytes: Buffer;
}

/** People by their boxes: left, top, right, bottom in pixels. A box within `unclear` counts neither way. */
type Walkway = Readonly<Record<string, { readonly people: readonly Four[]; readonly unclear: readonly Four[] }>>;
type Four = readonly [number, number, number, number];
/** Number of objects by class. The classes of `ok` are there too and count neither way. */
type Classes = Readonly<Record<string, Readonly<Record<string, number | readonly string[]>>>>;

export interface Found {
  readonly type: string;
  readonly corners: Corners;
}

/** Of how many objects the detector found how many, and how often it was wrong. */
export interface Score {
  readonly all: number;
  readonly found: number;
  readonly wrong: number;
}

export interface TruthSet {
  readonly name: string;
  readonly pictures: readonly TruePicture[];
  score(picture: TruePicture, found: readonly Found[]): Score;
}

/** The smallest overlap with a person of the truth that counts as that person. */
const samePerson = 0.35;
const within = 0.5;
const root = join(import.meta.dirname, "../..");

/**
 * Reads the sets of a folder: `truth-walkway.json` and `truth-classes.json`, with the pictures in its folder `pictures` or in this project.
 * Leaves out pictures that are in neither.
 */
export function truthSets(folder: string): readonly TruthSet[] {
  const read = <T>(name: string): T => JSON.parse(readFileSync(join(folder, name), "utf8")) as T;
  const places = [join(folder, "pictures"), join(root, "demo/pictures"), join(root, "test/fixtures/pictures")];
  const pictures = (names: readonly string[]) =>
    names.flatMap((name) => {
      const path = places.map((place) => join(place, name)).find((each) => existsSync(each));
      return path === undefined ? [] : [{ name, bytes: readFileSync(path) }];
    });
  const walkway = read<Walkway>("truth-walkway.json");
  const classes = read<Classes>("truth-classes.json");
  return [
    { name: "walkway", pictures: pictures(Object.keys(walkway)), score: ({ name }, found) => scorePeople(walkway, name, found) },
    { name: "classes", pictures: pictures(Object.keys(classes)), score: ({ name }, found) => scoreClasses(classes, name, found) },
  ];
}

/** Pairs boxes and people, best overlap first. */
function scorePeople(truth: Walkway, name: string, found: readonly Found[]): Score {
  const { people = [], unclear = [] } = truth[name] ?? {};
  const boxes = found.filter(({ type }) => type === "person").map(({ corners }) => corners);
  const pairs = boxes.flatMap((box) => people.map((person) => ({ box, person, overlap: iou(box, cornersOf(person)) })));
  const paired = new Set<unknown>();
  let right = 0;
  for (const { box, person, overlap } of pairs.toSorted((a, b) => b.overlap - a.overlap)) {
    if (overlap <= samePerson || paired.has(box) || paired.has(person)) continue;
    paired.add(box).add(person);
    right += 1;
  }
  const others = boxes.filter((box) => !paired.has(box) && !unclear.some((one) => shareOfSmaller(box, cornersOf(one)) > within));
  return { all: people.length, found: right, wrong: others.length };
}

/** Counts by class. Wrong are objects of a class that is not in the picture. */
function scoreClasses(truth: Classes, name: string, found: readonly Found[]): Score {
  const { ok = [], ...counts } = truth[name] ?? {};
  const there = Object.entries(counts) as [string, number][];
  const seen = (type: string) => found.filter((each) => each.type === type).length;
  const known = [...there.map(([type]) => type), ...(ok as readonly string[])];
  return {
    all: there.reduce((sum, [, count]) => sum + count, 0),
    found: there.reduce((sum, [type, count]) => sum + Math.min(count, seen(type)), 0),
    wrong: found.filter(({ type }) => !known.includes(type)).length,
  };
}

function cornersOf([left, top, right, bottom]: Four): Corners {
  return { left, top, right, bottom };
}
