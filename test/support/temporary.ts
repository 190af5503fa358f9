import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder for one test; `remove` it at the end. */
export function temporaryFolder(name = "test"): { readonly path: string; remove(): Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), `homesec-${name}-`));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
