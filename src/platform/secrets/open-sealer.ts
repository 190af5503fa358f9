import type { Log } from "../../base/log/log.ts";
import { Problem } from "../../contract/problem.ts";
import type { Database } from "../database/database.ts";
import { readKey } from "./key-file.ts";
import { countSealed, holdersText } from "./sealed-repository.ts";
import { type OpenSealer, openSealer, type Sealer, sealerOf } from "./sealer.ts";

/** The database with the sealed values, and the file with their key. */
export interface SealerOptions {
  readonly db: Database;
  readonly keyPath: string;
  readonly log: Log;
}

/**
 * Opens the sealer for a database. A missing key file is created only while nothing is sealed: a new key could open none of it. Logs when
 * a part cannot be opened with the present key. From then on the database takes changes of sealed days for those of homesec. Throws `Problem("unavailable")` with the fix if there is no usable key.
 */
export async function openSealerFor({ db, keyPath, log }: SealerOptions): Promise<OpenSealer> {
  const key = readKey(keyPath);
  const sealer = key && sealerOf(key, keyPath);
  const counts = await db.query((sql) => countSealed(sql, sealer?.fingerprint));
  const [sealed, foreign] = [holdersText(counts.sealed), holdersText(counts.foreign)];
  if (sealer === undefined && sealed !== undefined) {
    throw new Problem(
      "unavailable",
      `The key file ${keyPath} is missing, and the database holds secrets of ${sealed} that only it can open; ` +
        `put it back from a backup or from the machine that made it. If it is lost, make a new one with ` +
        `\`(umask 077; head -c 32 /dev/urandom > ${keyPath})\` and enter these secrets again`,
    );
  }
  if (foreign !== undefined) {
    log.error(
      { ...counts.foreign, key_file: keyPath },
      `secrets of ${foreign} were sealed with another key than the one in ${keyPath}: put the right file there and start homesec again, or enter them again`,
    );
  }
  const opened = sealer ?? openSealer(keyPath);
  db.setEvidenceKey(evidenceKey(opened));
  return opened;
}

/** Does the same, but an unusable key is an error only when a caller needs it: for commands, since most do not. */
export async function openSealerLater(options: SealerOptions): Promise<Sealer> {
  try {
    return await openSealerFor(options);
  } catch (error) {
    const refuse = (): never => {
      throw error;
    };
    return { seal: refuse, unseal: refuse, sign: refuse };
  }
}

/**
 * Makes sessions known as those of homesec before anything is migrated, if there is a key file already. A file that cannot be read is left
 * to `openSealerFor`, which says why.
 */
export function tellEvidenceKey({ db, keyPath }: Pick<SealerOptions, "db" | "keyPath">): void {
  try {
    const key = readKey(keyPath);
    if (key) db.setEvidenceKey(evidenceKey(sealerOf(key, keyPath)));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

/** The key by which sessions of homesec hash rows as evidence (migration 0053), hexadecimal. */
export function evidenceKey(sealer: Pick<Sealer, "sign">): string {
  return sealer.sign("evidence", "rows").toString("hex");
}

/** Distinguishes these keys without revealing anything about them: 16 hexadecimal digits. */
export function evidenceKeyId(sealer: Pick<Sealer, "sign">): string {
  return sealer.sign("evidence", "id").toString("hex").slice(0, 16);
}
