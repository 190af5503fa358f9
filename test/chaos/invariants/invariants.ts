import type { Sql } from "../../../src/platform/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { lookAt, type Rows } from "../support/rows.ts";
import { patienceMs } from "../support/scale.ts";
import { picturesIn, tellOfFiles, withoutRow, wrongPictures } from "./files.ts";
import { forgotten, wrongMessages } from "./messages.ts";
import { wrongRows } from "./row-rules.ts";

/** Observations from outside that the rows must agree with. */
export interface Outside {
  /** The folder with the pictures of all cameras. */
  readonly cameraRoot?: string;
  /** Ids of events that the API acknowledged as stored. */
  readonly acknowledged?: Iterable<number>;
  /** Ids of all messages that mail servers and webhook targets received, once per receipt. */
  readonly arrived?: readonly string[];
}

/** Violations in words, and counts. */
export interface Judgement {
  readonly violations: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

/** Counts pending things: pictures without an outcome, batches, analyses, messages, jobs, journal numbers. */
export async function unfinished(sql: Sql): Promise<number> {
  const [row] = await sql<[{ n: number }]>`
    select (select count(*) from images i where i.status in ('pending', 'deferred'))
      + (select count(*) from batches b where b.status = 'open')
      + (select count(*) from events e where e.kind = 'event' and e.analysis_status = 'pending')
      + (select count(*) from notifications n where n.status = 'waiting' or n.unreached is not null)
      + (select count(*) from webhook_deliveries d where d.status in ('pending', 'retrying'))
      + (select count(*) from journal j where j.sequence is null)
      + (select count(*) from jobs j where j.status <> 'dead') as n`;
  return row.n;
}

/** Waits until every picture in the folder has a row and nothing is pending. */
export async function allDone(rows: Rows, options: { readonly cameraRoot?: string; readonly timeoutMs?: number } = {}): Promise<void> {
  const { cameraRoot, timeoutMs = patienceMs } = options;
  const files = cameraRoot === undefined ? [] : await picturesIn(cameraRoot);
  let last = "";
  const isDone = async (sql: Sql): Promise<boolean> => {
    const open = await unfinished(sql);
    last = `${open} things are on their way`;
    if (open > 0 || files.length === 0) return open === 0;
    await tellOfFiles(sql, files);
    const missing = await withoutRow(sql);
    last = `${missing} files have no row`;
    return missing === 0;
  };
  await eventually(
    async () => {
      if (await lookAt(rows, isDone)) return true;
      await new Promise((resolve) => setTimeout(resolve, 250));
      throw new Error(last);
    },
    { timeoutMs, what: "the end of all work" },
  );
}

/**
 * Checks the invariants from outside when all work is done: acknowledged data is stored, each picture has one outcome, each alert has an
 * end, the journal has no gap, and files, rows and messages agree.
 */
export async function judge(rows: Rows, outside: Outside = {}): Promise<Judgement> {
  const files = outside.cameraRoot === undefined ? undefined : await picturesIn(outside.cameraRoot);
  return await lookAt(rows, async (sql) => {
    if (files) await tellOfFiles(sql, files);
    const violations = [
      ...(await wrongRows(sql)),
      ...(files ? await wrongPictures(sql) : []),
      ...(await forgotten(sql, [...(outside.acknowledged ?? [])])),
      ...(outside.arrived ? await wrongMessages(sql, outside.arrived) : []),
    ];
    const [counted] = await sql<[Record<string, number>]>`
      select (select count(*) from images i) as pictures, (select count(*) from events e where e.kind = 'event') as events,
        (select count(*) from alerts a) as alerts,
        (select count(*) from notifications n where n.status = 'sent')
          + (select count(*) from webhook_deliveries d where d.status = 'success') as messages
    `;
    const repeated = outside.arrived && { "repeated under their id": outside.arrived.length - new Set(outside.arrived).size };
    return { violations, figures: { ...counted, ...repeated } };
  });
}
