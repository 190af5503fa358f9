import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that holds package.json: the same from the sources and from the built program. Throws outside of a package. */
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

/** The version of the program, as in package.json. */
export function programVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8"));
  return manifest.version;
}
