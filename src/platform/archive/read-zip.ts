import { pipeline } from "node:stream/promises";
import { createInflateRaw } from "node:zlib";

/** Something with bytes at positions, such as an open file. */
export interface RandomAccess {
  readonly size: number;
  /** Reads bytes; fewer only at the end. */
  read(at: number, length: number): Promise<Buffer>;
}

/** A file in an archive. */
export interface ZippedFile {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly packedSize: number;
  /** Position of its local header. */
  readonly offset: number;
}

/** The archive is broken, or unsafe to read. The message says why. */
export class ZipFault extends Error {
  override name = "ZipFault";
}

const limits = { entries: 20_000, directoryBytes: 16 * 1024 * 1024, nameBytes: 512 } as const;
const chunkBytes = 64 * 1024;
const [endBytes, end64Bytes, locatorBytes, recordBytes, localBytes] = [22, 56, 20, 46, 30];
const mostComment = 0xffff;
const [elsewhere16, elsewhere32] = [0xffff, 0xffff_ffff];

/**
 * Lists the files in a ZIP archive of any origin, with bounded memory. Throws `ZipFault` for archives that are broken, encrypted, split or
 * too large, whose names lead out of a folder or appear twice, or whose files overlap, as those of a ZIP bomb do.
 */
export async function readDirectory(source: RandomAccess): Promise<readonly ZippedFile[]> {
  const { count, size, offset } = await findDirectory(source);
  if (count > limits.entries) throw new ZipFault(`it claims ${count} files; ${limits.entries} are the limit`);
  if (size > limits.directoryBytes) throw new ZipFault(`its directory claims ${size} bytes; ${limits.directoryBytes} are the limit`);
  if (offset + size > source.size) throw new ZipFault("its end is missing, or its directory is damaged");
  const directory = await source.read(offset, size);
  const files: ZippedFile[] = [];
  let at = 0;
  while (at < directory.length) {
    const { file, length } = recordAt(directory, at);
    files.push(file);
    at += length;
    if (files.length > count) break;
  }
  if (files.length !== count) throw new ZipFault(`its directory lists ${files.length} files and its end says ${count}`);
  requireApart(files, offset);
  return files;
}

/** Yields the content of a file in the archive. Throws `ZipFault` if it cannot be unpacked; the caller limits how much it takes. */
export async function* readFileIn(source: RandomAccess, file: ZippedFile): AsyncGenerator<Buffer> {
  const header = await source.read(file.offset, localBytes);
  if (header.length < localBytes || header.readUInt32LE(0) !== 0x04034b50) throw new ZipFault("its header is damaged");
  const nameLength = header.readUInt16LE(26);
  const name = (await source.read(file.offset + localBytes, nameLength)).toString("utf8");
  if (name !== file.name) throw new ZipFault(`its header names another file: ${JSON.stringify(name.slice(0, 80))}`);
  const start = file.offset + localBytes + nameLength + header.readUInt16LE(28);
  const packed = packedParts(source, start, file.packedSize);
  if (!file.isDeflated) return yield* packed;
  const unpacker = createInflateRaw();
  const feeding = pipeline(packed, unpacker);
  try {
    for await (const part of unpacker) yield part as Buffer;
  } catch (cause) {
    throw cause instanceof ZipFault ? cause : new ZipFault("its compressed content is damaged", { cause });
  } finally {
    unpacker.destroy();
    await Promise.allSettled([feeding]);
  }
}

async function* packedParts(source: RandomAccess, start: number, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const part = await source.read(start + at, Math.min(chunkBytes, size - at));
    if (part.length === 0) throw new ZipFault("the archive ends in the middle of it");
    at += part.length;
    yield part;
  }
}

interface Directory {
  readonly count: number;
  readonly size: number;
  readonly offset: number;
}

