import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { mostCorners, mostZones, type Point, polygonFault } from "../../../src/contract/polygon.ts";
import { cameraRoutes } from "../../../src/contract/routes/cameras.ts";
import type { ReplyOf } from "../../../src/contract/routes/index.ts";
import { ruleRoutes } from "../../../src/contract/routes/rules.ts";
import { zoneRoutes } from "../../../src/contract/routes/zones.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import { type CameraRecord, snapshotOf } from "../../parts/camera-tile.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { CheckField, TextField } from "../../parts/fields.tsx";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useTexts } from "../../texts/texts.tsx";
import { ZoneCanvas } from "./zone-canvas.tsx";

type Zone = ReplyOf<"listZones">["zones"][number];

/** The zone that is drawn now. */
interface Draft {
  readonly name: string;
  readonly points: readonly Point[];
  readonly isPrivate: boolean;
  /** A stored zone keeps its name, because rules use it. */
  readonly isStored: boolean;
}

/** What is read again after a change: the camera's picture too, whose address changes with its private zones. */
const changedByZones = [zoneRoutes.listZones, zoneRoutes.listAllZones, cameraRoutes.getCamera];

/** A corner in the middle of each quarter: a start for those who draw by keyboard. */
const startingRectangle: readonly Point[] = [
  { x: 0.25, y: 0.25 },
  { x: 0.75, y: 0.25 },
  { x: 0.75, y: 0.75 },
  { x: 0.25, y: 0.75 },
];

/** The zones of a camera, drawn on its last picture. */
export function Zones({ camera }: { readonly camera: CameraRecord }) {
  const { zones: texts } = useAdminTexts().cameras;
  const params = { camera_id: camera.camera_id };
  const reply = useReply(zoneRoutes.listZones, { params });
  return (
    <Section title={texts.title}>
      <Loaded reply={reply} waiting={<div className="h-40" />}>
        {({ zones }) => <Editor camera={camera} zones={zones} />}
      </Loaded>
    </Section>
  );
}

interface EditorProps {
  readonly camera: CameraRecord;
  readonly zones: readonly Zone[];
}

function Editor({ camera, zones }: EditorProps) {
  const { zones: texts } = useAdminTexts().cameras;
  const [draft, setDraft] = useState<Draft>();
  const change = (points: readonly Point[]): void => setDraft((before) => before && { ...before, points });
  const others = zones.filter(({ name }) => !draft?.isStored || name !== draft.name);
  const points = draft?.points;
  const src = snapshotOf(camera, 1280);
  return (
    <>
      <Doubt camera={camera} zones={zones} />
      {(draft || zones.length > 0) && (
        <ZoneCanvas
          src={src}
          alt={texts.picture(camera.name)}
          zones={others}
          points={points}
          isFaulty={points !== undefined && points.length > 2 && polygonFault(points) !== undefined}
          onAdd={(point) => draft && draft.points.length < mostCorners && change(withCorner(draft, point))}
          onMove={(at, point) => points && change(points.with(at, point))}
          onRemove={(at) => points && change(points.toSpliced(at, 1))}
        />
      )}
      {draft ? (
        <DraftForm camera={camera} zones={zones} draft={draft} onChange={setDraft} onEnd={() => setDraft(undefined)} />
      ) : (
        <>
          {zones.length === 0 && <p className="mb-3 text-soft">{src === null ? texts.noPicture : texts.none}</p>}
          <ZoneList
            camera={camera}
            zones={zones}
            onEdit={(zone) => setDraft({ name: zone.name, points: zone.points, isPrivate: zone.private, isStored: true })}
          />
          {src !== null && zones.length < mostZones && (
            <Button className="mt-3" onClick={() => setDraft({ name: "", points: [], isPrivate: false, isStored: false })}>
              {texts.add}
            </Button>
          )}
        </>
      )}
    </>
  );
}

/** Adds a corner: to a new zone behind the last one, to a stored zone where it makes the way around it least longer. */
function withCorner({ points, isStored }: Draft, point: Point): readonly Point[] {
  if (!isStored || points.length < 3) return [...points, point];
  const detour = (at: number): number => {
    const [a, b] = [points[at] as Point, points[(at + 1) % points.length] as Point];
    return distance(a, point) + distance(point, b) - distance(a, b);
  };
  const best = points.map((_, at) => at).reduce((one, other) => (detour(other) < detour(one) ? other : one));
  return points.toSpliced(best + 1, 0, point);
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

interface DraftFormProps extends EditorProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly onEnd: () => void;
}

