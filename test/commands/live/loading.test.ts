import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { startBinary } from "../../support/cli.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const folder = temporaryFolder("loading");
afterAll(() => folder.remove());

/** The files that a run of the built program loads. */
async function filesOf(name: string, args: readonly string[]): Promise<string[]> {
  const to = join(folder.path, name);
  await startBinary(args, { cwd: folder.path, env: { NODE_V8_COVERAGE: to } });
  return readdirSync(to).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(to, file), "utf8")) as { readonly result: readonly { readonly url: string }[] };
    return result.map(({ url }) => url);
  });
}

it.each([
  ["--version", "src/base/version.js"],
  ["--help", "commands/live/live.js"],
  ["live", "commands/events/follow.js"],
])("loading: %s loads neither Ink nor React without a screen", async (argument, known) => {
  const files = await filesOf(argument, [argument, ...(argument === "live" ? ["--url", "http://127.0.0.1:1"] : [])]);
  expect(files.some((url) => url.endsWith(known))).toBe(true);
  expect(files.filter((url) => /node_modules\/(ink|react|yoga-layout)\//.test(url))).toEqual([]);
});
