import { de } from "./more/de.ts";
import { en, type MoreTexts } from "./more/en.ts";
import { useLanguage } from "./texts.tsx";

/** Returns the texts of pages that are not a part of the first load, in the reader's language. */
export function useMoreTexts(): MoreTexts {
  return useLanguage() === "de" ? de : en;
}
