import { appendFileSync } from "node:fs";

/** Reports the result of a part of the run: a line of output, and one for the table at the end of `npm run chaos`. */
export function report(part: string, figures: Readonly<Record<string, number>>): void {
  const text = Object.entries(figures).map(([name, value]) => `${value} ${name}`);
  process.stdout.write(`${part}: ${text.join(", ")}\n`);
  const file = process.env["CHAOS_RESULTS"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ part, figures })}\n`);
}
