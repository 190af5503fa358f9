import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { constants, createGzip, gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { backUp } from "../../src/admin/backup/backup.ts";
import { restore } from "../../src/admin/backup/restore.ts";
import { systemClock } from "../../src/base/clock/clock.ts";
import { Problem } from "../../src/contract/problem.ts";
import { contentsOf, fill } from "../admin/backup/tables.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { mutated } from "./bytes.ts";
import { holds, testTimeoutMs } from "./support.ts";

const folder = temporaryFolder("backups");
const file = join(folder.path, "home.backup");
let home: TestDatabase;
let whole: Buffer;
let text: string;
let before: Record<string, string>;

beforeAll(async () => {
  home = await testDatabase();
  await fill(home.db, { events: 8, detectionsEach: 1 });
  await backUp({ db: home.db, path: file, replace: false, host: "home", cameraRoot: "/srv/cameras", version: "1.2.3", clock: systemClock });
  whole = await readFile(file);
  text = gunzipSync(whole).toString("latin1");
  before = await contentsOf(home.db);
});
afterAll(async () => {
  await home.close();
  await folder.remove();
});

/** Detects changed rows without reading them: each transaction marks the rows it writes. */
async function marks(): Promise<unknown> {
  const [row] = await home.db.query(
    (sql) => sql`
      select 'events'::regclass::oid as oid, count(*) as events, max(e.xmin::text::bigint) as newest, (select count(*) from detections) as detections
      from events e
    `,
  );
  return { ...row };
}

/**
 * Restores a file over the current data. Either it is rejected with a reason and changes nothing, or the content is the same as before.
 */
async function check(bytes: Buffer): Promise<void> {
  await writeFile(file, bytes);
  const marksBefore = await marks();
  try {
    await restore({ db: home.db, path: file, replace: true, alone: true, clock: systemClock });
    expect(await contentsOf(home.db)).toEqual(before);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    expect(["invalid", "conflict", "unavailable"]).toContain(error.kind);
    expect(error.message).not.toBe("");
    expect(await marks()).toEqual(marksBefore);
  }
}

test(
  "fuzz backups: a file changed on disk is rejected, and the database stays unchanged",
  async () => {
    await holds(mutated({ whole }), { few: 25, many: 3_000 }, ({ bytes }) => check(bytes));
  },
  testTimeoutMs,
);

test(
  "fuzz backups: a file with changed content is rejected, and the database stays unchanged",
  async () => {
    const content = { content: Buffer.from(text, "latin1"), end: Buffer.from(text.slice(-20_000), "latin1") };
    await holds(mutated(content), { few: 25, many: 3_000 }, ({ bytes }) => check(gzipSync(bytes)));
  },
  testTimeoutMs,
);

/* An attacker with write access can also recompute the checksums. */

interface Parts {
  header: Record<string, unknown>;
  tables: { start: Record<string, unknown>; rows: string }[];
  manifest: Record<string, unknown> & { manifest: Record<string, unknown> };
}

function partsOf(content: string): Parts {
  const lines = content.split("\n");
  const header = JSON.parse(lines.shift() ?? "") as Record<string, unknown>;
  const tables: Parts["tables"] = [];
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const value = JSON.parse(Buffer.from(line, "latin1").toString()) as Parts["manifest"];
    if ("manifest" in value) return { header, tables, manifest: value };
    const end = lines.indexOf("\\.");
    tables.push({
      start: value,
      rows: lines
        .splice(0, end)
        .map((row) => `${row}\n`)
        .join(""),
    });
    lines.shift();
  }
  throw new Error("no manifest");
}

/** The file with valid counts and checksums. */
function signed({ header, tables, manifest }: Parts): Buffer {
  const counts = Object.fromEntries(
    tables.map(({ start, rows }) => {
      const bytes = Buffer.from(rows, "latin1");
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      return [String(start["table"]), { rows: rows.split("\n").length - 1, bytes: bytes.length, sha256 }];
    }),
  );
  const body = Buffer.from(
    `${JSON.stringify(header)}\n${tables.map(({ start, rows }) => `${JSON.stringify(start)}\n${rows}\\.\n`).join("")}`,
    "latin1",
  );
  const sha256 = createHash("sha256").update(body).digest("hex");
  return gzipSync(Buffer.concat([body, Buffer.from(`${JSON.stringify({ ...manifest, manifest: counts, sha256 })}\n`)]));
}

