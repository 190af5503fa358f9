import type { z } from "zod";
import { type Key, keyRoutes } from "../../../src/contract/routes/keys.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { useCameraNames } from "../../parts/names.tsx";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { Ago, useFormat } from "../../texts/format.tsx";
import { Note, SettingsFrame } from "./frame.tsx";
import { Changes } from "./keys/changes.tsx";
import { Invite } from "./keys/invite.tsx";
import { NewKey } from "./keys/new-key.tsx";
import { Packs, Shares } from "./keys/shares.tsx";
import { Lines } from "./lines.tsx";

type KeyRecord = z.output<typeof Key>;

/** Who may use homesec: browsers that are signed in, programs with a key, and invitations that wait. */
export default function KeysPage() {
  const { keys } = useAdminTexts();
  const session = useReply(keyRoutes.getSession, {});
  const active = useReply(keyRoutes.listKeys, { query: { status: "active", limit: 1000 } }, { everyMs: 5_000 });
  return (
    <SettingsFrame title={keys.title}>
      {session.data && !session.data.keys_required && (
        <Note title={keys.off} isWarning>
          <p>{keys.offHint}</p>
          <Lines lines={["API_KEY_ENABLED=true", "API_KEYS=…"]} />
          <p className="mt-2">{keys.generate}</p>
        </Note>
      )}
      <div className="gap-6 lg:grid lg:grid-cols-2">
        <Invite />
        <NewKey />
      </div>
      <Loaded reply={active} waiting={<div className="h-40" />}>
        {({ items }) => (
          <>
            <List title={keys.sessions} hint={keys.sessionsHint} items={items.filter(({ kind }) => kind === "session")} />
            <List title={keys.keys} hint={keys.keysHint} items={items.filter(({ kind }) => kind === "key")} />
            <List title={keys.invitations} hint={keys.invitationsHint} items={items.filter(({ kind }) => kind === "invitation")} />
          </>
        )}
      </Loaded>
      <Shares />
      <Packs />
      <Ended />
      <Changes />
    </SettingsFrame>
  );
}

function List({ title, hint, items }: { readonly title: string; readonly hint: string; readonly items: readonly KeyRecord[] }) {
  return (
    <Section title={title}>
      {items.length === 0 ? (
        <p className="text-soft">{hint}</p>
      ) : (
        <ul className="rounded-xl border border-line bg-card px-4">
          {items.map((key) => (
            <li key={key.id} className="flex flex-wrap items-center justify-between gap-2 border-b border-line py-3 last:border-0">
              <About entry={key} />
              <Revoke entry={key} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function About({ entry }: { readonly entry: KeyRecord }) {
  const { keys } = useAdminTexts();
  const format = useFormat();
  const nameOf = useCameraNames();
  const { name, role, camera_ids, created_at, expires_at, ended_at, last_seen_at, device } = entry;
  return (
    <div className="min-w-0">
      <p>
        <span className="font-medium">{name}</span> · {keys.role[role]}
        {camera_ids && `: ${camera_ids.map(nameOf).join(", ")}`}
      </p>
      <p className="text-sm text-soft">
        {keys.created(format.time(created_at))}
        {ended_at ? ` · ${keys.ended(format.time(ended_at))}` : expires_at && ` · ${keys.expires(format.time(expires_at))}`}
        {last_seen_at && (
          <>
            {" · "}
            {keys.lastSeen} <Ago time={last_seen_at} />
          </>
        )}
      </p>
      {device && <p className="truncate text-sm text-soft">{device}</p>}
    </div>
  );
}

function Revoke({ entry: { id, kind, name } }: { readonly entry: KeyRecord }) {
  const { keys } = useAdminTexts();
  const attempt = useAttempt();
  const revoke = useAction(keyRoutes.revokeKey, [keyRoutes.listKeys]);
  return (
    <ConfirmButton
      text={keys.revoke[kind]}
      title={keys.revokeTitle(name)}
      label={`${keys.revoke[kind]}: ${name}`}
      disabled={revoke.isRunning}
      onConfirm={() => void attempt(revoke.run({ params: { id } }), keys.revoked(name))}
    >
      {keys.revokeHint[kind]}
    </ConfirmButton>
  );
}

function Ended() {
  const { keys } = useAdminTexts();
  const ended = useReply(keyRoutes.listKeys, { query: { status: "ended", limit: 50 } });
  if (!ended.data || ended.data.items.length === 0) return null;
  return (
    <details className="mb-8">
      <summary className="min-h-11 py-2 font-medium">{keys.endedTitle}</summary>
      <ul className="rounded-xl border border-line bg-card px-4">
        {ended.data.items.map((key) => (
          <li key={key.id} className="border-b border-line py-2 last:border-0">
            <About entry={key} />
          </li>
        ))}
      </ul>
    </details>
  );
}
