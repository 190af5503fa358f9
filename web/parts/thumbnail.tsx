import { ImageOff } from "lucide-react";
import { useState } from "react";
import { useTexts } from "../texts/texts.tsx";

interface ThumbnailProps {
  /** Address of the picture; null when there is none. */
  readonly src: string | null;
  readonly alt: string;
  readonly className?: string;
}

/** A small picture in a frame of 4:3 that has its size before the picture arrives. */
export function Thumbnail({ src, alt, className = "" }: ThumbnailProps) {
  const texts = useTexts();
  const [failed, setFailed] = useState<string>();
  const isShown = src !== null && failed !== src;
  return (
    <span className={`relative block aspect-[4/3] overflow-hidden rounded-lg bg-raised ${className}`}>
      {isShown ? (
        <img
          src={src}
          alt={alt}
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => setFailed(src)}
          className="absolute inset-0 size-full object-cover"
        />
      ) : (
        <span className="absolute inset-0 flex flex-col items-center justify-center gap-1 text-xs text-soft">
          <ImageOff aria-hidden size={20} />
          {src === null ? texts.common.noPicture : texts.common.pictureGone}
        </span>
      )}
    </span>
  );
}
