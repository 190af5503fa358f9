import { Link } from "wouter";
import { evidenceRoutes } from "../../../../src/contract/routes/evidence.ts";
import { shareRoutes } from "../../../../src/contract/routes/shares.ts";
import { useAction, useReply } from "../../../api/use-reply.ts";
import { useAttempt } from "../../../parts/attempt.ts";
import { ConfirmButton } from "../../../parts/confirm-button.tsx";
import { Section } from "../../../parts/page.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { useFormat } from "../../../texts/format.tsx";

/** The addresses by which people without a key see an event; nothing without one. */
export function Shares() {
  const { keys } = useAdminTexts();
  const format = useFormat();
  const attempt = useAttempt();
  const { data } = useReply(shareRoutes.listShares, { query: { status: "active", limit: 1000 } });
  const revoke = useAction(shareRoutes.revokeShare, [shareRoutes.listShares]);
  if (!data || data.items.length === 0) return null;
  return (
    <Section title={keys.shares}>
      <ul className="rounded-xl border border-line bg-card px-4">
        {data.items.map(({ id, event_id, created_by, expires_at, view_count }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-2 border-b border-line py-2 last:border-0">
            <div>
              <Link href={`/events/${event_id}`} className="font-medium underline-offset-4 hover:underline">
                {keys.sharedEvent(event_id)}
              </Link>
              <p className="text-sm text-soft">
                {[created_by, keys.expires(format.time(expires_at)), keys.views(view_count)].filter(Boolean).join(" · ")}
              </p>
            </div>
            <ConfirmButton
              text={keys.revoke.key}
              title={keys.revokeShareTitle(event_id)}
              label={`${keys.revoke.key}: ${keys.sharedEvent(event_id)}`}
              disabled={revoke.isRunning}
              onConfirm={() => void attempt(revoke.run({ params: { id } }), keys.shareRevoked)}
            >
              {keys.revokeHint.invitation}
            </ConfirmButton>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The evidence packs that were made, which cannot be taken back; nothing without one. */
export function Packs() {
  const { keys } = useAdminTexts();
  const format = useFormat();
  const { data } = useReply(evidenceRoutes.listEvidencePacks, { query: { limit: 1000 } });
  if (!data || data.items.length === 0) return null;
  return (
    <Section title={keys.packs}>
      <ul className="rounded-xl border border-line bg-card px-4">
        {data.items.map(({ id, event_id, created_by, created_at, status, size_bytes, sha256 }) => (
          <li key={id} className="border-b border-line py-2 last:border-0">
            <Link href={`/events/${event_id}`} className="font-medium underline-offset-4 hover:underline">
              {keys.sharedEvent(event_id)}
            </Link>
            <p className="text-sm text-soft">
              {[created_by, format.time(created_at), status === "complete" ? keys.packSize(format.bytes(size_bytes)) : keys.packCutOff]
                .filter(Boolean)
                .join(" · ")}
            </p>
            {sha256 && <p className="break-all font-mono text-soft text-xs">{sha256}</p>}
          </li>
        ))}
      </ul>
      <PackKey />
    </Section>
  );
}

/** Asked for only beside packs, since homesec makes the key at the first request. */
function PackKey() {
  const { keys } = useAdminTexts();
  const { data } = useReply(evidenceRoutes.getEvidenceKey, {});
  return (
    <p className="mt-2 text-sm text-soft">
      {keys.packKey} <code className="break-all">{data?.public_key}</code>
    </p>
  );
}
