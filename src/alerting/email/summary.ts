import { dayLink, type LinkSettings } from "../delivery/links.ts";
import type { SummaryMessage } from "../delivery/message.ts";
import { onOneLine } from "../delivery/texts.ts";
import { type Section, sentSections, summaryHeadline } from "../summaries/text.ts";

const colour = "#1f4e79";

/** The values of the mail template `summary`; phones show the same lines. */
interface SummaryValues {
  readonly heading: string;
  readonly late: string | null;
  readonly timeZone: string;
  readonly colour: string;
  readonly sections: readonly Section[];
  readonly url: string | null;
}

/** Returns the values of the mail template. Each is one line, whatever the names of cameras contain. */
export function summaryValues(
  { summary, late }: SummaryMessage,
  { timeZone, links }: { readonly timeZone: string; readonly links: LinkSettings },
): SummaryValues {
  const clean = (text: string): string => onOneLine(text, 2_000);
  const sections = sentSections(summary, timeZone).map(({ title, rows }) => ({
    title,
    rows: rows.map(({ name, value }) => ({ name: name === null ? null : clean(name), value: clean(value) })),
  }));
  return {
    heading: summaryHeadline(summary.day),
    late: late ?? null,
    timeZone,
    colour,
    sections,
    url: dayLink(links, summary.day.date) ?? null,
  };
}
