import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { SectionTabs } from "../../parts/section-tabs.tsx";
import { useAdminTexts } from "../../texts/admin.ts";

/** A section of the system page, with the links to the others. */
export function SystemFrame({ children }: { readonly children: ReactNode }) {
  const { system } = useAdminTexts();
  return (
    <Page title={system.title}>
      <SectionTabs
        label={system.title}
        tabs={[
          { href: "/system", text: system.health },
          { href: "/system/processing", text: system.processing },
          { href: "/system/storage", text: system.storage },
        ]}
      />
      {children}
    </Page>
  );
}

/** A table of names and values in a frame. */
export function Rows({ children }: { readonly children: ReactNode }) {
  return <dl className="rounded-xl border border-line bg-card px-4">{children}</dl>;
}

/** A name with its value. */
export function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-4 border-b border-line py-2 last:border-0">
      <dt className="font-medium">{name}</dt>
      <dd className="ml-auto min-w-0 text-right">{children}</dd>
    </div>
  );
}
