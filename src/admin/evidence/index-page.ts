import type { MissingFile, PackedFile } from "./manifest.ts";

/** The content of the page of a pack. */
export interface PageFacts {
  readonly title: string;
  /** Names and values, such as `Camera: Front door`. */
  readonly facts: readonly (readonly [string, string])[];
  readonly summary: string;
  readonly files: readonly PackedFile[];
  readonly missing: readonly MissingFile[];
  /** Lines of the log. */
  readonly log: readonly string[];
  readonly clocks: string;
  readonly publicKey: string;
  /** Time zone of the home. */
  readonly zone: string;
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#111}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .5rem;border-bottom:1px solid #ccc}
code,pre{font:13px/1.5 ui-monospace,monospace;overflow-wrap:anywhere;white-space:pre-wrap}
.pictures{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0;width:320px}img{max-width:100%}@media print{body{margin:0}}`;

/** Writes the page that anyone opens in a browser, without homesec and without a network. */
export function indexPage({ title, facts, summary, files, missing, log, clocks, publicKey, zone }: PageFacts): string {
  const timed = timesIn(zone);
  const thumbnails = files.filter(({ name }) => name.startsWith("thumbnails/"));
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${style}</style></head>
<body>
<h1>${escaped(title)}</h1>
<p>${timed(summary)}</p>
<p>Times are those of ${escaped(zone)}, with the exact time in UTC beside them.</p>
<table>${facts.map(([name, value]) => row(escaped(name), timed(value))).join("")}</table>
<h2>Pictures</h2>
<p>The small pictures have boxes and labels that homesec drew. The files in the folder <code>originals</code> have none.</p>
<div class="pictures">${thumbnails.map(figure).join("")}</div>
${missingPart(missing, timed)}
<h2>What happened</h2>
<pre>${timed(log.join("\n"))}</pre>
<h2>Clocks</h2>
<pre>${escaped(clocks)}</pre>
<h2>Files</h2>
<table><tr><th>File</th><th>Bytes</th><th>SHA-256</th></tr>${files.map(fileRow).join("")}</table>
<h2>How to check this pack</h2>
<p>With homesec: <code>homesec evidence verify FILE.zip</code>. It says which bytes of which file differ.</p>
<p>Without homesec, in the unpacked folder: <code>sha256sum -c SHA256SUMS</code> checks the files, and
<code>openssl pkeyutl -verify -pubin -inkey public-key.pem -rawin -in seal.json -sigfile seal.sig</code> checks the signature.
<code>seal.json</code> holds the SHA-256 of <code>manifest.json</code>, which holds the SHA-256 of every other file.</p>
<p>A valid signature proves that nothing changed since this pack was made by the owner of this public key:
<code>${escaped(publicKey)}</code>. Compare it with the key that the home gives you by another way.</p>
</body></html>
`;
}

function row(...cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function figure({ name }: PackedFile): string {
  return `<figure><img src="${escaped(name)}" alt=""><figcaption><code>${escaped(name)}</code></figcaption></figure>`;
}

function fileRow({ name, size, sha256, recorded, is_as_recorded, altered }: PackedFile): string {
  const path = recorded ? `<br>${escaped(recorded.path)}` : "";
  const note = altered ?? (is_as_recorded ? "The same bytes as when it arrived." : undefined);
  return row(
    `<a href="${escaped(name)}">${escaped(name)}</a>${path}${note ? `<br>${escaped(note)}` : ""}`,
    String(size),
    `<code>${sha256}</code>`,
  );
}

function missingPart(missing: readonly MissingFile[], timed: (text: string) => string): string {
  if (missing.length === 0) return "";
  const rows = missing.map(({ what, reason, noticed_at, recorded }) =>
    row(escaped(`${what} of ${recorded.path}`), timed(reason), timed(noticed_at), `<code>${recorded.sha256 ?? "not recorded"}</code>`),
  );
  return `<h2>What is missing</h2>
<table><tr><th>File</th><th>Why</th><th>Noticed</th><th>SHA-256 at its arrival</th></tr>${rows.join("")}</table>`;
}

/** Returns a function that writes a text for a person: "28 November 2026, 15:35:00" instead of each time, with that time small beside it. */
function timesIn(zone: string): (text: string) => string {
  const written = new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "long", timeStyle: "medium" });
  return (text) =>
    escaped(text).replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (exact) => {
      const time = written.format(new Date(exact)).replace(" at ", ", ");
      return `<time datetime="${exact}">${time}</time> <small>${exact}</small>`;
    });
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
