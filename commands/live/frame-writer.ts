const code = "\u001b[";
/** Terminals that know it show everything between the two at once; others leave it out. */
const begin = `${code}?2026h`;
const end = `${code}?2026l`;

/** What makes a screen with the lines `before` show the lines `after`: those that differ, each in its place. Empty when none does. */
export function difference(before: readonly string[], after: readonly string[]): string {
  let text = "";
  for (let at = 0; at < Math.max(before.length, after.length); at += 1) {
    const line = after[at] ?? "";
    // emptied before it is written: behind a line that fills its row the cursor stands on the last character
    if (line !== before[at]) text += `${code}${at + 1};1H${code}K${line}${code}0m`;
  }
  return text === "" ? "" : begin + text + end;
}
