import { GitCompareArrows, Square } from "lucide-react";
import { Fragment, useEffect, useRef, useState } from "react";
import type { z } from "zod";
import { type DetectorComparison, imageRoutes } from "../../../src/contract/routes/images.ts";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { Fault } from "../../parts/fault.tsx";
import { TextField } from "../../parts/fields.tsx";
import { className } from "../../parts/names.tsx";
import { Section } from "../../parts/page.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useTexts } from "../../texts/texts.tsx";

type Compared = z.output<typeof DetectorComparison>;
type Side = Compared["a"];

/** More would not be looked through. */
const mostPictures = 200;
/** Pictures with a difference that are shown. */
const mostShown = 60;

interface Run {
  readonly all: number;
  readonly gone: number;
  readonly compared: readonly Compared[];
  readonly isRunning: boolean;
  readonly isStopped: boolean;
  readonly error: unknown;
}

/** Lets two detectors process the newest pictures, one picture a request, and shows where they differ. */
export function CompareDetectors() {
  const { compare } = useAdminTexts();
  const [a, setA] = useState("current");
  const [b, setB] = useState("");
  const [last, setLast] = useState("20");
  const { run, start, stop } = useComparison();
  return (
    <Section title={compare.title}>
      <form
        className="rounded-xl border border-line bg-card p-4"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          void start(a.trim(), b.trim(), Number(last));
        }}
      >
        <div className="grid gap-3 sm:grid-cols-3">
          <TextField label={compare.a} hint={compare.addressHint} required value={a} onText={setA} autoCapitalize="none" />
          <TextField label={compare.b} required value={b} onText={setB} autoCapitalize="none" placeholder="http://192.168.1.5:9001" />
          <TextField label={compare.last} type="number" required min={1} max={mostPictures} value={last} onText={setLast} />
        </div>
        <div className="mt-3 flex flex-wrap items-center justify-between gap-3">
          <p role="status" className="min-w-0 flex-1 basis-60 text-sm text-soft">
            {run ? stateOf(run, compare) : compare.hint}
          </p>
          {run?.isRunning ? (
            // Keys: in the same element, a click that stops would submit the form that it becomes a part of
            <Button key="stop" className="min-h-11" onClick={stop}>
              <Square aria-hidden size={18} /> {compare.stop}
            </Button>
          ) : (
            <Button key="start" type="submit" look="main" className="min-h-11">
              <GitCompareArrows aria-hidden size={18} /> {compare.start}
            </Button>
          )}
        </div>
        {run?.isRunning && (
          <progress
            className="mt-3 h-2 w-full appearance-none overflow-hidden rounded bg-raised [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-raised [&::-webkit-progress-value]:bg-accent"
            aria-label={compare.title}
            max={Math.max(1, run.all)}
            value={run.compared.length + run.gone}
          />
        )}
        <Fault error={run?.error} className="mt-2" />
      </form>
      {run && run.compared.length > 0 && <Result run={run} />}
    </Section>
  );
}

function stateOf({ all, gone, compared, isRunning, isStopped }: Run, texts: ReturnType<typeof useAdminTexts>["compare"]): string {
  if (all === 0 && !isRunning) return texts.none;
  return (isStopped ? texts.stopped : texts.progress)(compared.length + gone, all);
}

/** Compares picture after picture until all are done or it is stopped. */
function useComparison() {
  const [run, setRun] = useState<Run>();
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);
  const start = async (a: string, b: string, last: number): Promise<void> => {
    stopping.current?.abort();
    const controller = new AbortController();
    stopping.current = controller;
    const { signal } = controller;
    let now: Run = { all: last, gone: 0, compared: [], isRunning: true, isStopped: false, error: undefined };
    const show = (change: Partial<Run>): void => {
      now = { ...now, ...change };
      if (!signal.aborted) setRun(now);
    };
    show({});
    try {
      const { items } = await call(imageRoutes.listImages, { query: { limit: last, status: ["processed"] } }, signal);
      const pictures = items.filter(({ media_type: type }) => type?.startsWith("image/"));
      show({ all: pictures.length });
      for (const { id } of pictures) {
        const compared = await call(imageRoutes.compareDetectors, { params: { image_id: id }, body: { a, b } }, signal).catch(whenGone);
        show(compared ? { compared: [...now.compared, compared] } : { gone: now.gone + 1 });
      }
      show({ isRunning: false });
    } catch (error) {
      show({ isRunning: false, error });
    }
  };
  const stop = (): void => {
    stopping.current?.abort();
    setRun((before) => before && { ...before, isRunning: false, isStopped: true });
  };
  return { run, start, stop };
}

/** A picture whose file is gone is counted; every other problem ends the comparison. */
function whenGone(error: unknown): undefined {
  if (error instanceof Error && "kind" in error && error.kind === "not_found") return;
  throw error;
}

