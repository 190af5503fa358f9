import { pipeline } from "node:stream/promises";
import { crc32, createDeflateRaw } from "node:zlib";

/** A file in an archive. Its parts are read once all earlier ones are written. */
export interface ZipEntry {
  readonly name: string;
  readonly parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Keeps the bytes as they are: for pictures, which get no smaller, and so that a changed byte changes one byte of the file. */
  readonly isPlain?: true;
}

interface Written {
  readonly name: Buffer;
  readonly checksum: number;
  readonly packedSize: number;
  readonly size: number;
  readonly offset: number;
}

/** Maximum size of a file in an archive, in bytes: not every program reads larger sizes. */
export const largestEntry = 0xffff_fffe;
/** Placeholder for a number of more than 32 bits, which follows in another field. */
const elsewhere = 0xffff_ffff;

/** Slightly larger files in a third of the time. */
const level = 3;

/**
 * Yields a ZIP archive of any size, compressed while it is read, in constant memory. Throws if a file in it is larger than
 * `largestEntry`.
 */
export async function* zip(entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const directory: Written[] = [];
  let offset = 0;
  for await (const entry of entries) {
    const name = Buffer.from(entry.name);
    const head = localHeader(name);
    yield head;
    const tally = { checksum: 0, size: 0 };
    let packedSize = 0;
    for await (const part of deflated(entry, tally)) {
      packedSize += part.length;
      yield part;
    }
    const tail = descriptor(tally.checksum, packedSize, tally.size);
    yield tail;
    directory.push({ name, ...tally, packedSize, offset });
    offset += head.length + packedSize + tail.length;
  }
  const records = directory.map(directoryRecord);
  yield* records;
  yield endOfDirectory(
    records.length,
    records.reduce((sum, record) => sum + record.length, 0),
    offset,
  );
}

async function* deflated(entry: ZipEntry, tally: { checksum: number; size: number }): AsyncGenerator<Buffer> {
  const count = async function* () {
    for await (const part of entry.parts) {
      tally.checksum = crc32(part, tally.checksum);
      tally.size += part.length;
      if (tally.size > largestEntry) throw new Error(`${entry.name} is larger than a file in this kind of archive may be`);
      yield part;
    }
  };
  const packer = createDeflateRaw({ level: entry.isPlain ? 0 : level });
  const feeding = pipeline(count, packer);
  try {
    // A failure of the parts destroys the packer and is thrown here
    for await (const part of packer) yield part as Buffer;
  } finally {
    packer.destroy();
    await Promise.allSettled([feeding]);
  }
}

const needsVersion = 20;
const needsVersion64 = 45;
/** The sizes follow the data; the name is UTF-8. */
const flags = 0x0808;
const methodDeflate = 8;
/** 1980-01-01: the same content results in the same file. */
const date = 0x0021;

function localHeader(name: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(needsVersion, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(methodDeflate, 8);
  header.writeUInt16LE(date, 12);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

function descriptor(checksum: number, packedSize: number, size: number): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt32LE(0x08074b50, 0);
  record.writeUInt32LE(checksum, 4);
  record.writeUInt32LE(packedSize, 8);
  record.writeUInt32LE(size, 12);
  return record;
}

function directoryRecord({ name, checksum, packedSize, size, offset }: Written): Buffer {
  const extra = offset < elsewhere ? Buffer.alloc(0) : Buffer.alloc(12);
  if (extra.length > 0) {
    extra.writeUInt16LE(0x0001, 0);
    extra.writeUInt16LE(8, 2);
    extra.writeBigUInt64LE(BigInt(offset), 4);
  }
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(needsVersion64, 4);
  record.writeUInt16LE(extra.length > 0 ? needsVersion64 : needsVersion, 6);
  record.writeUInt16LE(flags, 8);
  record.writeUInt16LE(methodDeflate, 10);
  record.writeUInt16LE(date, 14);
  record.writeUInt32LE(checksum, 16);
  record.writeUInt32LE(packedSize, 20);
  record.writeUInt32LE(size, 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(extra.length, 30);
  record.writeUInt32LE(Math.min(offset, elsewhere), 42);
  return Buffer.concat([record, name, extra]);
}

function endOfDirectory(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(Math.min(offset, elsewhere), 16);
  if (offset < elsewhere) return end;
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x06064b50, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeUInt16LE(needsVersion64, 12);
  end64.writeUInt16LE(needsVersion64, 14);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(size), 40);
  end64.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + size), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([end64, locator, end]);
}
