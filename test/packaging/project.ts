import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");

/** The text of a file of the project. */
export const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** All files below a folder of the project, named from its root, in order. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly bin: { readonly homesec: string };
  readonly files: readonly string[];
}

export const manifest = JSON.parse(read("package.json")) as Manifest;

/** An entry of the lock file. Entries with `dev` are not installed with the package. */
export interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dev?: true;
  readonly optional?: true;
  readonly hasInstallScript?: true;
}

/** Packages that are installed with homesec on any platform, by their path below node_modules. */
export function shippedWith(): ReadonlyMap<string, Locked> {
  const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Locked> };
  return new Map(
    Object.entries(packages)
      .filter(([path, { dev }]) => path !== "" && !dev)
      .map(([path, locked]) => [path.replace(/^node_modules\//, ""), locked]),
  );
}
