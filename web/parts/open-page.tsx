import { type ReactNode, useEffect } from "react";

interface OpenPageProps {
  readonly title: string;
  /** Pictures need room; sentences do not. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** A page for a visitor without an account: no navigation, and nothing of the home but its content. */
export function OpenPage({ title, isWide = false, children }: OpenPageProps) {
  useEffect(() => {
    document.title = title === "homesec" ? title : `${title} · homesec`;
  }, [title]);
  return (
    <main className={isWide ? "mx-auto max-w-4xl p-4 pb-10 md:p-8" : "mx-auto grid min-h-dvh max-w-sm content-center gap-4 p-6"}>
      {isWide ? (
        <p className="mb-3 flex items-center gap-2 text-sm text-soft">
          <img src="/icon.svg" alt="" width={20} height={20} /> homesec
        </p>
      ) : (
        <img src="/icon.svg" alt="homesec" width={64} height={64} className="mx-auto" />
      )}
      <h1 className={`text-2xl font-semibold ${isWide ? "mb-1" : "text-center"}`}>{title}</h1>
      {children}
    </main>
  );
}
