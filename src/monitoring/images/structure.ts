/** The state of a file according to its bytes, by format. */
export type Structure =
  | { readonly state: "complete"; readonly width: number | null; readonly height: number | null }
  /** More data must follow, or the writer stopped early. */
  | { readonly state: "incomplete"; readonly detail: string }
  /** Can never become a picture or video of this format. */
  | { readonly state: "damaged"; readonly detail: string };

/** A file without an end marker counts as complete after this time without a change. */
export const openEndedAfterMs = 10_000;
/** A file that looks damaged, or has data after its end, is judged after this time without a change: it may be half-written. */
export const settledAfterMs = 2_000;

/** A picture whose upload broke off is processed after this time without a change: what arrived may show the burglar. */
export const cutOffAfterMs = 120_000;

/** A picture as decoders read it. */
export interface Mended {
  readonly bytes: Buffer;
  /** The data ends before the bottom of the picture. */
  readonly isCutOff: boolean;
}

/** Tolerated zeros and white space after the end: some cameras fill up the last block. */
export const mostPaddingBytes = 64 * 1024;

/** Returns the length without trailing zeros and white space. */
export function lengthWithoutPadding(bytes: Buffer): number {
  let length = bytes.length;
  while (length > 0) {
    const byte = bytes[length - 1];
    if (byte !== 0 && byte !== 0x20 && byte !== 0x0a && byte !== 0x0d) break;
    length -= 1;
  }
  return length;
}
