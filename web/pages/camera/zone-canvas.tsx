import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import type { Point } from "../../../src/contract/polygon.ts";
import { useAdminTexts } from "../../texts/admin.ts";

/** How far an arrow key moves a corner, as a share of the picture; with Shift finer. */
const step = 0.02;
const fineStep = 0.002;

const steps: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** A zone that is shown, but not changed. */
interface ShownZone {
  readonly name: string;
  readonly points: readonly Point[];
}

interface ZoneCanvasProps {
  readonly src: string | null;
  readonly alt: string;
  readonly zones: readonly ShownZone[];
  /** The corners that are drawn now; undefined while nothing is. */
  readonly points: readonly Point[] | undefined;
  readonly isFaulty: boolean;
  readonly onAdd: (point: Point) => void;
  readonly onMove: (at: number, point: Point) => void;
  readonly onRemove: (at: number) => void;
}

/** A picture with zones over it. While one is drawn, a tap adds a corner, and corners can be dragged or moved by the arrow keys. */
export function ZoneCanvas({ src, alt, zones, points, isFaulty, onAdd, onMove, onRemove }: ZoneCanvasProps) {
  const frame = useRef<HTMLDivElement>(null);
  const placeOf = ({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }): Point => {
    const { left, top, width, height } = (frame.current as HTMLDivElement).getBoundingClientRect();
    return insidePicture({ x: (clientX - left) / width, y: (clientY - top) / height });
  };
  return (
    <div ref={frame} className={`relative overflow-hidden rounded-lg bg-raised select-none ${src === null ? "aspect-[4/3]" : ""}`}>
      {src !== null && <img src={src} alt={alt} draggable={false} className="block w-full" />}
      {/* The corners below are for the keyboard */}
      <svg
        aria-hidden
        data-zones
        viewBox="0 0 1 1"
        preserveAspectRatio="none"
        className={`absolute inset-0 size-full ${points ? "cursor-crosshair touch-none" : "pointer-events-none"}`}
        onPointerDown={(pressed) => points && onAdd(placeOf(pressed))}
      >
        {zones.map(({ name, points: corners }) => (
          <Shape key={name} points={corners} colour="#94a3b8" />
        ))}
        {points && points.length > 1 && <Shape points={points} colour={isFaulty ? "#f87171" : "#2dd4bf"} />}
      </svg>
      {zones.map(({ name, points: corners }) => (
        <ZoneLabel key={name} name={name} points={corners} />
      ))}
      {points?.map((point, at) => (
        <Corner
          // biome-ignore lint/suspicious/noArrayIndexKey: a corner is its place in the order, so that it keeps the focus while it moves
          key={at}
          at={at}
          point={point}
          placeOf={placeOf}
          onMove={(moved) => onMove(at, moved)}
          onRemove={() => onRemove(at)}
        />
      ))}
    </div>
  );
}

function Shape({ points, colour }: { readonly points: readonly Point[]; readonly colour: string }) {
  return (
    <polygon
      points={points.map(({ x, y }) => `${x},${y}`).join(" ")}
      fill={colour}
      fillOpacity={0.25}
      stroke={colour}
      strokeWidth={2}
      vectorEffect="non-scaling-stroke"
    />
  );
}

function ZoneLabel({ name, points }: ShownZone) {
  const x = points.reduce((sum, point) => sum + point.x, 0) / points.length;
  const y = points.reduce((sum, point) => sum + point.y, 0) / points.length;
  return (
    <span
      className="pointer-events-none absolute max-w-40 -translate-1/2 truncate rounded bg-black/70 px-1.5 text-xs font-medium text-white"
      style={{ left: `${x * 100}%`, top: `${y * 100}%` }}
    >
      {name}
    </span>
  );
}

interface CornerProps {
  readonly at: number;
  readonly point: Point;
  readonly placeOf: (pressed: { readonly clientX: number; readonly clientY: number }) => Point;
  readonly onMove: (point: Point) => void;
  readonly onRemove: () => void;
}

/** A corner: large enough for a thumb, with a small dot in its middle. */
function Corner({ at, point, placeOf, onMove, onRemove }: CornerProps) {
  const { zones } = useAdminTexts().cameras;
  const onKeyDown = (pressed: KeyboardEvent): void => {
    const { key, shiftKey } = pressed;
    const by = steps[key];
    if (key === "Delete" || key === "Backspace") onRemove();
    else if (by)
      onMove(insidePicture({ x: point.x + by.x * (shiftKey ? fineStep : step), y: point.y + by.y * (shiftKey ? fineStep : step) }));
    else return;
    pressed.preventDefault();
    pressed.stopPropagation();
  };
  const onPointerMove = (moved: PointerEvent): void => {
    if (moved.currentTarget.hasPointerCapture(moved.pointerId)) onMove(placeOf(moved));
  };
  return (
    <button
      type="button"
      aria-label={zones.corner(at + 1, Math.round(point.x * 100), Math.round(point.y * 100))}
      className="absolute size-11 -translate-1/2 cursor-move touch-none rounded-full focus-visible:outline-2 focus-visible:outline-accent"
      style={{ left: `${point.x * 100}%`, top: `${point.y * 100}%` }}
      onPointerDown={(pressed) => pressed.currentTarget.setPointerCapture(pressed.pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
    >
      <span aria-hidden className="mx-auto block size-3.5 rounded-full border-2 border-black bg-white" />
    </button>
  );
}

/** Snaps to the edges of the picture, and to ten thousandths. */
function insidePicture({ x, y }: Point): Point {
  const snapped = (value: number): number => {
    const share = Math.min(1, Math.max(0, value));
    return share < 0.01 ? 0 : share > 0.99 ? 1 : Number(share.toFixed(4));
  };
  return { x: snapped(x), y: snapped(y) };
}
