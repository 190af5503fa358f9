import { useLayoutEffect, useRef } from "react";
import { thumbHashToApproximateAspectRatio, thumbHashToRGBA } from "thumbhash";

const bytesOf = (hash: string): Uint8Array => Uint8Array.from(atob(hash), (letter) => letter.charCodeAt(0));

/** The blurred colours of a picture, which fill its frame until it arrives. */
export function Blur({ hash }: { readonly hash: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    if (!canvas.current) return;
    const { w, h, rgba } = thumbHashToRGBA(bytesOf(hash));
    Object.assign(canvas.current, { width: w, height: h });
    canvas.current.getContext("2d")?.putImageData(new ImageData(new Uint8ClampedArray(rgba), w, h), 0, 0);
  }, [hash]);
  return <canvas ref={canvas} aria-hidden className="absolute inset-0 size-full" />;
}

/** Shapes of pictures that cameras have. */
const usualShapes = [
  [4, 3],
  [16, 9],
  [9, 16],
  [3, 4],
  [1, 1],
] as const;

/** Returns width and height of a shape that a picture with this hash probably has: the hash knows it to a seventh only. */
export function shapeOf(hash: string | null): readonly [width: number, height: number] {
  if (hash === null) return usualShapes[0];
  const ratio = Math.log(thumbHashToApproximateAspectRatio(bytesOf(hash)));
  const distance = ([width, height]: readonly [number, number]): number => Math.abs(Math.log(width / height) - ratio);
  return usualShapes.reduce((best, shape) => (distance(shape) < distance(best) ? shape : best));
}
