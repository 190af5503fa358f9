import type { HomeNow } from "../../src/admin/mqtt/home.ts";
import { classesOfCameras } from "../../src/admin/mqtt/home-repository.ts";
import { readHome } from "../../src/admin/mqtt/read-home.ts";
import type { OperationContext } from "../../src/work/operations/operation.ts";

/** Reads the home from the database. The classes that cameras have ever seen are read once, and grow with what is seen. */
export class HomeReader {
  readonly #context: Pick<OperationContext, "db">;
  #classes: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(context: Pick<OperationContext, "db">) {
    this.#context = context;
  }

  /** Returns the current state of the home. A class counts as seen for `occupiedMs`. Throws if the database does not reply. */
  async read(occupiedMs: number, now: Date): Promise<HomeNow> {
    const { db } = this.#context;
    const classes = this.#classes ?? new Map((await db.query(classesOfCameras)).map((row) => [row.cameraId, row.classes]));
    const home = await db.query((sql) => readHome(sql, { classes, seenSince: new Date(now.getTime() - occupiedMs), now }));
    this.#classes = new Map(home.cameras.map((camera) => [camera.id, camera.classes]));
    return home;
  }
}
