import { Problem } from "../../contract/problem.ts";
import { migrationStatus } from "../../platform/database/migrate.ts";
import { NotPossible } from "./check.ts";
import type { Examination, Readable } from "./examination.ts";

/** Reads the migrations of a database once, and gives its rows only to a program that fits its schema. */
export function schemaOf<D extends Readable>(
  database: () => Promise<D>,
): Pick<Examination, "migrations"> & { readonly rows: () => Promise<D> } {
  const migrations = once(async () => {
    const db = await database();
    return await migrationStatus(db).catch((cause: unknown) => notPossible("the database does not answer", cause));
  });
  const rows = once(async () => {
    const { applied, pending, refusal } = await migrations();
    if (applied.length === 0) throw new NotPossible("the database is empty; the first start of homesec creates its tables");
    if (refusal !== null || pending.length > 0) throw new NotPossible("the schema of the database does not fit this program");
    return await database();
  });
  return { migrations, rows };
}

/** Throws `NotPossible` with the message of a `Problem`, or with `reason` for another error. */
export function notPossible(reason: string, cause: unknown): never {
  const words = cause instanceof Problem ? cause.message : reason;
  throw new NotPossible(words, { cause });
}

/** Runs `work` on the first call; all calls share its result. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
