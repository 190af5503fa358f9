import type { EventFacts } from "../upstream/facts.ts";

/** The longest name that is certainly just a name: an identifier with a prefix has about 50 characters. */
const longestName = 64;
const mostWords = 6;
/** Latin letters, digits and the signs of names. The words below are all Latin, so a name in other letters is not taken for a plain one. */
const signs = /^[\p{Script=Latin}\p{M}\p{N} _.,:'’()#&+/-]*$/u;
/**
 * Beginnings of words that an instruction to a model needs, in the languages of most homes. A name with one of them is not taken for a
 * plain one, which costs nothing but the floor.
 */
const instruction =
  /\b(?:risk|scor|ignor|instruct|prompt|system|assist|json|harml|safe|danger|threat|trust|zero|noth|nobod|overrid|overw|forget|disreg|answer|respon|output|return|judg|rate\b|rating|always|never|must|should|pretend|previous|above|admin|developer|risi|risc|risq|riesg|bewert|anweis|harmlos|sicher|unge|null|nicht|niemand|vergi|antwort|gib\b|urteil|immer|nie\b|keine?\b|rien|aucun|oubli|repond|note\b|nul\b|nada|cero|olvid|respond|puntu|niente|dimentic|rispond|punteg|geen|negeer|antwo|ignora|ryzyk|nic\b)/;

/** Tells whether a text is nothing but a name or a value: short, in plain signs, and without a word that an instruction needs. */
export function isPlainName(text: string): boolean {
  if (text.length > longestName || !signs.test(text)) return false;
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ");
  const words = plain.split(/[\s\d]+/).filter((word) => word.length >= 3);
  return words.length <= mostWords && !instruction.test(plain);
}

/**
 * Tells whether the question about an event holds text that other people chose, which may be an instruction to the model: a message, a
 * caption or a text read from a picture, an odd name, or a picture itself.
 */
export function hasOutsideText(facts: EventFacts, pictures: number): boolean {
  if (pictures > 0) return true;
  if (facts.readings.some(({ kind, content }) => kind !== "attribute" || !isPlainName(content))) return true;
  const names = [facts.camera.id, facts.camera.name, ...facts.objects.flatMap(({ zones = [] }) => zones)];
  return !names.every(isPlainName);
}
