import { Check, Copy, Download, Send } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import type { z } from "zod";
import { evidenceRoutes } from "../../../src/contract/routes/evidence.ts";
import { type Share, shareRoutes } from "../../../src/contract/routes/shares.ts";
import { type AnyRequest, encodeRequest } from "../../../src/contract/validate.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { Button } from "../../parts/button.tsx";
import { Fault } from "../../parts/fault.tsx";
import { QrCode } from "../../parts/qr-code.tsx";
import { useFormat, useNow } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useTexts } from "../../texts/texts.tsx";

const validities = { hour: 3_600, day: 86_400, week: 7 * 86_400, month: 30 * 86_400 } as const;
type Validity = keyof typeof validities;

/** Makes links to an event, and shows those that work, with their views. */
export default function ShareLinks({ eventId }: { readonly eventId: number }) {
  const { share: texts } = useMoreTexts();
  const [address, setAddress] = useState<string>();
  const shares = useReply(shareRoutes.listShares, { query: { event_id: eventId, status: "active", limit: 100 } }, { everyMs: 5_000 });
  return (
    <div className="grid gap-4">
      {address === undefined ? <NewLink eventId={eventId} onCreated={setAddress} /> : <Address address={address} />}
      {address !== undefined && <Button onClick={() => setAddress(undefined)}>{texts.another}</Button>}
      {shares.data && shares.data.items.length > 0 && (
        <section aria-label={texts.active}>
          <h3 className="mb-1 font-medium">{texts.active}</h3>
          <ul className="divide-y divide-line">
            {shares.data.items.map((each) => (
              <Link key={each.id} share={each} />
            ))}
          </ul>
        </section>
      )}
      <Pack eventId={eventId} />
    </div>
  );
}

/** Saves the event as a file for people without homesec, and says how many times that was done. */
function Pack({ eventId }: { readonly eventId: number }) {
  const { share: texts } = useMoreTexts();
  const packs = useReply(evidenceRoutes.listEvidencePacks, { query: { event_id: eventId, limit: 1 } }, { everyMs: 5_000 });
  const { path } = encodeRequest(evidenceRoutes.getEvidencePack, { params: { event_id: eventId } } as AnyRequest);
  const count = packs.data?.pagination.total ?? 0;
  return (
    <section aria-label={texts.pack} className="grid gap-2 border-t border-line pt-3">
      <h3 className="font-medium">{texts.pack}</h3>
      <p className="text-sm text-soft">
        {texts.packWhat} {count > 0 && texts.packs(count)}
      </p>
      <a
        href={path}
        download={`homesec-event-${eventId}.zip`}
        className="inline-flex min-h-11 items-center justify-center gap-2 rounded-lg border border-line px-4 font-medium hover:underline"
      >
        <Download aria-hidden size={16} /> {texts.packSave}
      </a>
    </section>
  );
}

function NewLink({ eventId, onCreated }: { readonly eventId: number; readonly onCreated: (address: string) => void }) {
  const { share: texts } = useMoreTexts();
  const [validity, setValidity] = useState<Validity>("week");
  const create = useAction(shareRoutes.createShare, [shareRoutes.listShares]);
  const id = useId();
  return (
    <form
      className="grid gap-3"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        const request = { params: { event_id: eventId }, body: { expires_in_seconds: validities[validity] } };
        void create.run(request).then(
          ({ url, path }) => onCreated(url ?? `${location.origin}${path}`),
          () => undefined,
        );
      }}
    >
      <p className="text-sm text-soft">{texts.what}</p>
      <label htmlFor={id} className="flex flex-wrap items-center justify-between gap-2">
        {texts.validity}
        <select
          id={id}
          value={validity}
          onChange={({ target }) => setValidity(target.value as Validity)}
          className="min-h-11 rounded-lg border border-line bg-card px-3"
        >
          {(Object.keys(validities) as Validity[]).map((each) => (
            <option key={each} value={each}>
              {texts.choices[each]}
            </option>
          ))}
        </select>
      </label>
      <Button type="submit" look="main" className="min-h-11" isBusy={create.isRunning}>
        {texts.create}
      </Button>
      <Fault error={create.error} />
    </form>
  );
}

/** The address of a new link, with everything that brings it to another person. */
function Address({ address }: { readonly address: string }) {
  const { share: texts } = useMoreTexts();
  const field = useRef<HTMLInputElement>(null);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => field.current?.select(), []);
  const copy = async (): Promise<void> => {
    setCopied(await copied(address, field.current));
    setTimeout(() => setCopied(false), 3_000);
  };
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(new URL(address).hostname);
  return (
    <div className="grid gap-3">
      <p role="status" className="text-sm">
        {texts.once}
      </p>
      <input
        ref={field}
        readOnly
        aria-label={texts.address}
        value={address}
        onFocus={({ currentTarget }) => currentTarget.select()}
        className="min-h-11 w-full rounded-lg border border-line bg-raised px-3 font-mono text-sm"
      />
      <div className="flex gap-2">
        <Button look="main" className="min-h-11 flex-1" onClick={() => void copy()}>
          {isCopied ? <Check aria-hidden size={16} /> : <Copy aria-hidden size={16} />} {isCopied ? texts.copied : texts.copy}
        </Button>
        {"share" in navigator && (
          <Button className="min-h-11 flex-1" onClick={() => void navigator.share({ url: address }).catch(() => undefined)}>
            <Send aria-hidden size={16} /> {texts.send}
          </Button>
        )}
      </div>
      {isLocal ? <p className="text-sm text-medium">{texts.localOnly}</p> : <QrCode text={address} label={texts.qr} />}
    </div>
  );
}

/** Copies a text. Over plain HTTP a browser has no clipboard, so that the selected field is copied in the old way. */
async function copied(text: string, field: HTMLInputElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    field?.select();
    return document.execCommand("copy");
  }
}

function Link({ share }: { readonly share: z.output<typeof Share> }) {
  const { share: texts } = useMoreTexts();
  const all = useTexts();
  const format = useFormat();
  const now = useNow();
  const revoke = useAction(shareRoutes.revokeShare, [shareRoutes.listShares]);
  const facts = [
    texts.views(share.view_count),
    ...(share.last_viewed_at ? [texts.lastView(format.ago(share.last_viewed_at, now))] : []),
    ...(share.created_by === null ? [] : [texts.by(share.created_by)]),
  ];
  return (
    <li className="flex items-center justify-between gap-3 py-2">
      <span className="min-w-0">
        <span className="block">{texts.until(format.time(share.expires_at))}</span>
        <span className="block text-sm text-soft">{facts.join(" · ")}</span>
        {revoke.error && <span className="block text-sm text-critical">{all.fault(revoke.error)}</span>}
      </span>
      <Button
        look="danger"
        className="min-h-11 shrink-0"
        isBusy={revoke.isRunning}
        aria-label={`${texts.revoke}: ${texts.until(format.time(share.expires_at))}`}
        onClick={() => void revoke.run({ params: { id: share.id } }).catch(() => undefined)}
      >
        {revoke.isRunning ? all.common.loading : texts.revoke}
      </Button>
    </li>
  );
}
