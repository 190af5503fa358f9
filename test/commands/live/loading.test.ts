import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { startBinary } from "../../support/cli.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const folder = temporaryFolder("loading");
afterAll(() => folder.remove());

/** The modules in the files that a run of the built program loads: the bundle names each one at its beginning. */
async function modulesOf(name: string, args: readonly string[]): Promise<string[]> {
  const to = join(folder.path, name);
  await startBinary(args, { cwd: folder.path, env: { NODE_V8_COVERAGE: to } });
  return readdirSync(to).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(to, file), "utf8")) as { readonly result: readonly { readonly url: string }[] };
    const files = result.filter(({ url }) => url.startsWith("file:")).map(({ url }) => readFileSync(new URL(url), "utf8"));
    return files.flatMap((text) => [...text.matchAll(/^\/\/ (\S+\.[cm]?[jt]sx?)$/gm)].map(([, name = ""]) => name));
  });
}

it.each([
  ["--version", "src/base/version.ts"],
  ["--help", "commands/live/live.ts"],
  ["live", "commands/events/follow.ts"],
])("loading: %s loads neither Ink nor React without a screen", async (argument, known) => {
  const modules = await modulesOf(argument, [argument, ...(argument === "live" ? ["--url", "http://127.0.0.1:1"] : [])]);
  expect(modules).toContain(known);
  expect(modules.filter((url) => /node_modules\/(ink|react|yoga-layout)\//.test(url))).toEqual([]);
});
