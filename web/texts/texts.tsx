import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { en, type Texts } from "./en.ts";

/** A language with its texts. */
export interface Language {
  readonly code: "en" | "de";
  readonly texts: Texts;
}

const Current = createContext<Language>({ code: "en", texts: en });

/** Returns the texts in the reader's language. */
export function useTexts(): Texts {
  return useContext(Current).texts;
}

/** Returns the code of the reader's language. */
export function useLanguage(): string {
  return useContext(Current).code;
}

/** Returns the reader's language with the country that the browser names, such as `en-GB`, for dates and numbers. */
export function useLocale(): string {
  const code = useLanguage();
  return navigator.languages.find((tag) => tag === code || tag.startsWith(`${code}-`)) ?? code;
}

/** The language that the reader chose, or else the first one of the browser that homesec speaks. */
export function preferredLanguage(): Language["code"] {
  const chosen = localStorage.getItem("homesec-language");
  const wanted = chosen ? [chosen] : navigator.languages;
  return wanted.map((tag) => tag.slice(0, 2)).find((code) => code === "en" || code === "de") ?? "en";
}

/** Stores the reader's choice and shows the page in it. */
export function chooseLanguage(code: Language["code"]): void {
  localStorage.setItem("homesec-language", code);
  location.reload();
}

/** The German texts, loaded once. */
const german = (): Promise<Texts> => import("./de.ts").then(({ de }) => de);

/** Starts to load the texts of the reader's language, unless they are here. */
export function loadLanguage(): void {
  if (preferredLanguage() === "de") void german();
}

/** Shows the page in the reader's language. Only that one is loaded. */
export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState<Language | undefined>(() =>
    preferredLanguage() === "en" ? { code: "en", texts: en } : undefined,
  );
  useEffect(() => {
    const code = preferredLanguage();
    document.documentElement.lang = code;
    if (code === "de") void german().then((texts) => setLanguage({ code, texts }));
  }, []);
  return language && <Current value={language}>{children}</Current>;
}
