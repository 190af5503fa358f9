import { generateKey } from "../../src/platform/keys/generate.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { integer, withDefault } from "../input/options.ts";
import { printRows } from "../output/output.ts";
import type { RowView } from "../output/view.ts";

interface NewKey {
  readonly api_key: string;
}

const view: RowView<NewKey> = {
  plural: "keys",
  fields: ["api_key"],
  id: ({ api_key }) => api_key,
  columns: [{ title: "API KEY", keep: true, cell: ({ api_key }) => ({ text: api_key }) }],
};

export const generateKeys = defineCommand({
  name: "keys generate",
  summary: "Make new API keys",
  description:
    "Makes strong random API keys and says how to use them. Nothing is stored: a key is valid once it is in API_KEYS of the daemon.",
  options: { count: withDefault(integer("number", 1, 100, "How many; one for each person or program can be taken away alone"), 1) },
  examples: [
    { command: "homesec keys generate", note: "one key, and what to do with it" },
    { command: "homesec keys generate --count 3 -o id", note: "three keys, one a line, and nothing else" },
  ],
  prints: () => view,
  async run({ options: { count } }, io) {
    const keys = Array.from({ length: count }, (): NewKey => ({ api_key: generateKey() }));
    await printRows(io.output, keys, view, keys);
    if (io.output.format === "table") {
      io.output.note(instructions(keys.map(({ api_key }) => api_key)));
    }
    return exitCodes.ok;
  },
});

function instructions(keys: readonly string[]): string {
  return [
    "",
    "For the daemon, beside the keys that are there already (in .env, for one); then start it again:",
    "  API_KEY_ENABLED=true",
    `  API_KEYS=${JSON.stringify(keys)}`,
    "For commands:",
    `  HOMESEC_API_KEY=${keys[0]}     or --api-key-file with a file that holds it`,
    "For other programs: the header X-API-Key with each request.",
    "Nobody can look a key up again: keep it like a password.",
  ].join("\n");
}