function Result({ run: { compared, gone } }: { readonly run: Run }) {
  const { compare } = useAdminTexts();
  const format = useFormat();
  const different = compared.filter(({ a, b }) => [...a.objects, ...b.objects].some(({ only }) => only) || a.problem || b.problem);
  const paces = (["a", "b"] as const).flatMap((side) => {
    const ms = medianOf(compared.flatMap((each) => each[side].took_ms ?? []));
    return ms === undefined ? [] : [compare.pace(compare[side], format.number(ms))];
  });
  return (
    <div className="mt-3">
      <p className="text-sm text-soft">
        {[
          compare.differ(different.length),
          ...(different.length > 0 ? [compare.bold] : []),
          ...paces.map((pace) => `${pace}.`),
          ...(gone > 0 ? [compare.gone(gone)] : []),
        ].join(" ")}
      </p>
      <Classes compared={compared} />
      <ul className="mt-3 grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {different.slice(0, mostShown).map((each) => (
          <Difference key={each.image_id} compared={each} />
        ))}
      </ul>
    </div>
  );
}

/** How often each class was found by both detectors, and by only one. */
function Classes({ compared }: { readonly compared: readonly Compared[] }) {
  const { compare } = useAdminTexts();
  const texts = useTexts();
  const counts = new Map<string, { both: number; a: number; b: number }>();
  const add = (type: string, column: "both" | "a" | "b"): void => {
    const count = counts.get(type) ?? { both: 0, a: 0, b: 0 };
    count[column] += 1;
    counts.set(type, count);
  };
  for (const { a, b } of compared) {
    for (const { object_type: type, only } of a.objects) add(type, only ? "a" : "both");
    for (const { object_type: type, only } of b.objects) if (only) add(type, "b");
  }
  if (counts.size === 0) return null;
  return (
    <table className="mt-3 w-full text-left text-sm">
      <caption className="sr-only">{compare.classes}</caption>
      <thead className="text-soft">
        <tr>
          <th scope="col" className="py-1 align-bottom font-medium">
            {compare.classes}
          </th>
          {[compare.both, compare.onlyA, compare.onlyB].map((title) => (
            <th key={title} scope="col" className="py-1 pl-3 text-right align-bottom font-medium">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {[...counts].map(([type, { both, a, b }]) => (
          <tr key={type} className="border-t border-line">
            <th scope="row" className="py-1 font-normal">
              {className(texts, type)}
            </th>
            <td className="py-1 text-right">{both}</td>
            <td className="py-1 text-right">{a}</td>
            <td className="py-1 text-right">{b}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** One picture with the boxes of both detectors: the first in lines, the second in dashes. */
function Difference({ compared: { picture, width, height, a, b } }: { readonly compared: Compared }) {
  const { compare } = useAdminTexts();
  return (
    <li className="min-w-0 overflow-hidden rounded-xl border border-line bg-card">
      {picture !== null && width !== null && height !== null && (
        <div className="relative">
          <img src={picture} alt="" className="block w-full" />
          <svg aria-hidden viewBox={`0 0 ${width} ${height}`} className="pointer-events-none absolute inset-0 size-full">
            <Boxes side={a} className="stroke-accent" strokeWidth={width / 160} />
            <Boxes side={b} className="stroke-critical" strokeWidth={width / 160} strokeDasharray={width / 60} />
          </svg>
        </div>
      )}
      <div className="grid gap-1 p-3 text-sm break-words">
        <Found name={compare.a} side={a} look="border-accent" />
        <Found name={compare.b} side={b} look="border-dashed border-critical" />
      </div>
    </li>
  );
}

interface BoxesProps {
  readonly side: Side;
  readonly className: string;
  readonly strokeWidth: number;
  readonly strokeDasharray?: number;
}

function Boxes({ side, ...look }: BoxesProps) {
  return side.objects.map(({ object_type: type, confidence, bbox, only }) =>
    bbox === null ? null : (
      <rect key={`${type} ${confidence} ${bbox.x} ${bbox.y}`} {...bbox} {...look} opacity={only ? 1 : 0.6} fill="none" />
    ),
  );
}

function Found({ name, side, look }: { readonly name: string; readonly side: Side; readonly look: string }) {
  const { compare } = useAdminTexts();
  const texts = useTexts();
  return (
    <p className={`border-l-4 pl-2 ${look}`}>
      {side.problem === null ? (
        <>
          {name}: {side.objects.length === 0 && compare.nothing}
          {side.objects.map(({ object_type: type, confidence, only }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <Fragment key={at}>
              {at > 0 && ", "}
              <span className={only ? "font-semibold" : ""}>
                {className(texts, type)}&nbsp;{Math.round(confidence * 100)}&nbsp;%
              </span>
            </Fragment>
          ))}
        </>
      ) : (
        <>
          {compare.failed(name)} <DaemonText>{side.problem}</DaemonText>
        </>
      )}
    </p>
  );
}

function medianOf(times: readonly number[]): number | undefined {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];
}
