import { use } from "react";
import type { AdminTexts } from "./admin/en.ts";
import { useLanguage } from "./texts.tsx";

const loaded = new Map<string, Promise<AdminTexts>>();

/** Loads the texts of one language once. */
async function load(language: string): Promise<AdminTexts> {
  if (language === "de") return (await import("./admin/de.ts")).de;
  return (await import("./admin/en.ts")).en;
}

/**
 * Returns the texts of the pages for those who run homesec: settings, welcome, system, and the forms of cameras. They are many, so that
 * only those of the reader's language are loaded. Suspends until they are there.
 */
export function useAdminTexts(): AdminTexts {
  const language = useLanguage();
  const texts = loaded.get(language) ?? load(language);
  loaded.set(language, texts);
  return use(texts);
}
