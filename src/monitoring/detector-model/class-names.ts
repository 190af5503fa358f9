import { objectTypes } from "../../contract/constants.ts";

export type ObjectType = (typeof objectTypes)[number];

/** Other words of data sets and detectors for a class. Words that may mean several classes, such as vehicle and animal, are missing. */
const otherWords: Readonly<Record<ObjectType, readonly string[]>> = {
  person: [
    "people",
    "pedestrian",
    "human",
    "adult",
    "man",
    "men",
    "woman",
    "women",
    "boy",
    "girl",
    "child",
    "children",
    "rider",
    "cyclist",
  ],
  car: ["automobile", "sedan", "suv", "taxi", "van", "minivan"],
  truck: ["lorry", "lorries", "pickup", "pickup truck"],
  bus: ["buses", "busses", "minibus", "minibuses"],
  dog: ["puppy", "puppies"],
  cat: ["kitten"],
  bird: [],
  bicycle: ["bike"],
  motorcycle: ["motorbike", "motor bike", "moped"],
};

const typeOfWord: ReadonlyMap<string, ObjectType> = new Map(
  objectTypes.flatMap((type) => [type, ...otherWords[type]].flatMap((word) => [word, `${word}s`].map((form) => [form, type] as const))),
);

/** Returns homesec's class for a class of a detector, in upper or lower case, singular or plural; undefined for an unknown one. */
export function objectTypeOf(name: string): ObjectType | undefined {
  return typeOfWord.get(name) ?? typeOfWord.get(plainWord(name));
}

/** Tells whether a class is one of the usual ones that homesec does not count, such as a chair. */
export function isOtherClass(name: string): boolean {
  return cocoNames.includes(plainWord(name));
}

function plainWord(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim();
}

/** Reads a text with one name a line, starting with class 0. An empty line between names is a class without a name. */
export function namesInText(text: string): string[] {
  return text
    .replace(/^\u{feff}/u, "")
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => line.trim());
}

const mostClasses = 10_000;

/**
 * Reads the names in a model's metadata: JSON or Python's output, as a list or as a dictionary by number
 * (`{0: 'person', 1: 'bicycle'}`). Returns undefined if there are none.
 */
export function namesInMetadata(text: string): string[] | undefined {
  const entries = entriesOfJson(text) ?? entriesOfPython(text);
  const names: string[] = [];
  for (const [index, name] of entries) {
    if (!Number.isInteger(index) || index < 0 || index >= mostClasses) return undefined;
    names[index] = name;
  }
  return names.length === 0 ? undefined : Array.from(names, (name) => name ?? "");
}

function entriesOfJson(text: string): [number, string][] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([key, name]) => (typeof name === "string" ? [[Number(key), name] as [number, string]] : []));
  } catch {
    // Python's output is not JSON.
    return undefined;
  }
}

/** Reads each word once: a quadratic algorithm would hang on a file of a megabyte. */
function entriesOfPython(text: string): [number, string][] {
  const words = text.matchAll(/\d+|:|'(?:[^'\\]|\\.?)*(?:'|$)|"(?:[^"\\]|\\.?)*(?:"|$)|\s+|./gsu);
  const entries: [number, string][] = [];
  let number: number | undefined;
  let key: number | undefined;
  for (const [word] of words) {
    const [quote] = word;
    if ((quote === "'" || quote === '"') && word.length > 1 && word.endsWith(quote)) {
      entries.push([key ?? entries.length, word.slice(1, -1).replace(/\\(.)/gs, "$1")]);
      [number, key] = [undefined, undefined];
    } else if (word === ":") {
      [number, key] = [undefined, number];
    } else if (word.trim() !== "") {
      [number, key] = [/^\d/.test(word) ? Number(word) : undefined, undefined];
    }
  }
  return entries;
}

/** The 80 classes of the COCO data set in its order. Most models are trained on it. */
export const cocoNames: readonly string[] = (
  "person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,stop sign,parking meter,bench,bird,cat,dog," +
  "horse,sheep,cow,elephant,bear,zebra,giraffe,backpack,umbrella,handbag,tie,suitcase,frisbee,skis,snowboard,sports ball,kite," +
  "baseball bat,baseball glove,skateboard,surfboard,tennis racket,bottle,wine glass,cup,fork,knife,spoon,bowl,banana,apple,sandwich," +
  "orange,broccoli,carrot,hot dog,pizza,donut,cake,chair,couch,potted plant,bed,dining table,toilet,tv,laptop,mouse,remote,keyboard," +
  "cell phone,microwave,oven,toaster,sink,refrigerator,book,clock,vase,scissors,teddy bear,hair drier,toothbrush"
).split(",");
