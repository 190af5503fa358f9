import { open } from "node:fs/promises";
import type { z } from "zod";
import { type RandomAccess, readDirectory, readFileIn, ZipFault, type ZippedFile } from "../../platform/archive/read-zip.ts";
import { type ByteRange, compare, type Hashes } from "./blocks.ts";
import { faultsOf } from "./chain.ts";
import { largest, Manifest, Seal, sealed } from "./manifest.ts";
import { isSignedBy } from "./signing-key.ts";

/** Pictures do not shrink at all, and texts by less than this. */
const mostRatio = 100;
const freeBytes = 1024 * 1024;

/** A fault of one file of a pack. */
export interface Finding {
  readonly file: string;
  readonly kind: "changed" | "missing" | "added" | "signature" | "other_key" | "chain";
  /** The bytes that differ, both ends included; empty if the whole file is missing or added. */
  readonly ranges: readonly ByteRange[];
  readonly message: string;
}

/** The result of checking a pack. */
export interface Verification {
  readonly is_unchanged: boolean;
  /** Null if it cannot be read. */
  readonly manifest: Manifest | null;
  readonly public_key: string | null;
  readonly findings: readonly Finding[];
}

/** The file is no evidence pack, or unsafe to read. The message says why. */
export class PackFault extends Error {
  override name = "PackFault";
}

interface Opened {
  readonly source: RandomAccess;
  readonly files: ReadonlyMap<string, ZippedFile>;
}

/**
 * Checks the signature and every file of a pack, with bounded memory, without a database or a daemon. `key`: the public key that must have
 * signed it. Throws `PackFault`, and what opening a file throws.
 */
export async function verifyPack(path: string, { key }: { readonly key?: string | undefined } = {}): Promise<Verification> {
  await using file = await open(path);
  const stat = await file.stat();
  if (!stat.isFile()) throw new PackFault("it is no regular file");
  const source: RandomAccess = {
    size: stat.size,
    read: async (at, length) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, Math.min(length, stat.size - at))), 0, null, at);
      return buffer.subarray(0, bytesRead);
    },
  };
  try {
    const files = new Map((await readDirectory(source)).map((each) => [each.name, each]));
    return await verifyOpened({ source, files }, key);
  } catch (error) {
    throw error instanceof ZipFault ? new PackFault(error.message, { cause: error }) : error;
  }
}

async function verifyOpened(pack: Opened, key: string | undefined): Promise<Verification> {
  if (!pack.files.has(sealed.manifest) && !pack.files.has(sealed.seal)) {
    throw new PackFault(`it is no evidence pack: it contains neither ${sealed.manifest} nor ${sealed.seal}`);
  }
  const findings: Finding[] = [];
  const sealBytes = await small(pack, sealed.seal, largest.seal, findings);
  const signature = await small(pack, sealed.signature, largest.signature, findings);
  const manifestBytes = await small(pack, sealed.manifest, largest.manifest, findings);
  const seal = sealBytes && parsed(Seal, sealBytes);
  const manifest = manifestBytes && parsed(Manifest, manifestBytes);
  const publicKey = seal?.public_key ?? manifest?.public_key;
  if (sealBytes && signature) findings.push(...signatureFindings(sealBytes, seal, signature, publicKey));
  if (key !== undefined && publicKey !== undefined && key !== publicKey) {
    const message = `it is signed by the key ${publicKey}, and not by ${key}`;
    findings.push({ file: sealed.seal, kind: "other_key", ranges: [], message });
  }
  if (manifestBytes && seal) findings.push(...(await manifestFindings(manifestBytes, manifest, seal)));
  if (manifest) findings.push(...(await fileFindings(pack, manifest)), ...chainFindings(manifest));
  if (manifestBytes && !manifest) {
    const message = "cannot be read, so the other files cannot be checked";
    if (!findings.some(({ file }) => file === sealed.manifest)) findings.push(wholeFile(sealed.manifest, manifestBytes, message));
  }
  return { is_unchanged: findings.length === 0, manifest: manifest ?? null, public_key: publicKey ?? null, findings };
}

/** Reads one of the files that describe the pack. Throws `PackFault` if it is larger than any pack has it. */
async function small(pack: Opened, name: string, most: number, findings: Finding[]): Promise<Buffer | undefined> {
  const file = pack.files.get(name);
  if (!file) {
    findings.push({ file: name, kind: "missing", ranges: [], message: "is missing" });
    return undefined;
  }
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of readFileIn(pack.source, file)) {
      size += part.length;
      if (size > most) throw new PackFault(`${name} has more than ${most} bytes, and no pack has that much of it`);
      parts.push(part);
    }
  } catch (error) {
    if (!(error instanceof ZipFault)) throw error;
    findings.push({ file: name, kind: "changed", ranges: [], message: `cannot be unpacked: ${error.message}` });
    return undefined;
  }
  return Buffer.concat(parts);
}

