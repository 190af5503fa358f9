import { resolve } from "node:path";
import { pluralize } from "../../src/base/text/format.ts";
import { Problem } from "../../src/contract/problem.ts";
import { readingReason } from "../../src/platform/disk/file-reason.ts";
import { recordCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { text } from "../input/options.ts";
import type { Io } from "../io.ts";
import type { View } from "../output/view.ts";

type Verification = Awaited<ReturnType<typeof import("../../src/admin/evidence/verify.ts").verifyPack>>;
type Finding = Verification["findings"][number];

/** The result of checking a pack, as the command prints it. */
export interface Verified {
  readonly file: string;
  readonly is_unchanged: boolean;
  readonly event_id: number | null;
  readonly camera: string | null;
  readonly created_at: string | null;
  readonly public_key: string | null;
  readonly sha256: string;
  readonly file_count: number;
  readonly missing: readonly { readonly what: string; readonly path: string; readonly reason: string }[];
  readonly findings: readonly Finding[];
}

const textOf = ({ file, message }: Finding): string => `${file}: ${message}`;

const verifiedView: View<Verified> = {
  plural: "packs",
  fields: () => [
    ...["file", "is_unchanged", "event_id", "camera", "created_at", "public_key", "sha256", "file_count", "missing", "findings"],
  ],
  id: ({ file }) => file,
  columns: [],
  details: ({ file, is_unchanged, event_id, camera, created_at, public_key, sha256, file_count, findings }) => [
    ["pack", { text: file, paint: "bold" }],
    ["result", is_unchanged ? { text: "unchanged", paint: "green" } : { text: pluralize(findings.length, "finding"), paint: "red" }],
    ...(event_id === null ? [] : [["event", { text: `${event_id} at ${camera}` }] as const]),
    ...(created_at === null ? [] : [["made", { text: created_at }] as const]),
    ["files", { text: String(file_count) }],
    ["signed by", { text: public_key ?? "cannot be read" }],
    ["SHA-256", { text: sha256 }],
  ],
  more: ({ findings, missing }) =>
    [...findings.map(textOf), ...missing.map(({ what, path, reason }) => `left out when it was made: ${what} of ${path}: ${reason}`)].join(
      "\n",
    ),
};

/** Checks a pack on this machine alone. */
export const verifyEvidence = recordCommand({
  name: "evidence verify",
  summary: "Check that an evidence pack is unchanged",
  description:
    "Checks the signature and every file of a pack, and names the bytes that differ. It needs no daemon, database or settings. Exits with 0 if nothing changed, 7 if something did or another key signed it, 1 if the file is no pack or unsafe to read, and 2 if it does not exist.",
  arguments: { file: textArgument("Evidence pack, a ZIP file") },
  options: { key: text("key", "Public key that must have signed it, as text or a file") },
  examples: [
    { command: "homesec evidence verify homesec-event-42.zip", note: "is anything changed, missing or added?" },
    {
      command: "homesec evidence verify homesec-event-42.zip --key 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
      note: "is it from this home?",
    },
  ],
  view: verifiedView,
  record: (io, { arguments: { file }, options: { key } }) => verified(io, file, key),
  note: ({ is_unchanged, public_key }, { options: { key } }) =>
    is_unchanged && key === undefined
      ? `unchanged since it was made by the owner of the key ${public_key}; compare the key with \`homesec evidence key\` of that home, or name it with --key`
      : undefined,
  exitCode: ({ is_unchanged }) => (is_unchanged ? exitCodes.ok : exitCodes.findings),
});

/** Checks a pack. Throws `Problem`: `invalid` without the file, `unavailable` if it is no pack or cannot be read. */
export async function verified(io: Io, given: string, key: string | undefined): Promise<Verified> {
  const { PackFault, sha256Of, verifyPack } = await import("../../src/admin/evidence/verify.ts");
  const file = resolve(io.host.cwd, given);
  const publicKey = key === undefined ? undefined : await readKey(io, key);
  try {
    const { is_unchanged, manifest, public_key, findings } = await verifyPack(file, { key: publicKey });
    return {
      ...{ file, is_unchanged, event_id: manifest?.event.id ?? null, camera: manifest?.event.camera ?? null },
      ...{ created_at: manifest?.created_at ?? null, public_key, sha256: await sha256Of(file), file_count: manifest?.files.length ?? 0 },
      missing: (manifest?.missing ?? []).map(({ what, reason, recorded }) => ({ what, path: recorded.path, reason })),
      findings,
    };
  } catch (cause) {
    if (cause instanceof PackFault) throw new Problem("unavailable", `${given} cannot be verified: ${cause.message}`, { cause });
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    const kind = code === "ENOENT" || code === "ENOTDIR" ? "invalid" : "unavailable";
    throw new Problem(kind, `${given} cannot be verified: ${readingReason(cause)}`, { cause });
  }
}

/** Reads a key from the command line, or from a file that it names. */
async function readKey({ host }: Io, given: string): Promise<string> {
  const [{ readPublicKey }, { readFile, stat }] = await Promise.all([
    import("../../src/admin/evidence/signing-key.ts"),
    import("node:fs/promises"),
  ]);
  const path = resolve(host.cwd, given);
  const isFile = await stat(path).then(
    (found) => found.isFile() && found.size < 64 * 1024,
    () => false,
  );
  const key = readPublicKey(given) ?? (isFile ? readPublicKey(await readFile(path, "utf8")) : undefined);
  if (key !== undefined) return key;
  throw new Problem("invalid", `--key ${given}: must be a public key as \`homesec evidence key\` prints it, or a file with one`);
}
