import { Link, useSearchParams } from "wouter";
import type { z } from "zod";
import { type Silence, silenceRoutes } from "../../src/contract/routes/silences.ts";
import { useList } from "../api/use-list.ts";
import { useAction } from "../api/use-reply.ts";
import { Button } from "../parts/button.tsx";
import { useActiveSilences } from "../parts/mute.tsx";
import { Page, Section } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { useToast } from "../parts/toast.tsx";
import { useFormat, useNow } from "../texts/format.tsx";
import { useMoreTexts } from "../texts/more.ts";
import { useTexts } from "../texts/texts.tsx";
import { NewSilence } from "./silences/new-silence.tsx";

type SilenceRecord = z.output<typeof Silence>;

/** Muted alerts: what is muted now, a form to mute more, and what was muted before. `?camera=` and `?rule=` fill in the form. */
export default function SilencesPage() {
  const texts = useTexts();
  const [search] = useSearchParams();
  const active = useActiveSilences();
  const start = { camera: search.get("camera") ?? "", rule: search.get("rule") ?? "" };
  return (
    <Page title={texts.silences.title}>
      <NewSilence key={`${start.camera} ${start.rule}`} start={start} />
      <Loaded reply={active} waiting={<div className="h-40" />}>
        {({ items }) => (
          <Section title={texts.silences.active}>
            {items.length === 0 && <Empty title={texts.silences.empty} hint={texts.silences.emptyHint} />}
            {items.map((silence) => (
              <SilenceRow key={silence.id} silence={silence} />
            ))}
          </Section>
        )}
      </Loaded>
      <Ended />
    </Page>
  );
}

/** The silences that are over, newest first. */
function Ended() {
  const texts = useTexts();
  const list = useList(silenceRoutes.listSilences, { query: { status: "ended", limit: 20 } });
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  if (items.length === 0) return null;
  return (
    <Section title={texts.silences.past}>
      {items.map((silence) => (
        <SilenceRow key={silence.id} silence={silence} />
      ))}
      {list.hasNextPage && (
        <Button className="mt-2 min-h-11 w-full" isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {texts.common.more}
        </Button>
      )}
    </Section>
  );
}

function SilenceRow({ silence }: { readonly silence: SilenceRecord }) {
  const texts = useTexts();
  const { mute } = useMoreTexts();
  const format = useFormat();
  const now = useNow();
  const toast = useToast();
  const end = useAction(silenceRoutes.endSilence, [silenceRoutes.listSilences]);
  const left = silence.ends_at.getTime() - now.getTime();
  const when = silence.ended_at
    ? texts.silences.ended(format.time(silence.ended_at))
    : `${texts.silences.until(format.time(silence.ends_at))} (${mute.endsIn(format.duration(Math.max(60_000, left)))})`;
  return (
    <article className="mb-2 flex flex-wrap items-center justify-between gap-2 rounded-xl border border-line bg-card p-3">
      <div className="min-w-0">
        <p className="font-medium">
          <Scope silence={silence} />
        </p>
        <p className="text-sm break-words text-soft">
          {[
            when,
            silence.reason,
            ...(silence.created_by ? [mute.by(silence.created_by)] : []),
            texts.silences.heldBack(silence.held_back),
          ].join(" · ")}
        </p>
      </div>
      {silence.status === "active" && (
        <Button
          className="min-h-11"
          isBusy={end.isRunning}
          onClick={() =>
            void end.run({ params: { id: silence.id } }).then(
              () => toast(mute.ended),
              (error: unknown) => toast(texts.fault(error)),
            )
          }
        >
          {texts.common.end}
        </Button>
      )}
    </article>
  );
}

/** What is muted: all alerts, or those of a camera, of a rule, or of both. */
function Scope({ silence: { camera_id, camera_name, rule_id, rule_name } }: { readonly silence: SilenceRecord }) {
  const texts = useTexts();
  const { mute } = useMoreTexts();
  const look = "underline-offset-4 hover:underline";
  return (
    <>
      {camera_id === null ? (
        <span className="inline-block first-letter:uppercase">{texts.silences.everything}</span>
      ) : (
        <Link href={`/cameras/${encodeURIComponent(camera_id)}`} className={look}>
          {camera_name ?? camera_id}
        </Link>
      )}
      {rule_id !== null && (
        <>
          {" · "}
          <Link href={`/rules/${rule_id}`} className={look}>
            {mute.rule} {rule_name ?? mute.endedRule}
          </Link>
        </>
      )}
    </>
  );
}
