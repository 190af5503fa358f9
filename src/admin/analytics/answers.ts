import type { Clock } from "../../base/clock/clock.ts";
import type { Database, Sql } from "../../platform/database/database.ts";

const keptMs = 300_000;
const keptAnswers = 200;

interface KeptAnswer {
  /** What the data it was made from looked like. */
  readonly version: string;
  readonly keptUntil: number;
  readonly answer: unknown;
}

/** For each database, answers by what was asked, oldest first. They go with the database. */
const answersOf = new WeakMap<Database, Map<string, KeptAnswer>>();

export interface Question<T> {
  /** Names the question with all that it depends on besides the data. */
  readonly key: string;
  /** Reads a text that is another one after each change of the data. */
  version(sql: Sql): Promise<string>;
  answer(sql: Sql): Promise<T>;
}

/**
 * Answers a question, from memory when it was asked within the last five minutes and the data have not changed since:
 * what has been committed, by whatever process, is in the next answer.
 */
export async function answerOnce<T>(question: Question<T>, { db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<T> {
  const answers = answersOf.get(db) ?? new Map<string, KeptAnswer>();
  answersOf.set(db, answers);
  return await db.query(async (sql) => {
    // read first: what changes while the answer is made then makes it old, never new
    const version = await question.version(sql);
    const kept = answers.get(question.key);
    if (kept?.version === version && kept.keptUntil > clock.monotonic()) return kept.answer as T;
    const answer = await question.answer(sql);
    answers.delete(question.key);
    answers.set(question.key, { version, keptUntil: clock.monotonic() + keptMs, answer });
    for (const oldest of answers.keys()) {
      if (answers.size <= keptAnswers) break;
      answers.delete(oldest);
    }
    return answer;
  });
}

/** The version of a roll-up: it changes with each commit that changes what the roll-up counts. */
export async function rollupVersion(sql: Sql, kind: "detections" | "events"): Promise<string> {
  const [row] = await sql<[{ version: string }]>`
    select v.version
    from rollup_versions v
    where v.kind = ${kind}
  `;
  return row.version;
}
