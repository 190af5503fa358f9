import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";

const checkout = join(import.meta.dirname, "../..");
const made = new Map<string, Promise<string>>();

/**
 * Makes one JavaScript file of a TypeScript module and what it imports of homesec, for a test that needs it in a separate process. The
 * file lies in `dist/test`, where it finds the packages. Resolves to its path.
 */
export function bundled(path: string): Promise<string> {
  const known = made.get(path) ?? bundle(path);
  made.set(path, known);
  return known;
}

async function bundle(path: string): Promise<string> {
  const build = await rolldown({ input: join(checkout, path), platform: "node", external: /^[^./]/, logLevel: "warn" });
  const { output } = await build.generate({ format: "esm", codeSplitting: false });
  await build.close();
  const folder = join(checkout, "dist/test");
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${path.replaceAll("/", "-").replace(/\.\w+$/, "")}.mjs`);
  // other processes of the tests make the same file
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, output[0].code);
  await rename(draft, file);
  return file;
}
