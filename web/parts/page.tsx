import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Link } from "wouter";
import { afterFirstReplies } from "../api/first-replies.ts";
import { useTexts } from "../texts/texts.tsx";

interface PageProps {
  readonly title: string;
  /** The title is only for the tab and for screen readers. */
  readonly hideTitle?: boolean;
  /** Stands beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its heading, which is also the title of the tab. */
export function Page({ title, hideTitle = false, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · homesec`;
  }, [title]);
  const isComplete = useFirstReplies();
  const texts = useTexts();
  return (
    <>
      <header className={hideTitle ? "sr-only" : "mb-4 flex flex-wrap items-center justify-between gap-3"}>
        <h1 className="min-w-0 text-2xl font-semibold">{title}</h1>
        {actions}
      </header>
      {!isComplete && (
        <p role="status" className="appear-late absolute text-soft">
          {texts.common.loading}
        </p>
      )}
      <div className={isComplete ? "" : "invisible"}>{children}</div>
    </>
  );
}

/** Returns true once the replies that a page asks for at first are there: shown one by one they would push each other away. */
function useFirstReplies(): boolean {
  const cache = useQueryClient();
  const [isComplete, setComplete] = useState(false);
  useEffect(() => (isComplete ? undefined : afterFirstReplies(cache, () => setComplete(true))), [cache, isComplete]);
  return isComplete;
}

interface SectionProps {
  readonly title: string;
  readonly link?: { readonly href: string; readonly text: string };
  readonly children: ReactNode;
}

/** A part of a page with a heading. */
export function Section({ title, link, children }: SectionProps) {
  return (
    <section aria-label={title} className="mb-8">
      <div className="mb-2 flex items-baseline justify-between gap-3">
        <h2 className="text-lg font-semibold">{title}</h2>
        {link && (
          <Link href={link.href} className="text-sm text-accent underline-offset-4 hover:underline">
            {link.text}
          </Link>
        )}
      </div>
      {children}
    </section>
  );
}
