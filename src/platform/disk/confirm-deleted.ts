import { opendir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { isGone } from "./files.ts";
import { statWithTimeout } from "./fs-timeout.ts";
import { isInside } from "./inside.ts";

/**
 * What a look at a folder told; `hidden`: nothing. Of an empty one since when it is there, and when something was last put into it or taken
 * out, in ms since 1970.
 */
type Sight = "filled" | "gone" | "hidden" | { readonly bornMs: number; readonly changedMs: number };

/** What was seen of folders, so that each is looked at once for many files. */
export type Sights = Map<string, Promise<Sight>>;

/**
 * Whether a file that is not to be seen was taken away, as far as can be told, rather than that its disk is not mounted now. For this its folder, or
 * the nearest one above that is there, has to have something in it, or to be the very one in which the file was. Nothing above `top`, the folder
 * of its camera, is asked; of a file elsewhere, since the camera has another folder by now, only its own folder. False when in doubt.
 */
export async function confirmDeleted(
  file: { readonly path: string; readonly foundAt: Date },
  top: string,
  sights: Sights = new Map(),
): Promise<boolean> {
  const foundMs = file.foundAt.getTime();
  for (let folder = dirname(file.path); ; folder = dirname(folder)) {
    const isBelow = folder !== top && isInside(top, folder);
    const sight = await seen(folder, sights);
    if (sight === "gone" && isBelow) continue;
    if (typeof sight === "string") return sight === "filled";
    // where a disk is to be mounted is an empty folder, too, but one that was not changed since; one that was made later, or nobody knows when, tells nothing
    return isBelow && sight.bornMs > 0 && sight.bornMs <= foundMs && sight.changedMs > foundMs;
  }
}

function seen(folder: string, sights: Sights): Promise<Sight> {
  let sight = sights.get(folder);
  if (!sight) {
    sight = statWithTimeout(folder, () => look(folder)).catch((error: unknown) => (isGone(error) ? "gone" : "hidden"));
    sights.set(folder, sight);
  }
  return sight;
}

async function look(folder: string): Promise<Sight> {
  const { birthtimeMs: bornMs, mtimeMs: changedMs } = await stat(folder);
  // one entry tells enough, of a hundred thousand as of one
  const entries = await opendir(folder, { bufferSize: 1 });
  try {
    return (await entries.read()) ? "filled" : { bornMs, changedMs };
  } finally {
    await entries.close();
  }
}
