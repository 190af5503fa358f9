import { type ReactNode, Suspense, use } from "react";
import { forReader } from "./daemon/plain.ts";
import { useFormat } from "./format.tsx";
import { useLanguage } from "./texts.tsx";

type Translate = (text: string) => string;

const asItIs: Translate = (text) => text;
let german: Promise<Translate> | undefined;

async function loadGerman(): Promise<Translate> {
  return (await import("./daemon/german.ts")).german;
}

/**
 * Returns how the page shows a sentence of homesec: in the reader's language, with times in the zone of the home and without identifiers.
 * Suspends until the sentences of that language are there.
 */
export function useDaemonText(): Translate {
  const { time } = useFormat();
  const language = useLanguage();
  if (language !== "de") return (text) => forReader(text, asItIs, time);
  german ??= loadGerman();
  const translate = use(german);
  return (text) => forReader(text, translate, time);
}

/** A sentence of homesec, as the reader understands it. Its place is kept until the sentences of the language are there. */
export function DaemonText({ children }: { readonly children: string }): ReactNode {
  // English is here already, and a list of rows is drawn with less
  if (useLanguage() !== "de") return <Translated>{children}</Translated>;
  return (
    <Suspense fallback={<span className="invisible">{children}</span>}>
      <Translated>{children}</Translated>
    </Suspense>
  );
}

function Translated({ children }: { readonly children: string }): ReactNode {
  return useDaemonText()(children);
}
