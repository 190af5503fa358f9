import type { Log } from "../../base/log/log.ts";
import { pluralize } from "../../base/text/pluralize.ts";
import { Problem } from "../../contract/problem.ts";
import type { Database } from "../database/database.ts";
import { readKey } from "./key-file.ts";
import { countSealed } from "./sealed-repository.ts";
import { type OpenSealer, openSealer, type Sealer, sealerOf } from "./sealer.ts";

/** Where the sealed values are, and where their key is. */
export interface SealerOptions {
  readonly db: Database;
  readonly keyPath: string;
  readonly log: Log;
}

/**
 * The sealer for a database. A missing key file is made only while nothing is sealed: with a new key nothing of it could be
 * opened. Says in the log when a part cannot be opened with the key that is there. Throws `Problem("unavailable")` with
 * the remedy when there is no usable key.
 */
export async function openSealerFor({ db, keyPath, log }: SealerOptions): Promise<OpenSealer> {
  const key = readKey(keyPath);
  const sealer = key && sealerOf(key, keyPath);
  const { sealed, foreign } = await db.query((sql) => countSealed(sql, sealer?.fingerprint));
  if (sealer === undefined && sealed > 0) {
    throw new Problem(
      "unavailable",
      `The key file ${keyPath} is missing, and the database holds secrets of ${pluralize(sealed, "webhook")} that only it can open; ` +
        `put it back from a backup or from the machine that made it. If it is lost, make a new one with ` +
        `\`(umask 077; head -c 32 /dev/urandom > ${keyPath})\` and enter these secrets again`,
    );
  }
  if (foreign > 0) {
    log.error(
      { webhooks: foreign, key_file: keyPath },
      `secrets of ${pluralize(foreign, "webhook")} were sealed with another key than the one in ${keyPath}: put the right file there and start homesec again, or enter them again`,
    );
  }
  return sealer ?? openSealer(keyPath);
}

/** The same, but a key that cannot be used is an error only for who needs it: for commands, most of which do not. */
export async function openSealerLater(options: SealerOptions): Promise<Sealer> {
  try {
    return await openSealerFor(options);
  } catch (error) {
    const refuse = (): never => {
      throw error;
    };
    return { seal: refuse, unseal: refuse };
  }
}
