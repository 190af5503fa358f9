import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made = new Set<string>();
const removeAll = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 5 });

/** Creates a folder for one test; `remove` it at the end. */
export function temporaryFolder(name = "test"): { readonly path: string; remove(): Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), `homesec-${name}-`));
  made.add(path);
  return { path, remove: () => removeAll(path) };
}

/** Removes all remaining folders of this process. */
export async function removeWhatIsLeft(): Promise<void> {
  for (const path of made) await removeAll(path);
}
