import { useState } from "react";
import { keyRoutes } from "../../../../src/contract/routes/keys.ts";
import { useAction } from "../../../api/use-reply.ts";
import { Button } from "../../../parts/button.tsx";
import { CopyText } from "../../../parts/copy-text.tsx";
import { Fault } from "../../../parts/fault.tsx";
import { Section } from "../../../parts/page.tsx";
import { QrCode } from "../../../parts/qr-code.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { useFormat } from "../../../texts/format.tsx";
import { bodyOf, someone, WhoFields } from "./who.tsx";

/** Invites the browser of a person: an address and its QR code, good once and for ten minutes. */
export function Invite() {
  const { keys } = useAdminTexts();
  const format = useFormat();
  const [who, setWho] = useState(someone);
  const [made, setMade] = useState<{ readonly name: string; readonly address: string; readonly until: Date | null }>();
  const create = useAction(keyRoutes.createInvitation, [keyRoutes.listKeys]);
  const submit = async (): Promise<void> => {
    setMade(undefined);
    const { name, url, path, expires_at } = await create.run({ body: bodyOf(who) });
    setMade({ name, address: url ?? `${location.origin}${path}`, until: expires_at });
    setWho(someone);
  };
  return (
    <Section title={keys.invite}>
      <form
        className="grid gap-4 rounded-xl border border-line bg-card p-4"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          submit().catch(() => {});
        }}
      >
        <p className="text-sm text-soft">{keys.inviteHint}</p>
        <WhoFields who={who} example={keys.nameHint} onChange={setWho} />
        <Fault error={create.error} />
        <Button type="submit" look="main" isBusy={create.isRunning} className="min-h-11 justify-self-start">
          {keys.inviteSubmit}
        </Button>
        {made && (
          <div role="status" className="border-t border-line pt-4">
            <p className="font-medium">{keys.invited(made.name)}</p>
            <p className="text-sm text-soft">{keys.invitedHint(made.until ? format.time(made.until) : "")}</p>
            <QrCode text={made.address} label={keys.qr(made.name)} />
            <CopyText label={keys.address} text={made.address} />
            {isHereOnly(made.address) && <p className="text-sm text-high">{keys.hereOnly}</p>}
          </div>
        )}
      </form>
    </Section>
  );
}

/** Whether an address leads only to the machine of this browser. */
function isHereOnly(address: string): boolean {
  return /^(localhost|127\.|\[::1\])/.test(new URL(address).hostname);
}
