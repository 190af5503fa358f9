/** What the bytes of a file say about its state, by its format. */
export type Structure =
  | { readonly state: "complete"; readonly width: number | null; readonly height: number | null }
  /** More is to come, or the writer broke off. */
  | { readonly state: "incomplete"; readonly detail: string }
  /** Can never become a picture or video of this format. */
  | { readonly state: "damaged"; readonly detail: string };

/** A file that cannot say where it ends is taken as it is once it has not changed for so long. */
export const openEndedAfterMs = 10_000;
/** What looks wrong or has something behind its end is judged once it has not changed for so long: it may be half-written. */
export const settledAfterMs = 2_000;

/** Zeros and white space behind the end that are tolerated: some cameras fill up the last block. */
export const mostPaddingBytes = 64 * 1024;

/** The length without trailing zeros and white space. */
export function lengthWithoutPadding(bytes: Buffer): number {
  let length = bytes.length;
  while (length > 0) {
    const byte = bytes[length - 1];
    if (byte !== 0 && byte !== 0x20 && byte !== 0x0a && byte !== 0x0d) break;
    length -= 1;
  }
  return length;
}
