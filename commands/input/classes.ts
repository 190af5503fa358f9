import { objectTypes } from "../../src/contract/constants.ts";
import { type ObjectType, objectTypeOf } from "../../src/monitoring/detector-model/class-names.ts";
import { nearest } from "../../src/platform/config/nearest.ts";
import { choiceList, list, type Option, WrongValue } from "./options.ts";

/** Classes that a detector may report, separated by commas. homesec drops all others, so another word would never match. */
export function classes(description: string): Option<ObjectType[] | undefined> {
  const words = list("class", description);
  return { ...choiceList(objectTypes, description), ...words, read: (given) => words.read(given)?.map(classOf) };
}

/** The class of this name, in any case. Throws `WrongValue` with the known classes and the one that was meant. */
export function classOf(word: string): ObjectType {
  const found = objectTypes.find((type) => type === word.toLowerCase());
  if (found !== undefined) return found;
  const meant = objectTypeOf(word) ?? nearest(word, objectTypes);
  throw new WrongValue(`one of ${objectTypes.join(", ")}${meant === undefined ? "" : `; did you mean ${meant}?`}`);
}
