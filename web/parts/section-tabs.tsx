import { Link, useLocation } from "wouter";

interface SectionTabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly href: string; readonly text: string }[];
}

/** Links to the sections of a page, each with an address. */
export function SectionTabs({ label, tabs }: SectionTabsProps) {
  const [path] = useLocation();
  // the longest address that the current one begins with, so that a record of a section marks that section
  const here = tabs.filter(({ href }) => path === href || path.startsWith(`${href}/`)).toSorted((a, b) => b.href.length - a.href.length)[0];
  return (
    <nav aria-label={label} className="mb-6 flex flex-wrap gap-2">
      {tabs.map(({ href, text }) => (
        <Link
          key={href}
          href={href}
          aria-current={href === here?.href ? "page" : undefined}
          className="inline-flex min-h-11 items-center rounded-lg border border-line bg-card px-4 text-sm font-medium hover:bg-raised aria-[current]:border-accent aria-[current]:text-accent"
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