function parsed<T>(schema: z.ZodType<T>, bytes: Buffer): T | undefined {
  try {
    return schema.safeParse(JSON.parse(bytes.toString("utf8"))).data;
  } catch {
    return undefined;
  }
}

function wholeFile(file: string, bytes: Buffer, message: string): Finding {
  return { file, kind: "changed", ranges: [{ from: 0, to: Math.max(0, bytes.length - 1) }], message };
}

function signatureFindings(sealBytes: Buffer, seal: Seal | undefined, signature: Buffer, publicKey: string | undefined): Finding[] {
  if (!seal) return [wholeFile(sealed.seal, sealBytes, "cannot be read")];
  if (publicKey !== undefined && isSignedBy(publicKey, sealBytes, signature)) return [];
  const message = `the signature does not fit: ${sealed.seal} (bytes 0-${sealBytes.length - 1}) or ${sealed.signature} (bytes 0-${Math.max(0, signature.length - 1)}) was changed, or another key signed it`;
  return [{ file: sealed.signature, kind: "signature", ranges: [{ from: 0, to: Math.max(0, signature.length - 1) }], message }];
}

async function manifestFindings(bytes: Buffer, manifest: Manifest | undefined, seal: Seal): Promise<readonly Finding[]> {
  const finding = await differenceOf(sealed.manifest, inMemory(bytes), seal.manifest);
  if (finding) return [finding];
  if (!manifest)
    return [wholeFile(sealed.manifest, bytes, "is signed, but not as this version of homesec writes it; verify it with a newer one")];
  if (manifest.public_key === seal.public_key) return [];
  return [{ file: sealed.seal, kind: "signature", ranges: [], message: `names another public key than ${sealed.manifest}` }];
}

function chainFindings({ chain }: Manifest): readonly Finding[] {
  return faultsOf(chain).map((message) => ({ file: sealed.manifest, kind: "chain", ranges: [], message }));
}

async function* inMemory(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function fileFindings({ source, files }: Opened, manifest: Manifest): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const expected = new Map(manifest.files.map((each) => [each.name, each]));
  for (const { name, ...hashes } of expected.values()) {
    const file = files.get(name);
    if (!file) {
      findings.push({ file: name, kind: "missing", ranges: [], message: "is missing" });
      continue;
    }
    if (hashes.size > mostRatio * file.packedSize + freeBytes) {
      throw new PackFault(`${name} claims ${hashes.size} bytes in ${file.packedSize} packed ones, as in a ZIP bomb`);
    }
    const finding = await differenceOf(name, readFileIn(source, file), hashes);
    if (finding) findings.push(finding);
  }
  const own = new Set<string>(Object.values(sealed));
  for (const name of files.keys()) {
    // Other programs add entries for folders
    if (!expected.has(name) && !own.has(name) && !name.endsWith("/")) {
      findings.push({ file: name, kind: "added", ranges: [], message: "is not in the manifest: someone added it" });
    }
  }
  return findings;
}

async function differenceOf(name: string, parts: AsyncIterable<Uint8Array>, hashes: Hashes): Promise<Finding | undefined> {
  const { difference, fault } = await compare(parts, hashes);
  if (fault && !(fault instanceof ZipFault)) throw fault;
  if (!difference) return undefined;
  const { ranges, missingBytes, hasMore } = difference;
  const texts = [
    ...(ranges.length > 0 ? [`${ranges.map(({ from, to }) => `${from}-${to}`).join(", ")} of ${hashes.size} bytes differ`] : []),
    ...(missingBytes > 0 ? [`${missingBytes} bytes at the end are missing`] : []),
    ...(hasMore ? [`there is more after its ${hashes.size} bytes`] : []),
    ...(fault ? [fault.message] : []),
  ];
  return { file: name, kind: "changed", ranges, message: texts.join("; ") };
}

/** Returns the SHA-256 of a file in hexadecimal, for comparing a pack with the list of packs. */
export async function sha256Of(path: string): Promise<string> {
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  await using file = await open(path);
  for await (const part of file.createReadStream({ autoClose: false })) hash.update(part as Buffer);
  return hash.digest("hex");
}
