import { useState } from "react";
import type { z } from "zod";
import { ranges, riskLevels } from "../../../../src/contract/constants.ts";
import { cameraRoutes } from "../../../../src/contract/routes/cameras.ts";
import { type RetentionRule, retentionRoutes } from "../../../../src/contract/routes/system-retention.ts";
import { type CleanupReport, storageRoutes } from "../../../../src/contract/routes/system-storage.ts";
import { useAction, useReply } from "../../../api/use-reply.ts";
import { Button } from "../../../parts/button.tsx";
import { Fault } from "../../../parts/fault.tsx";
import { SelectField, TextField } from "../../../parts/fields.tsx";
import { everyCamera, useCameraNames } from "../../../parts/names.tsx";
import { Section } from "../../../parts/page.tsx";
import { Loaded } from "../../../parts/states.tsx";
import { useToast } from "../../../parts/toast.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { useFormat } from "../../../texts/format.tsx";
import { useTexts } from "../../../texts/texts.tsx";

type Rule = z.output<typeof RetentionRule>;
type Share = NonNullable<z.output<typeof CleanupReport>["by_rule"]>[number];

/** How long data of a camera or a level is kept: the rules, and a form that shows what a new one would delete. */
export function RetentionRules() {
  const { keep } = useAdminTexts().configuration;
  const retention = useReply(retentionRoutes.listRetention, {});
  return (
    <Section title={keep.title}>
      <p className="mb-3 text-sm text-soft">{keep.hint}</p>
      <Loaded reply={retention} waiting={<div className="h-40" />}>
        {(data) => (
          <>
            <ul className="mb-4 grid gap-2">
              {data.rules.map((rule) => (
                <Line key={rule.id} rule={rule} />
              ))}
            </ul>
            <Form deletesPictures={data.delete_images} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** Names what a rule is for: "Porch, high". */
function useScopeName(): (scope: Pick<Share, "camera_id" | "risk_level">) => string {
  const texts = useTexts();
  const { keep } = useAdminTexts().configuration;
  const nameOf = useCameraNames();
  return ({ camera_id, risk_level }) => {
    const names = [camera_id === null ? [] : nameOf(camera_id), risk_level === null ? [] : texts.event.risk[risk_level]].flat();
    return names.join(", ") || keep.others;
  };
}

function Line({ rule }: { readonly rule: Rule }) {
  const { keep } = useAdminTexts().configuration;
  const scopeName = useScopeName();
  const remove = useAction(retentionRoutes.deleteRetention, [retentionRoutes.listRetention]);
  const { event_days, original_days, thumbnail_days } = rule.effective;
  const periods = [
    [keep.events, event_days],
    [keep.originals, original_days],
    [keep.thumbnails, thumbnail_days],
  ] as const;
  return (
    <li className="flex flex-wrap items-center justify-between gap-2 rounded-xl border border-line bg-card px-4 py-2">
      <span>
        <span className="font-medium">{scopeName(rule)}</span>
        <span className="block text-sm text-soft">{periods.map(([name, days]) => `${name}: ${keep.days(days)}`).join(" · ")}</span>
      </span>
      <Button isBusy={remove.isRunning} onClick={() => void remove.run({ params: { rule_id: rule.id } }).catch(() => {})}>
        {keep.remove(scopeName(rule))}
      </Button>
      <Fault error={remove.error} />
    </li>
  );
}

const days = (text: string): number | null => (text.trim() === "" ? null : Number(text));

function Form({ deletesPictures }: { readonly deletesPictures: boolean }) {
  const texts = useTexts();
  const toast = useToast();
  const { keep } = useAdminTexts().configuration;
  const { data } = useReply(cameraRoutes.listCameras, everyCamera);
  const [camera, setCamera] = useState("");
  const [level, setLevel] = useState<"" | (typeof riskLevels)[number]>("");
  const [periods, setPeriods] = useState({ events: "", originals: "", thumbnails: "" });
  const [shares, setShares] = useState<readonly Share[]>();
  const preview = useAction(retentionRoutes.previewRetention, []);
  const save = useAction(retentionRoutes.setRetention, [retentionRoutes.listRetention, storageRoutes.getStorage]);
  const body = {
    ...{ camera_id: camera || null, risk_level: level || null, event_days: days(periods.events) },
    ...{ original_days: days(periods.originals), thumbnail_days: days(periods.thumbnails) },
  };
  const names = (["events", "originals", "thumbnails"] as const).filter((name) => name !== "originals" || deletesPictures);
  const saved = (): void => {
    toast(keep.saved);
    setShares(undefined);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save.run({ body }).then(saved, () => {});
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        <SelectField
          label={keep.camera}
          value={camera}
          options={[["", texts.common.allCameras], ...(data?.cameras.map(({ camera_id, name }) => [camera_id, name] as const) ?? [])]}
          onValue={setCamera}
        />
        <SelectField
          label={keep.level}
          value={level}
          options={[["", texts.common.all], ...riskLevels.map((each) => [each, texts.event.risk[each]] as const)]}
          onValue={setLevel}
        />
        {names.map((name) => (
          <TextField
            key={name}
            label={keep[name]}
            type="number"
            min={ranges.retentionDays[0]}
            max={ranges.retentionDays[1]}
            value={periods[name]}
            onText={(text) => setPeriods((before) => ({ ...before, [name]: text }))}
          />
        ))}
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          isBusy={preview.isRunning}
          onClick={() =>
            void preview.run({ body }).then(
              ({ by_rule }) => setShares(by_rule ?? []),
              () => setShares(undefined),
            )
          }
        >
          {keep.preview}
        </Button>
        <Button look="main" type="submit" isBusy={save.isRunning}>
          {keep.save}
        </Button>
      </div>
      <Fault error={save.error ?? preview.error} className="mt-2" />
      <div role="status" className="mt-3">
        {shares && <Shares shares={shares} />}
      </div>
    </form>
  );
}

/** What a cleanup would delete, by rule. */
export function Shares({ shares }: { readonly shares: readonly Share[] }) {
  const { keep } = useAdminTexts().configuration;
  const format = useFormat();
  const scopeName = useScopeName();
  return (
    <dl className="rounded-xl border border-line bg-card px-4">
      {shares.map((share) => (
        <div key={scopeName(share)} className="flex flex-wrap justify-between gap-x-4 border-b border-line py-2 last:border-0">
          <dt className="font-medium">{scopeName(share)}</dt>
          <dd className="ml-auto text-right">{keep.share(share.events, share.images, share.thumbnails, format.bytes(share.bytes))}</dd>
        </div>
      ))}
    </dl>
  );
}