function DraftForm({ camera, zones, draft, onChange, onEnd }: DraftFormProps) {
  const texts = useTexts();
  const { zones: words } = useAdminTexts().cameras;
  const attempt = useAttempt();
  const set = useAction(zoneRoutes.setZone, changedByZones);
  const { points, isPrivate, isStored } = draft;
  const name = draft.name.trim();
  const isTaken = !isStored && zones.some((zone) => zone.name.toLowerCase() === name.toLowerCase());
  const fault = points.length < 3 ? words.moreCorners(3 - points.length) : polygonFault(points) !== undefined ? words.crossing : undefined;
  const isReady = fault === undefined && name !== "" && !isTaken;
  const save = async (submitted: FormEvent): Promise<void> => {
    submitted.preventDefault();
    if (!isReady) return;
    const request = { params: { camera_id: camera.camera_id, name }, body: { points: [...points], private: isPrivate } };
    if (await attempt(set.run(request), words.saved(name))) onEnd();
  };
  return (
    <form className="mt-3 grid gap-3" onSubmit={(submitted) => void save(submitted)}>
      <p className="text-sm text-soft">{words.how}</p>
      <p role="status" className={points.length > 2 && fault !== undefined ? "text-sm font-medium text-critical" : "text-sm"}>
        {isTaken ? words.taken : (fault ?? words.ready)}
      </p>
      <TextField
        label={words.name}
        value={draft.name}
        maxLength={40}
        required
        readOnly={isStored}
        placeholder={words.example}
        onText={(text) => onChange({ ...draft, name: text })}
      />
      <CheckField
        label={words.blackOut}
        hint={words.blackOutHint}
        checked={isPrivate}
        onChecked={(checked) => onChange({ ...draft, isPrivate: checked })}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="main" isBusy={!isReady || set.isRunning}>
          {texts.common.save}
        </Button>
        <Button onClick={onEnd}>{texts.common.cancel}</Button>
        {points.length === 0 ? (
          <Button onClick={() => onChange({ ...draft, points: startingRectangle })}>{words.rectangle}</Button>
        ) : (
          <Button onClick={() => onChange({ ...draft, points: points.slice(0, -1) })}>{words.undo}</Button>
        )}
      </div>
    </form>
  );
}

function ZoneList({ camera, zones, onEdit }: EditorProps & { readonly onEdit: (zone: Zone) => void }) {
  const texts = useTexts();
  const { zones: words } = useAdminTexts().cameras;
  const attempt = useAttempt();
  const remove = useAction(zoneRoutes.deleteZone, changedByZones);
  if (zones.length === 0) return null;
  return (
    <>
      <ul className="mt-3 rounded-xl border border-line bg-card px-4">
        {zones.map((zone) => (
          <li key={zone.name} className="flex flex-wrap items-center justify-between gap-2 border-b border-line py-2 last:border-0">
            <span className="break-words">
              <span className="font-medium">{zone.name}</span>
              {zone.private && <span className="text-sm text-soft"> · {words.blackedOut}</span>}
            </span>
            <span className="flex gap-2">
              <Button aria-label={words.change(zone.name)} onClick={() => onEdit(zone)}>
                {words.draw}
              </Button>
              <ConfirmButton
                text={texts.event.remove}
                label={words.remove(zone.name)}
                title={words.removeTitle(zone.name)}
                disabled={remove.isRunning}
                onConfirm={() =>
                  void attempt(remove.run({ params: { camera_id: camera.camera_id, name: zone.name } }), words.removed(zone.name))
                }
              >
                {words.removeHint}
              </ConfirmButton>
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-3">
        <Link href={ruleAddress(camera.camera_id, zones)} className="text-accent underline">
          {words.newRule}
        </Link>
      </p>
      <RulesToLimit camera={camera} zones={zones} />
    </>
  );
}

/** Rules that alert about the whole picture of this camera: each as a way to its form, limited to the newest zone. */
function RulesToLimit({ camera, zones }: EditorProps) {
  const { zones: words } = useAdminTexts().cameras;
  const { data } = useReply(ruleRoutes.listRules, { query: { enabled: true, limit: 100 } });
  const usable = zones.filter((zone) => !zone.private).toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime());
  const [newest] = usable;
  const wide = (data?.items ?? []).filter(
    ({ kind, zones: named, not_zones, camera_ids }) =>
      kind === "event" && named === null && not_zones === null && (camera_ids?.includes(camera.camera_id) ?? true),
  );
  if (!newest || wide.length === 0) return null;
  const draft = encodeURIComponent(JSON.stringify({ zones: [newest.name] }));
  return (
    <>
      <p className="mt-3 text-soft">{words.limitHint}</p>
      <ul>
        {wide.map(({ id, name }) => (
          <li key={id}>
            <Link href={`/rules/${id}?draft=${draft}`} className="inline-flex min-h-11 items-center text-accent underline">
              {words.limitRule(name, newest.name)}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The form of a new rule about the zones of this camera. */
function ruleAddress(cameraId: string, zones: readonly Zone[]): string {
  const draft = { camera_ids: [cameraId], zones: zones.slice(0, 1).map(({ name }) => name) };
  return `/rules/new?from=empty&draft=${encodeURIComponent(JSON.stringify(draft))}`;
}

/** Says that the camera was moved since its zones were drawn, and offers to keep them. */
function Doubt({ camera, zones }: EditorProps) {
  const { zones: words } = useAdminTexts().cameras;
  const attempt = useAttempt();
  const confirm = useAction(zoneRoutes.confirmZones, [zoneRoutes.listZones, zoneRoutes.listAllZones]);
  if (zones.every(({ doubtful_since }) => doubtful_since === null)) return null;
  return (
    <div role="status" className="mb-3 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-medium p-3">
      <p className="font-medium text-medium">{words.doubtful}</p>
      <Button onClick={() => void attempt(confirm.run({ params: { camera_id: camera.camera_id } }), words.confirmed)}>
        {words.confirm}
      </Button>
    </div>
  );
}
