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
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#111}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .5rem;border-bottom:1px solid #ccc}
code,pre{font:13px/1.5 ui-monospace,monospace;overflow-wrap:anywhere;white-space:pre-wrap}
.pictures{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0;width:320px}img{max-width:100%}@media print{body{margin:0}}`;

/** Writes the page that anyone opens in a browser, without homesec and without a network. */
export function indexPage({ title, facts, summary, files, missing, log, clocks, publicKey }: PageFacts): string {
  const thumbnails = files.filter(({ name }) => name.startsWith("thumbnails/"));
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${style}</style></head>
<body>
<h1>${escaped(title)}</h1>
<p>${escaped(summary)}</p>
<table>${facts.map(([name, value]) => row(escaped(name), escaped(value))).join("")}</table>
<h2>Pictures</h2>
<p>The small pictures have boxes and labels that homesec drew. The files in the folder <code>originals</code> have none.</p>
<div class="pictures">${thumbnails.map(figure).join("")}</div>
${missingPart(missing)}
<h2>What happened</h2>
<pre>${escaped(log.join("\n"))}</pre>
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

function missingPart(missing: readonly MissingFile[]): string {
  if (missing.length === 0) return "";
  const rows = missing.map(({ what, reason, noticed_at, recorded }) =>
    row(escaped(`${what} of ${recorded.path}`), escaped(reason), escaped(noticed_at), `<code>${recorded.sha256 ?? "not recorded"}</code>`),
  );
  return `<h2>What is missing</h2>
<table><tr><th>File</th><th>Why</th><th>Noticed</th><th>SHA-256 at its arrival</th></tr>${rows.join("")}</table>`;
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