const cell = fc.constantFrom(
  "\\N",
  "",
  "x",
  "-1",
  "99999999999999999999",
  "\\x00",
  "{",
  "{}",
  "'; drop table events; --",
  "\\",
  "\\u0000",
  "\u00ff",
  "\t",
  "infinity",
);
const oddName = fc.constantFrom("events", "pg_class", "pg_catalog.pg_class", "", 'a"b', "events;", "x".repeat(3_000), "\0", "journal_head");
const lie = fc.oneof(
  fc.record({ what: fc.constant("cell" as const), table: fc.nat({ max: 100 }), at: fc.nat({ max: 1_000 }), cell }),
  fc.record({ what: fc.constant("columns" as const), table: fc.nat({ max: 100 }), at: fc.nat({ max: 100 }), cell: oddName }),
  fc.record({ what: fc.constant("name" as const), table: fc.nat({ max: 100 }), at: fc.constant(0), cell: oddName }),
  fc.record({ what: fc.constant("sequence" as const), table: fc.nat({ max: 100 }), at: fc.nat({ max: 2 }), cell: fc.oneof(oddName, cell) }),
  fc.record({ what: fc.constant("version" as const), table: fc.nat({ max: 100 }), at: fc.constantFrom(0, 1, 2, 15, 999, 2 ** 40), cell }),
  fc.record({ what: fc.constant("twice" as const), table: fc.nat({ max: 100 }), at: fc.constant(0), cell }),
);

function applied(parts: Parts, { what, table, at, cell: value }: { what: string; table: number; at: number; cell: string }): Parts {
  const one = parts.tables[table % parts.tables.length] as Parts["tables"][number];
  switch (what) {
    case "cell": {
      const cells = one.rows.split(/([\t\n])/);
      cells[(at * 2) % cells.length] = value;
      one.rows = cells.join("").replace(/[^\n]$/, "$&\n");
      break;
    }
    case "columns": {
      const columns = [...(one.start["columns"] as string[])];
      columns[at % columns.length] = value;
      one.start = { ...one.start, columns };
      break;
    }
    case "name":
      one.start = { ...one.start, table: value };
      break;
    case "sequence": {
      const sequences = structuredClone(parts.manifest["sequences"]) as Record<string, unknown>[];
      const sequence = sequences[table % sequences.length] as Record<string, unknown>;
      sequence[["table", "column", "last_value"][at] as string] = value;
      parts.manifest["sequences"] = sequences;
      break;
    }
    case "version": {
      const migrations = structuredClone(parts.header["migrations"]) as Record<string, unknown>[];
      (migrations[table % migrations.length] as Record<string, unknown>)["version"] = at;
      parts.header["migrations"] = migrations;
      break;
    }
    case "twice":
      one.rows += one.rows;
      break;
  }
  return parts;
}

test.each([
  ["a column of another table", "table", "events"],
  ["a column that is not there", "column", "nothing"],
  ["a number that is too large", "last_value", "99999999999999999999"],
])("fuzz backups: a file with %s as a sequence value is rejected", async (_what, key, value) => {
  const parts = partsOf(text);
  const [first, ...others] = parts.manifest["sequences"] as Record<string, unknown>[];
  await writeFile(file, signed({ ...parts, manifest: { ...parts.manifest, sequences: [{ ...first, [key]: value }, ...others] } }));
  const marksBefore = await marks();
  await expect(restore({ db: home.db, path: file, replace: true, alone: true, clock: systemClock })).rejects.toBeInstanceOf(Problem);
  expect(await marks()).toEqual(marksBefore);
});

test(
  "fuzz backups: a forged file with valid checksums is rejected or restored completely",
  async () => {
    const lies = fc.array(lie, { minLength: 1, maxLength: 2 });
    let count = 0;
    await holds(lies, { few: 3, many: 400 }, async (changes) => {
      count += 1;
      // hundreds of restores leave more dropped tables in the catalog than autovacuum removes, and become slow
      if (count % 25 === 0) await home.db.query((sql) => sql`vacuum`);
      await writeFile(file, signed(changes.reduce(applied, partsOf(text))));
      const marksBefore = await marks();
      try {
        await restore({ db: home.db, path: file, replace: true, alone: true, clock: systemClock });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        expect(error.message).not.toBe("");
        expect(await marks()).toEqual(marksBefore);
        return;
      }
      // the forged values are valid, so the original data is restored over them
      await check(whole);
    });
  },
  testTimeoutMs,
);

test(
  "fuzz backups: a small file with an endless row is rejected before it fills the memory",
  async () => {
    const { header } = partsOf(text);
    const gzip = createGzip({ level: constants.Z_BEST_SPEED });
    const size = 2_000_000_000;
    const piece = Buffer.alloc(4_000_000, "x");
    const chunks: Buffer[] = [];
    gzip.on("data", (chunk: Buffer) => chunks.push(chunk));
    gzip.write(`${JSON.stringify(header)}\n{"table":"events","columns":["event_id"]}\n`);
    for (let sent = 0; sent < size / (process.env["FUZZ"] === "long" ? 1 : 10); sent += piece.length) {
      await new Promise<void>((resolve) => {
        gzip.write(piece, () => resolve());
      });
    }
    await new Promise<void>((resolve) => {
      gzip.end(() => resolve());
    });
    await writeFile(file, Buffer.concat(chunks));
    const peakBefore = process.resourceUsage().maxRSS;
    await expect(restore({ db: home.db, path: file, replace: true, alone: true, clock: systemClock })).rejects.toThrow(Problem);
    expect((process.resourceUsage().maxRSS - peakBefore) / 1_024).toBeLessThan(500);
    expect(await contentsOf(home.db)).toEqual(before);
  },
  testTimeoutMs,
);