async function findDirectory(source: RandomAccess): Promise<Directory> {
  const tailBytes = Math.min(source.size, endBytes + mostComment);
  const tail = await source.read(source.size - tailBytes, tailBytes);
  let at = tail.length - endBytes;
  while (at >= 0 && !(tail.readUInt32LE(at) === 0x06054b50 && tail.readUInt16LE(at + 20) === tail.length - at - endBytes)) at -= 1;
  if (at < 0) throw new ZipFault("it is no ZIP archive, or its end is missing");
  if (tail.readUInt16LE(at + 4) !== 0 || tail.readUInt16LE(at + 6) !== 0) throw new ZipFault("it is one part of a split archive");
  const [count, size, offset] = [tail.readUInt16LE(at + 10), tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
  if (count !== elsewhere16 && size !== elsewhere32 && offset !== elsewhere32) return { count, size, offset };
  return await findLargeDirectory(source, source.size - tail.length + at);
}

async function findLargeDirectory(source: RandomAccess, end: number): Promise<Directory> {
  const fault = new ZipFault("its directory is damaged");
  if (end < locatorBytes) throw fault;
  const locator = await source.read(end - locatorBytes, locatorBytes);
  if (locator.readUInt32LE(0) !== 0x07064b50) throw fault;
  const record = await source.read(numberAt(locator, 8), end64Bytes);
  if (record.length < end64Bytes || record.readUInt32LE(0) !== 0x06064b50) throw fault;
  return { count: numberAt(record, 32), size: numberAt(record, 40), offset: numberAt(record, 48) };
}

/** Reads a number of 64 bits. A position beyond any file is the largest safe integer, which later checks refuse. */
function numberAt(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}

function recordAt(directory: Buffer, at: number): { readonly file: ZippedFile; readonly length: number } {
  const fault = new ZipFault("its directory is damaged");
  if (at + recordBytes > directory.length || directory.readUInt32LE(at) !== 0x02014b50) throw fault;
  const [flags, method] = [directory.readUInt16LE(at + 8), directory.readUInt16LE(at + 10)];
  const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field)) as [
    number,
    number,
    number,
  ];
  const length = recordBytes + nameLength + extraLength + commentLength;
  if (at + length > directory.length) throw fault;
  const name = directory.toString("utf8", at + recordBytes, at + recordBytes + nameLength);
  if (flags & 0x0001) throw new ZipFault(`${quoted(name)} is encrypted`);
  if (method !== 0 && method !== 8) throw new ZipFault(`${quoted(name)} is compressed by an unknown method (${method})`);
  requireSafe(name, nameLength);
  const extra = directory.subarray(at + recordBytes + nameLength, at + recordBytes + nameLength + extraLength);
  const [packed, unpacked, offset] = [20, 24, 42].map((field) => directory.readUInt32LE(at + field)) as [number, number, number];
  const large = largeNumbers(extra, [unpacked, packed, offset]);
  return { file: { name, isDeflated: method === 8, packedSize: large[1], offset: large[2] }, length };
}

/** Replaces the numbers that do not fit in 32 bits by those of the extra field for them. */
function largeNumbers(extra: Buffer, numbers: readonly [number, number, number]): [number, number, number] {
  const found = [...numbers] as [number, number, number];
  if (!found.includes(elsewhere32)) return found;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 0x0001) continue;
    let field = at + 4;
    for (const [index, number] of numbers.entries()) {
      if (number !== elsewhere32) continue;
      if (field + 8 > Math.min(extra.length, at + 4 + extra.readUInt16LE(at + 2))) throw new ZipFault("its directory is damaged");
      found[index] = numberAt(extra, field);
      field += 8;
    }
  }
  return found;
}

function requireSafe(name: string, bytes: number): void {
  if (bytes > limits.nameBytes) throw new ZipFault(`a name in it has ${bytes} bytes; ${limits.nameBytes} are the limit`);
  const parts = name.replace(/\/$/, "").split("/");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no name of a file needs them, and terminals obey them
  if (name === "" || /[\u0000-\u001f\u007f\\\ufffd]/.test(name) || parts.some((part) => part === "" || part === "." || part === "..")) {
    throw new ZipFault(`it contains the unsafe file name ${quoted(name)}`);
  }
}

function requireApart(files: readonly ZippedFile[], directory: number): void {
  const names = new Set<string>();
  let end = 0;
  for (const { name, offset, packedSize } of files.toSorted((one, other) => one.offset - other.offset)) {
    if (names.has(name)) throw new ZipFault(`it contains ${quoted(name)} twice`);
    names.add(name);
    if (offset < end) throw new ZipFault(`${quoted(name)} overlaps another file, as in a ZIP bomb`);
    end = offset + localBytes + Buffer.byteLength(name) + packedSize;
    if (end > directory) throw new ZipFault(`${quoted(name)} reaches beyond the archive`);
  }
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 120 ? `${name.slice(0, 120)}…` : name);
}
