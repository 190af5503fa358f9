import { type Clock, hourMs } from "../../../base/clock/clock.ts";
import type { Picture } from "../multipart.ts";

/*
 * Whether a model sees cannot be read from its server: some drop a picture without a word, and the model then invents what it shows. So
 * homesec shows it a number that no one can guess, and asks for it.
 */

const knownNumber = "4172";

/** The question beside `knownPicture`. */
export const eyeQuestion =
  "Which number is written in the picture? Answer with its digits and nothing else. If you cannot see a picture, answer with the word none.";

/** Models that write down their thoughts need room for them. */
export const eyeTokens = 512;

/** The number in black on white: a JPEG of 320 x 143 pixels. */
export const knownPicture: Picture = {
  bytes: Buffer.from(
    [
      "/9j/2wBDABQUFBQVFBcZGRcfIh4iHy4rJycrLkYyNjI2MkZqQk5CQk5Cal5yXVZdcl6phXZ2hanDpJukw+zT0+z/////////2wBDARQUFBQVFBcZGRcfIh4i",
      "Hy4rJycrLkYyNjI2MkZqQk5CQk5Cal5yXVZdcl6phXZ2hanDpJukw+zT0+z/////////wgARCACPAUADASIAAhEBAxEB/8QAGwABAQEBAQEBAQAAAAAAAAAA",
      "AAYFBwQDAQL/xAAUAQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIQAxAAAACzAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAy9TkZ0fVw9wAAY/z5",
      "sdQ1Ym2AEfYTRlPWPI9eCb1fzLpoAw5fMKzcj547AmKcAAAAHjJTOxbEsU3SAAHHtPp0WfzbRVqAAAOV9E5gdA3weD3+U5X12RrxnaI492HjPZgAAABy+qgS",
      "zejANC45nUlGABF2kWflrFWoAABA+iS60ekAACA9k0aHSAAAAAmcHog53m9WjiY1fXcAACLtIs/LWKtQABMU/Kz0dMwN8AATnr5sf31fzaAAAAAAAjrHykjc",
      "eL2gACLtPGS1r4/YAAeDl/Xsc2QAPh9xx71VgzGmMy6mKsAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/8QAOBAAAQMCBAMCDQQDAQEAAAAAAgED",
      "BAAFBiA0cxExsRIWEBMhIiNBQlBTVHFykxQwM5IVUoFRsv/aAAgBAQABPwCPp2dsenueRp3tsulR9Oztj09zyNO9tl0qPp2dsenueRp3tsulR9Oztj09zyNO",
      "9tl0qPp2dseme+XxLWgA2CG8dWK+LdPGtuNoDoZ71iFu3L4llEcfqxXtbqjoONoDoZZmLnwfcCOw2oIvM674XD4DFd8Lh8Biu+Fw+AxXfC4fAYqDi19yS23I",
      "YbQDXmGQiEUUiVEROarUvFduYVRaQ36TGYfIr+SoF/t05UBDVtxfYPNI0722XSo+nZ2x6ZpMhqKw4+6vAAHitTZbs2S6+5zNawxbFiRVkOJ6V/Nf7+kFFjx9",
      "R/8AFERGSkSqqqvFVWsHauVs5ZmEW33zdZk9hD9hQruYfzyfjruYfzyfjruYfzyfjq8WlLUbTayUdM0qwQv1lzZT2G/SHkv17cuDystEqRgX+9QbZNuBKkdl",
      "SROZckSjwldUDiisLT8d+M6rTzZAaepaw1ezfVIUk+J+weWRp3tsulR9Oztj0zYqunj3khNL5jXlOrBa/wDITEU09C15TzTFeGJIVn+VGiUPrQg9IeQEQjdM",
      "vqqqtXW1LbBiiZcXXAUjrB2rlbP7N3mrOuD73sqvAPtSsJwvEwjkrzeXw4hkrGtL6jzPgFRI5SpTLA83DQajx2orAMtCggCeC/24J0BwuHpWkUwWmHjjvtPA",
      "vAgNCSgJDESTkqIqZJGne2y6VH07O2PTLfLmlthEafyn5G6AHH3UEUUjMv8AqqtXF1+wQIkSMvZccRTdcrDF2lzDfYkH2+yCGhZhYZE1cFoENeZIKItYy1ET",
      "bWsHauVs/sYim/o7Y76jd8waixzlSGWA5uGg002DLQNgnAQFBT6J4b1bzuMA2QJENFQhqx4emxpwSJSICNeGe8DEKS6fIWi8DAK2wyC8xAUX/iZJGne2y6VH",
      "07O2PTIRIIqRKiIicVWrzciuU03PYHyNpWFbbznuptVjP+aF9h1g7XSdjPjLURNtawdq5Wz+xiub4+ejCL5jCVhGF25DssuTSdkM6qiJxWsQ3tZ7isMacF/v",
      "WHraU6cBqnoWVQjyyNO9tl0qPp2dsemTFd08U0kFpfPPyuUHY7Y9vj2eKceHPhTWLYLLQNBDcQASr7d2rqbCg0QdhFqx3Ru1vuum2RobfZoMYw1VEKM7TbgO",
      "tg4BIokiKi/+ouXGWoiba1g7VytnPLkBEjPPnyAFWnHDecNw14kZKq/Vas0RINuYa9rh2j+5c+I752+1CjFulVut79xkiy0n3F6hSoUJiDHBhkeAplkad7bL",
      "pUfTs7Y9Ml+sEqbL/UxlFVVEQhWu613+G3/eu613+G3/AHqfbJduVtJCIinUC3Sbi4bcdEUhHitJhW6+tGkT76hxkiRWWEXijYImXGWoiba1g7VytnPi+b2G",
      "WYY+2vbOrBC/W3NlFTiDfnnnxHfPEIsOMXpfbKosV6Y+DDI9ozWrXbGLZGRsPKftnmkad7bLpUfTs7Y9M+M/5oX2HWDtdJ2M+MtRE21rB2rlbOe7zVnXB972",
      "VXgH2pWE4XiYRyV5vLmv16G3M+JZ1B0IuyHkEUI3HC+qqq1ZLMFsY4l5XzTz1zyNO9tl0qPp2dsemfGf80L7DrB2uk7GfGWoiba1g7VytnNiGWsS1vKnNz0a",
      "VFjnKkMsBzcNBppsGWgbBOAgKCn0TLd7h/jYJvonEuQU887IdN10lIyXiq1b7g7bnVdaaaI/UppXe66f6MV3uun+jFJi65/DYq1zxuMMJCD2fUSZJGne2y6V",
      "H07O2PTPdrOxdGgEyUDDkaVaLKxakNRNTcPmee7Wdi6gCGagYcjq0WZi1AfYNTM+Z5rhAZuMYmHateHo9tfV9XldPNPgs3CMbDvJa7mB88v467mJ8+v467mJ",
      "8+v467mJ8+v467mB88v46gw2YEYGGuQ5JGne2y6VH07O2PT3PI0722XSo+nZ2x6e55Gne2y6VH07O2PT3PI0722XSo+nZ2x6e55Gne2y6V//xAAUEQEAAAAA",
      "AAAAAAAAAAAAAABw/9oACAECAQE/ADT/xAAUEQEAAAAAAAAAAAAAAAAAAABw/9oACAEDAQE/ADT/2Q==",
    ].join(""),
    "base64",
  ),
  fileName: "homesec-number.jpg",
  mediaType: "image/jpeg",
  size: { width: 320, height: 143 },
};

/** Tells whether an answer to `eyeQuestion` has the number, or all but one of its digits in place: a small model may misread one. */
export function readsNumber(answer: string): boolean {
  const digits = answer.replace(/(?<=\d)[ ,.-](?=\d)/g, "");
  return [...digits.matchAll(/(?<!\d)\d{4}(?!\d)/g)].some(
    ([found]) => [...found].filter((digit, at) => digit === knownNumber[at]).length >= 3,
  );
}

/** A server may get another model, or its missing part, while homesec runs. */
const blindForMs = 6 * hourMs;

/** Remembers whether a model sees. A blind one is asked again after a while. */
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
