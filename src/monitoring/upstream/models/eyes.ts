import { type Clock, hourMs } from "../../../base/clock/clock.ts";
import type { Picture } from "../multipart.ts";

/*
 * Whether a model sees cannot be read from its server: some drop a picture without a word, and the model then invents what it shows. So
 * homesec shows it a number that no one can guess, and asks for it.
 */

const knownNumber = "4172";

/** The strokes of the digits, each in a field of 60 x 100. Drawn as lines, since a machine may have no fonts. */
const strokes = [
  "M40 0 L0 65 H60 M40 35 V100", // 4
  "M15 20 L35 0 V100", // 1
  "M0 0 H60 L20 100", // 7
  "M3 28 A27 27 0 1 1 52 44 L3 100 H60", // 2
] as const;

/** The question beside `knownPicture`. */
export const eyeQuestion =
  "Which number is written in the picture? Answer with its digits and nothing else. If you cannot see a picture, answer with the word none.";

/** Models that write down their thoughts need room for them. */
export const eyeTokens = 512;

/** Draws the same picture every time: the number in black on white. */
export async function knownPicture(): Promise<Picture> {
  const { sharp } = await import("../../images/decoder.ts");
  const digits = strokes.map((path, at) => `<path transform="translate(${60 + at * 105} 62)" d="${path}"/>`).join("");
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="500" height="224"><rect width="500" height="224" fill="#fff"/><g fill="none" stroke="#000" stroke-width="14" stroke-linecap="round" stroke-linejoin="round">${digits}</g></svg>`;
  const bytes = await sharp(Buffer.from(svg)).jpeg({ quality: 85 }).toBuffer();
  return { bytes, fileName: "homesec-number.jpg", mediaType: "image/jpeg", size: { width: 500, height: 224 } };
}

/** Tells whether an answer to `eyeQuestion` has the number, or all but one of its digits in place: a small model may misread one. */
export function readsNumber(answer: string): boolean {
  const digits = answer.replace(/(?<=\d)[ ,.-](?=\d)/g, "");
  return [...digits.matchAll(/(?<!\d)\d{4}(?!\d)/g)].some(
    ([found]) => [...found].filter((digit, at) => digit === knownNumber[at]).length >= 3,
  );
}

/** A server may get another model, or its missing part, while homesec runs. */
const blindForMs = 6 * hourMs;

/** What homesec knows about the eyes of a model. A blind one is asked again after a while. */
export class Eyes {
  readonly #clock: Clock;
  #known: { readonly sees: boolean; readonly detail: string; readonly at: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  known(): { readonly sees: boolean; readonly detail: string } | undefined {
    const known = this.#known;
    return known && (known.sees || this.#clock.monotonic() - known.at < blindForMs) ? known : undefined;
  }

  note(sees: boolean, detail: string): void {
    this.#known = { sees, detail, at: this.#clock.monotonic() };
  }

  forget(): void {
    this.#known = undefined;
  }
}
