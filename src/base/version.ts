import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the folder that contains package.json, for the sources and for the built program. Throws if there is none. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    try {
      readFileSync(join(folder, "package.json"));
      return folder;
    } catch (cause) {
      const parent = dirname(folder);
      if (parent === folder) throw new Error("homesec is not installed completely: its package.json is missing", { cause });
      folder = parent;
    }
  }
}

/** Returns the version of the program from package.json. */
export function programVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8"));
  return manifest.version;
}

/** Returns the address for reports of faults from package.json. */
export function supportUrl(): string {
  const manifest: { bugs: string } = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8"));
  return manifest.bugs;
}
