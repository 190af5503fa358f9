import type { Clock } from "../../base/clock/clock.ts";
import type { Database, Sql } from "../../platform/database/database.ts";

const ttlMs = 300_000;
const keptAnswers = 200;

interface CachedAnswer {
  /** The version of the data that the answer was computed from. */
  readonly version: string;
  readonly expiresAt: number;
  readonly answer: unknown;
}

/** Answers per database by question, oldest first. They are released with the database. */
const answersOf = new WeakMap<Database, Map<string, CachedAnswer>>();

export interface Question<T> {
  /** Identifies the question with everything it depends on besides the data. */
  readonly key: string;
  /** Reads a text that changes with each change of the data. */
  version(sql: Sql): Promise<string>;
  answer(sql: Sql): Promise<T>;
}

/**
 * Answers a question, from memory if it was asked within the last five minutes and the data has not changed: every commit, of any
 * process, is in the next answer.
 */
export async function answerOnce<T>(question: Question<T>, { db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<T> {
  const answers = answersOf.get(db) ?? new Map<string, CachedAnswer>();
  answersOf.set(db, answers);
  return await db.query(async (sql) => {
    // Read first: a change while the answer is computed then makes the answer stale, never wrongly fresh.
    const version = await question.version(sql);
    const cached = answers.get(question.key);
    if (cached?.version === version && cached.expiresAt > clock.monotonic()) return cached.answer as T;
    const answer = await question.answer(sql);
    answers.delete(question.key);
    answers.set(question.key, { version, expiresAt: clock.monotonic() + ttlMs, answer });
    for (const oldest of answers.keys()) {
      if (answers.size <= keptAnswers) break;
      answers.delete(oldest);
    }
    return answer;
  });
}

/** Returns the version of a roll-up: it changes with each commit that changes its counts. */
export async function rollupVersion(sql: Sql, kind: "detections" | "events"): Promise<string> {
  const [row] = await sql<[{ version: string }]>`
    select v.version
    from rollup_versions v
    where v.kind = ${kind}
  `;
  return row.version;
}
