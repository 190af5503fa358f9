import { ImageOff } from "lucide-react";
import { useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Blur } from "./blur.tsx";

/** What the API says about the picture of a record. */
export interface Pictured {
  readonly preview_url?: string | null | undefined;
  readonly blur_hash?: string | null | undefined;
  /** In fractions of the picture. */
  readonly preview_box?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number } | null | undefined;
}

interface ThumbnailProps {
  /** The record with the picture. */
  readonly of?: Pictured;
  /** Address of the picture; null when there is none. Default: the preview of the record. */
  readonly src?: string | null | undefined;
  readonly alt: string;
  readonly className?: string;
}

/**
 * A small picture in a frame of 4:3, whole, with the box of what was found. The frame has its size before the picture arrives, and shows its
 * blurred colours until then.
 */
export function Thumbnail({ of = {}, src = of.preview_url ?? null, alt, className = "" }: ThumbnailProps) {
  const texts = useTexts();
  const [failed, setFailed] = useState<string>();
  const isShown = src !== null && failed !== src;
  return (
    <span className={`relative block aspect-[4/3] overflow-hidden rounded-lg bg-raised ${className}`}>
      {isShown ? (
        <>
          {of.blur_hash && <Blur hash={of.blur_hash} />}
          <Picture key={src} src={src} alt={alt} box={of.preview_box ?? undefined} onError={() => setFailed(src)} />
        </>
      ) : (
        <span className="absolute inset-0 flex flex-col items-center justify-center gap-1 text-xs text-soft">
          <ImageOff aria-hidden size={20} />
          {src === null ? texts.common.noPicture : texts.common.pictureGone}
        </span>
      )}
    </span>
  );
}

interface PictureProps {
  readonly src: string;
  readonly alt: string;
  readonly box: NonNullable<Pictured["preview_box"]> | undefined;
  readonly onError: () => void;
}

function Picture({ src, alt, box, onError }: PictureProps) {
  const [size, setSize] = useState<readonly [width: number, height: number]>();
  const [width, height] = size ?? [0, 0];
  return (
    <>
      <img
        src={src}
        alt={alt}
        loading="lazy"
        decoding="async"
        draggable={false}
        onLoad={({ currentTarget }) => box && setSize([currentTarget.naturalWidth, currentTarget.naturalHeight])}
        onError={onError}
        className="absolute inset-0 size-full object-contain"
      />
      {box && size && (
        <svg aria-hidden viewBox={`0 0 ${width} ${height}`} className="pointer-events-none absolute inset-0 size-full">
          <rect
            x={box.x * width}
            y={box.y * height}
            width={box.width * width}
            height={box.height * height}
            fill="none"
            stroke="#2dd4bf"
            strokeWidth={1.5}
            vectorEffect="non-scaling-stroke"
          />
        </svg>
      )}
    </>
  );
}
