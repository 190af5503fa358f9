import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { SectionTabs } from "../../parts/section-tabs.tsx";
import { useAdminTexts } from "../../texts/admin.ts";

/** A section of the settings: its title, the links to the others, and its content. */
export function SettingsFrame({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  const { settings } = useAdminTexts();
  return (
    <Page title={title} actions={actions}>
      <SectionTabs
        label={settings.title}
        tabs={[
          { href: "/settings", text: settings.overview },
          { href: "/settings/channels", text: settings.channels },
          { href: "/settings/recipients", text: settings.recipients },
          { href: "/settings/webhooks", text: settings.webhooks },
          { href: "/settings/modes", text: settings.modes },
          { href: "/settings/keys", text: settings.keys },
          { href: "/settings/configuration", text: settings.configuration },
        ]}
      />
      {children}
    </Page>
  );
}

/** Something to know about a section, in a frame. */
export function Note({ title, children, isWarning = false }: { title: string; children: ReactNode; isWarning?: boolean }) {
  return (
    <div className={`mb-6 rounded-xl border bg-card p-4 ${isWarning ? "border-high" : "border-line"}`}>
      <p className={`font-semibold ${isWarning ? "text-high" : ""}`}>{title}</p>
      <div className="mt-1 text-sm">{children}</div>
    </div>
  );
}
