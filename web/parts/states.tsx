import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Problem } from "../../src/contract/problem.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";

/** What a page shows when there is nothing to show. */
export function Empty({ title, hint, children }: { readonly title: string; readonly hint?: string; readonly children?: ReactNode }) {
  return (
    <div className="rounded-xl border border-dashed border-line p-8 text-center">
      <p className="font-medium">{title}</p>
      {hint !== undefined && <p className="mt-1 text-sm text-soft">{hint}</p>}
      {children}
    </div>
  );
}

/** An error with its reason and a way to try again. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const texts = useTexts();
  return (
    <div role="alert" className="rounded-xl border border-critical p-4">
      <p className="font-medium">{texts.common.failed}</p>
      <p className="mt-1 text-sm text-soft">{texts.fault(error)}</p>
      <Button className="mt-3" onClick={onRetry}>
        {texts.common.retry}
      </Button>
    </div>
  );
}

/** Says that a thing does not exist. */
export function Missing() {
  const texts = useTexts();
  return (
    <div className="rounded-xl border border-dashed border-line p-8 text-center">
      <h1 className="text-lg font-semibold">{texts.common.notFound}</h1>
      <p className="mt-1 text-sm text-soft">{texts.common.notFoundHint}</p>
      <Link href="/" className="mt-3 inline-block text-accent underline">
        {texts.common.toStart}
      </Link>
    </div>
  );
}

interface LoadedProps<T> {
  readonly reply: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
  /** Shown while nothing has been loaded; its height should be that of the content. */
  readonly waiting?: ReactNode;
}

/** Shows a reply, or that it is loading, missing or failed. What was loaded once stays when a later request fails. */
export function Loaded<T>({ reply, children, waiting }: LoadedProps<T>) {
  const texts = useTexts();
  if (reply.data !== undefined) return children(reply.data);
  if (reply.error instanceof Problem && (reply.error.kind === "not_found" || reply.error.kind === "invalid")) return <Missing />;
  if (reply.error) return <Failure error={reply.error} onRetry={() => void reply.refetch()} />;
  return waiting ?? <p className="p-4 text-soft">{texts.common.loading}</p>;
}
