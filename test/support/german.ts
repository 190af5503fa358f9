import { expect } from "vitest";
import { german } from "../../web/texts/daemon/german.ts";
import { withoutIdentifiers } from "../../web/texts/daemon/plain.ts";

/** The parts of a text of homesec that the page shows in English to German readers. */
export function leftInEnglish(text: string): readonly string[] {
  const left: string[] = [];
  german(withoutIdentifiers(text), (part) => left.push(part));
  return left;
}

/** Returns an explanation once it is clear that the page shows all of it in German. `quoted`: words of other programs and people. */
export function shownInGerman<T extends { readonly outcome: string; readonly steps: readonly { readonly text: string }[] }>(
  explanation: T,
  quoted: readonly RegExp[] = [],
): T {
  const left = [explanation.outcome, ...explanation.steps.map(({ text }) => text)].flatMap(leftInEnglish);
  expect(left.filter((part) => !quoted.some((each) => each.test(part)))).toEqual([]);
  return explanation;
}
