import { useEffect, useRef, useState } from "react";
import { Blur, shapeOf } from "../../parts/blur.tsx";
import { className } from "../../parts/names.tsx";
import { Thumbnail } from "../../parts/thumbnail.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { bestOf, type Picture } from "./pictures.ts";

/** The picture on the screen: the best one until the reader chooses another. */
export function useChosen(pictures: readonly Picture[]) {
  const [chosen, choose] = useState<number>();
  const index = Math.min(chosen ?? bestOf(pictures), pictures.length - 1);
  return { index, picture: pictures[index], choose };
}

interface FilmstripProps {
  readonly pictures: readonly Picture[];
  readonly chosen: ReturnType<typeof useChosen>;
}

/** All pictures of an event: the best one first on the screen, the others a tap, swipe or arrow key away. */
export function Filmstrip({ pictures, chosen: { index, picture, choose } }: FilmstripProps) {
  const texts = useTexts();
  const format = useFormat();
  const strip = useRef<HTMLDivElement>(null);
  const step = (by: number): void => choose(Math.max(0, Math.min(index + by, pictures.length - 1)));
  useEffect(() => {
    strip.current?.children[index]?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [index]);
  if (!picture) return null;
  return (
    <figure
      onKeyDown={({ key }) => {
        if (key === "ArrowRight") step(1);
        if (key === "ArrowLeft") step(-1);
      }}
    >
      <Swipe onSwipe={step}>
        <Boxed picture={picture} />
      </Swipe>
      <figcaption className="mt-1 flex justify-between text-sm text-soft">
        <span>{texts.event.picture(index + 1, pictures.length)}</span>
        <span title={format.exact(picture.at)}>{format.time(picture.at)}</span>
      </figcaption>
      {pictures.length > 1 && (
        <div ref={strip} className="mt-2 flex snap-x gap-2 overflow-x-auto pb-2">
          {pictures.map(({ key, at, thumbnail, blurHash }, place) => (
            <button
              key={key}
              type="button"
              aria-pressed={place === index}
              aria-label={`${texts.event.picture(place + 1, pictures.length)}, ${format.time(at)}`}
              onClick={() => choose(place)}
              className="w-24 shrink-0 snap-center rounded-lg border-2 border-transparent aria-pressed:border-accent"
            >
              <Thumbnail of={{ blur_hash: blurHash }} src={thumbnail} alt="" />
            </button>
          ))}
        </div>
      )}
    </figure>
  );
}

/** The picture in full with a box around everything found in it. */
function Boxed({ picture }: { readonly picture: Picture }) {
  const texts = useTexts();
  const format = useFormat();
  const [size, setSize] = useState<readonly [width: number, height: number]>();
  const names = picture.objects.map(({ object_type, confidence }) => `${className(texts, object_type)} ${format.percent(confidence)}`);
  if (picture.video !== null) {
    return (
      // biome-ignore lint/a11y/useMediaCaption: cameras give no captions
      <video
        key={picture.key}
        controls
        preload="metadata"
        poster={picture.thumbnail}
        src={picture.video}
        aria-label={names.join(", ")}
        className="aspect-[4/3] w-full rounded-lg bg-raised"
      />
    );
  }
  const [width, height] = size ?? shapeOf(picture.blurHash);
  // the names of many boxes would hide each other
  const isCrowded = picture.objects.length > 3;
  return (
    <span className="relative block overflow-hidden rounded-lg bg-raised" style={{ aspectRatio: `${width} / ${height}` }}>
      {picture.blurHash !== null && <Blur hash={picture.blurHash} />}
      <img
        key={picture.key}
        src={picture.image}
        alt={names.join(", ")}
        decoding="async"
        draggable={false}
        onLoad={({ currentTarget }) => setSize([currentTarget.naturalWidth, currentTarget.naturalHeight])}
        className="absolute inset-0 size-full object-contain"
      />
      {size && (
        <svg aria-hidden viewBox={`0 0 ${width} ${height}`} className="pointer-events-none absolute inset-0 size-full">
          {picture.objects.map(({ bbox_x, bbox_y, bbox_width, bbox_height, object_type, confidence }) =>
            bbox_x === null || bbox_y === null || bbox_width === null || bbox_height === null ? null : (
              <g key={`${object_type} ${bbox_x} ${bbox_y} ${bbox_width} ${bbox_height} ${confidence}`}>
                <rect
                  x={bbox_x}
                  y={bbox_y}
                  width={bbox_width}
                  height={bbox_height}
                  fill="none"
                  stroke="#2dd4bf"
                  strokeWidth={width / 250}
                />
                <text
                  x={bbox_x}
                  y={Math.max(bbox_y - width / 200, width / 40)}
                  fill="#2dd4bf"
                  stroke="#04201d"
                  strokeWidth={width / 400}
                  paintOrder="stroke"
                  fontSize={width / 40}
                >
                  {isCrowded ? "" : className(texts, object_type)} {format.percent(confidence)}
                </text>
              </g>
            ),
          )}
        </svg>
      )}
    </span>
  );
}

/** Calls `onSwipe` with 1 for a swipe to the left and -1 for one to the right. */
function Swipe({ onSwipe, children }: { readonly onSwipe: (by: number) => void; readonly children: React.ReactNode }) {
  const start = useRef<number>(undefined);
  return (
    <div
      className="touch-pan-y"
      onPointerDown={({ clientX }) => {
        start.current = clientX;
      }}
      onPointerUp={({ clientX }) => {
        const moved = clientX - (start.current ?? clientX);
        if (Math.abs(moved) > 40) onSwipe(moved < 0 ? 1 : -1);
      }}
    >
      {children}
    </div>
  );
}
