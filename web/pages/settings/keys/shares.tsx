import { Link } from "wouter";
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
