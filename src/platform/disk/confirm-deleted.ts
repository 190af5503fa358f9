import { opendir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { isGone, isInside } from "./files.ts";
import { statWithTimeout } from "./fs-timeout.ts";

/** State of a folder; `hidden` if it cannot be read. An empty folder has its creation time and its last change, in ms since 1970. */
type FolderState = "filled" | "gone" | "hidden" | { readonly bornMs: number; readonly changedMs: number };

/** Known states of folders, so that each is read once for many files. */
export type FolderStates = Map<string, Promise<FolderState>>;

/**
 * Tells whether a missing file was really deleted. Otherwise its disk may just not be mounted, or it is impossible to know. The file counts
 * as deleted if its folder, or the nearest existing one above it, contains something, or is empty but existed before the file was found
 * and has changed since. Folders above `top`, the camera's folder, are not read. If the file lies elsewhere, since the camera has another
 * folder now, only the file's own folder is read.
 */
export async function confirmDeleted(
  file: { readonly path: string; readonly foundAt: Date },
  top: string,
  folderStates: FolderStates = new Map(),
): Promise<boolean> {
  const foundMs = file.foundAt.getTime();
  for (let folder = dirname(file.path); ; folder = dirname(folder)) {
    const isBelow = folder !== top && isInside(top, folder);
    const state = await stateOf(folder, folderStates);
    if (state === "gone" && isBelow) continue;
    if (typeof state === "string") return state === "filled";
    // An empty mount point has not changed since the file was found; a folder created later, or at an unknown time, proves nothing
    return isBelow && state.bornMs > 0 && state.bornMs <= foundMs && state.changedMs > foundMs;
  }
}

function stateOf(folder: string, folderStates: FolderStates): Promise<FolderState> {
  let state = folderStates.get(folder);
  if (!state) {
    state = statWithTimeout(folder, () => readState(folder)).catch((error: unknown) => (isGone(error) ? "gone" : "hidden"));
    folderStates.set(folder, state);
  }
  return state;
}

async function readState(folder: string): Promise<FolderState> {
  const { birthtimeMs: bornMs, mtimeMs: changedMs } = await stat(folder);
  // One entry is enough, however many there are
  const entries = await opendir(folder, { bufferSize: 1 });
  try {
    return (await entries.read()) ? "filled" : { bornMs, changedMs };
  } finally {
    await entries.close();
  }
}
