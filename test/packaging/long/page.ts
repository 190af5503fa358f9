import { expect } from "vitest";
import type { Shell } from "./shell.ts";

/** Opens a page with the files it names, and the reference of the API; runs with the Node.js of the shell. Prints what it got. */
const visit = `
  const [, origin] = process.argv;
  const get = async (path) => {
    const response = await fetch(new URL(path, origin));
    return { path, status: response.status, type: response.headers.get("content-type"), text: await response.text() };
  };
  const found = [];
  for (const path of ["/", "/docs", "/openapi.json"]) {
    const page = await get(path);
    found.push(page);
    if (path === "/openapi.json") continue;
    for (const [, name] of page.text.matchAll(/<(?:script|link)[^>]* (?:src|href)="((?!data:)[^"]+)"/g)) found.push(await get(name));
  }
  console.log(JSON.stringify(found.map(({ text, ...rest }) => ({ ...rest, bytes: text.length }))));
`;

interface Got {
  readonly path: string;
  readonly status: number;
  readonly type: string | null;
  readonly bytes: number;
}

/** The web page and the reference of the API are there, with their scripts and styles. */
export async function expectPages(shell: Shell, url: string): Promise<void> {
  const { out, err } = await shell.run("node", ["--input-type=module", "--eval", visit, "--", url]);
  expect(err).toBe("");
  const got = JSON.parse(out) as readonly Got[];
  expect(got.filter(({ status, bytes }) => status !== 200 || bytes === 0)).toEqual([]);
  const count = (type: string): number => got.filter((one) => one.type?.startsWith(type)).length;
  // A single page application answers unknown addresses with its page too, so each address must give its type
  expect([count("text/html"), count("application/json"), count("text/javascript") > 3, count("text/css") > 1]).toEqual([2, 1, true, true]);
}
