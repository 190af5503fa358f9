import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDirectory, readFileIn, ZipFault } from "../../../src/platform/archive/read-zip.ts";
import { zip } from "../../../src/platform/archive/zip.ts";

const accessTo = (bytes: Buffer) => ({ size: bytes.length, read: async (at: number, length: number) => bytes.subarray(at, at + length) });
const list = (bytes: Buffer) => readDirectory(accessTo(bytes));

async function archive(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of zip(Object.entries(files).map(([name, text]) => ({ name, parts: [Buffer.from(text)] })))) parts.push(part);
  return Buffer.concat(parts);
}

/** Changes a field of the first directory record, or of the end, by its position there. */
async function changed(where: "record" | "end", change: (bytes: Buffer, at: number) => void): Promise<Buffer> {
  const bytes = Buffer.from(await archive({ "a.txt": "aaaa", "b.txt": "bbbb" }));
  change(bytes, bytes.indexOf(Buffer.from(where === "record" ? "504b0102" : "504b0506", "hex")));
  return bytes;
}

describe("read zip: archives of any origin", () => {
  test("lists and unpacks what the writer packs, plain and compressed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 200_000 }), { maxLength: 5 }), fc.boolean(), async (contents, isPlain) => {
        const parts: Uint8Array[] = [];
        const entries = contents.map((bytes, at) => ({ name: `files/${at}`, parts: [bytes], ...(isPlain && { isPlain: true as const }) }));
        for await (const part of zip(entries)) parts.push(part);
        const source = accessTo(Buffer.concat(parts));
        const found: Buffer[] = [];
        for (const file of await readDirectory(source)) {
          const unpacked: Buffer[] = [];
          for await (const part of readFileIn(source, file)) unpacked.push(part);
          found.push(Buffer.concat(unpacked));
        }
        expect(found.map((bytes) => bytes.toString("base64"))).toEqual(contents.map((bytes) => Buffer.from(bytes).toString("base64")));
      }),
      { numRuns: 20 },
    );
  });

  test.each([
    ["nothing", Buffer.alloc(0), /no ZIP archive/],
    ["text", Buffer.from("this is none"), /no ZIP archive/],
    ["zeros", Buffer.alloc(100_000), /no ZIP archive/],
  ])("refuses %s", async (_, bytes, reason) => {
    await expect(list(bytes)).rejects.toThrow(reason);
  });

  test.each(["../escape", "/etc/passwd", "a/../../b", "a\\b", "a\u0000b", "a\nb", "./a", "a//b"])("refuses the name %j", async (name) => {
    await expect(archive({ [name]: "x" }).then(list)).rejects.toThrow(/unsafe file name/);
  });

  test("refuses names that are too long or appear twice", async () => {
    await expect(archive({ ["a".repeat(600)]: "x" }).then(list)).rejects.toThrow(/has 600 bytes/);
    const twice = await archive({ "a.txt": "a", "b.txt": "b" });
    for (let at = twice.indexOf("b.txt"); at !== -1; at = twice.indexOf("b.txt", at)) twice.write("a.txt", at);
    await expect(list(twice)).rejects.toThrow(/contains "a.txt" twice/);
  });

  test("refuses encrypted, split and unknown files, false counts, and files that overlap or reach beyond the archive", async () => {
    await expect(changed("record", (bytes, at) => bytes.writeUInt16LE(0x0809, at + 8)).then(list)).rejects.toThrow(/encrypted/);
    await expect(changed("record", (bytes, at) => bytes.writeUInt16LE(99, at + 10)).then(list)).rejects.toThrow(/unknown method/);
    await expect(changed("record", (bytes, at) => bytes.writeUInt32LE(5_000, at + 20)).then(list)).rejects.toThrow(/overlaps|beyond/);
    await expect(changed("record", (bytes, at) => bytes.writeUInt32LE(60, at + 42)).then(list)).rejects.toThrow(/overlaps|beyond/);
    await expect(changed("end", (bytes, at) => bytes.writeUInt16LE(1, at + 4)).then(list)).rejects.toThrow(/split/);
    await expect(changed("end", (bytes, at) => bytes.writeUInt16LE(60_000, at + 10)).then(list)).rejects.toThrow(/claims 60000 files/);
    await expect(changed("end", (bytes, at) => bytes.writeUInt32LE(0x7fff_ffff, at + 12)).then(list)).rejects.toThrow(/directory claims/);
    await expect(changed("end", (bytes, at) => bytes.writeUInt16LE(1, at + 10)).then(list)).rejects.toThrow(/its end says 1/);
  });

  test("a changed archive is read or refused with a reason, whatever changed", async () => {
    const whole = await archive({ "a.txt": "aaaa", "folder/b.txt": "b".repeat(5_000) });
    const patch = fc.tuple(fc.integer({ min: 0, max: whole.length - 1 }), fc.integer({ min: 0, max: 255 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(patch, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 0, max: whole.length }),
        async (patches, length) => {
          const bytes = Buffer.from(whole.subarray(0, length > whole.length / 2 ? whole.length : length));
          for (const [at, value] of patches) if (at < bytes.length) bytes[at] = value;
          try {
            const source = accessTo(bytes);
            for (const file of await readDirectory(source)) for await (const _ of readFileIn(source, file));
          } catch (error) {
            expect(error).toBeInstanceOf(ZipFault);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test("yields a file that unpacks to any size part by part, so that the reader can stop", async () => {
    const packed = deflateRawSync(Buffer.alloc(50_000_000));
    const bytes = Buffer.from(await archive({ bomb: "" }));
    const at = bytes.indexOf(Buffer.from("504b0102", "hex"));
    const data = 30 + 4;
    const bomb = Buffer.concat([bytes.subarray(0, data), packed, bytes.subarray(at)]);
    bomb.writeUInt32LE(packed.length, bomb.indexOf(Buffer.from("504b0102", "hex")) + 20);
    bomb.writeUInt32LE(data + packed.length, bomb.indexOf(Buffer.from("504b0506", "hex")) + 16);
    const source = accessTo(bomb);
    const [file] = await readDirectory(source);
    let read = 0;
    for await (const part of readFileIn(source, file as never)) {
      read += part.length;
      expect(part.length).toBeLessThanOrEqual(64 * 1024);
      if (read > 1_000_000) break;
    }
    expect(read).toBeLessThan(1_200_000);
  });
});
