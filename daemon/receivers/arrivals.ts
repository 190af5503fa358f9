import { basename, join } from "node:path";
import type { Clock } from "../../src/base/clock/clock.ts";
import { newestVersion, sameContent } from "../../src/monitoring/images/ledger-repository.ts";
import { storeNote } from "../../src/monitoring/receivers/notes-repository.ts";
import type { DeliveryCamera } from "../../src/monitoring/receivers/taker.ts";
import type { Database } from "../../src/platform/database/database.ts";

/** The ledger may be written by another daemon, which sends no hint. */
const askEveryMs = 500;
/** Time for an answer of the database. A camera does not wait longer for something that is only a convenience. */
const answerMs = 2_000;

type Listener = (cameraId: string, paths: readonly string[]) => void;

/** Answers questions about delivered files from the ledger. While the database is away it has no answers, and deliveries go on. */
export class Arrivals {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();

  constructor({ db, clock }: { readonly db: Database; readonly clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Takes pictures that are in the ledger now. */
  registered: Listener = (cameraId, paths) => {
    for (const listener of this.#listeners) listener(cameraId, paths);
  };

  /** Returns the image of one of the cameras with the same content; undefined if there is none. */
  async sameContent(cameraIds: readonly string[], sha256: Buffer): Promise<number | undefined> {
    return await this.#ask(() => this.#db.query((sql) => sameContent(sql, cameraIds, sha256)));
  }

  /** Waits until the ledger has a delivered file, and returns the id of the image; undefined if that takes too long. */
  async imageOf({ folderPath }: DeliveryCamera, path: string, withinMs: number): Promise<number | undefined> {
    // The folder of the camera may be a link
    const paths = [path, join(folderPath, basename(path))];
    const deadline = performance.now() + withinMs;
    let wake = (): void => {};
    const listener: Listener = (_camera, noted) => {
      if (noted.some((one) => paths.includes(one))) wake();
    };
    this.#listeners.add(listener);
    try {
      for (;;) {
        const hint = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const image = await this.#ask(() => this.#db.query((sql) => newestVersion(sql, paths)));
        const leftMs = deadline - performance.now();
        if (image || leftMs <= 0) return image?.id;
        await withTimeout(hint, Math.min(leftMs, askEveryMs));
      }
    } finally {
      this.#listeners.delete(listener);
    }
  }

  /** Stores what the camera said about delivered pictures. The pictures count without it. */
  async note({ cameraId, folderPath }: DeliveryCamera, paths: readonly string[], note: string): Promise<void> {
    const known = paths.map((path) => join(folderPath, basename(path)));
    await this.#ask(() => this.#db.query((sql) => storeNote(sql, { cameraId, paths: known, note }, this.#clock.now())));
  }

  async #ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    return await withTimeout(
      question().catch(() => undefined),
      answerMs,
    );
  }
}

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
