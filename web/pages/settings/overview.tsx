import { Link } from "wouter";
import { keyRoutes } from "../../../src/contract/routes/keys.ts";
import { useReply } from "../../api/use-reply.ts";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useFormat } from "../../texts/format.tsx";
import { SettingsFrame } from "./frame.tsx";

/** What can be set, and who uses this browser. */
export default function SettingsPage() {
  const { settings } = useAdminTexts();
  const sections = [
    ["/settings/channels", settings.channels, settings.channelsHint],
    ["/settings/recipients", settings.recipients, settings.recipientsHint],
    ["/settings/webhooks", settings.webhooks, settings.webhooksHint],
    ["/settings/modes", settings.modes, settings.modesHint],
    ["/settings/keys", settings.keys, settings.keysHint],
    ["/settings/configuration", settings.configuration, settings.configurationHint],
    ["/welcome", settings.welcome, settings.welcomeHint],
  ] as const;
  return (
    <SettingsFrame title={settings.title}>
      <ul className="mb-8 grid gap-3 md:grid-cols-2">
        {sections.map(([href, title, hint]) => (
          <li key={href}>
            <Link href={href} className="block h-full rounded-xl border border-line bg-card p-4 hover:bg-raised">
              <span className="block font-semibold">{title}</span>
              <span className="text-sm text-soft">{hint}</span>
            </Link>
          </li>
        ))}
      </ul>
      <ThisBrowser />
    </SettingsFrame>
  );
}

/** Who uses this browser, and what they may do. */
function ThisBrowser() {
  const { settings, keys } = useAdminTexts();
  const format = useFormat();
  const session = useReply(keyRoutes.getSession, {});
  return (
    <Section title={settings.browser}>
      <Loaded reply={session} waiting={<div className="h-24" />}>
        {({ kind, name, role, expires_at, keys_required }) => {
          const isNamed = name !== null && name !== "API_KEYS";
          const about = [role && keys.role[role], expires_at && keys.expires(format.time(expires_at)), !keys_required && settings.keysOff];
          return (
            <div className="rounded-xl border border-line bg-card p-4">
              <p className="font-medium">{isNamed ? name : kind === null ? settings.nobody : settings.ownKey}</p>
              <p className="text-sm text-soft">{about.filter(Boolean).join(" · ")}</p>
            </div>
          );
        }}
      </Loaded>
    </Section>
  );
}
