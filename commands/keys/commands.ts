import { generateKey } from "../../src/platform/keys/keyring.ts";
import type { Command } from "../command.ts";
import { rowsCommand } from "../command-shapes.ts";
import { integer, withDefault } from "../input/options.ts";
import { namedKeyCommands } from "./named.ts";

export const commands: readonly Command[] = [
  ...namedKeyCommands,
  rowsCommand({
    name: "keys generate",
    summary: "Generate keys for the API_KEYS setting",
    description:
      "Generates strong random API keys and prints how to use them. Nothing is stored: a key works once it is in API_KEYS of the daemon.",
    options: { count: withDefault(integer("number", 1, 100, "Number of keys; give each person or program its own"), 1) },
    examples: [
      { command: "homesec keys generate", note: "one key with instructions" },
      { command: "homesec keys generate --count 3 -o id", note: "three keys, one per line, without instructions" },
    ],
    view: {
      plural: "keys",
      fields: () => ["api_key"],
      id: ({ api_key }) => api_key,
      columns: [{ title: "API KEY", keep: true, cell: ({ api_key }) => ({ text: api_key }) }],
    },
    body: async (_, { options: { count } }) => Array.from({ length: count }, () => ({ api_key: generateKey() })),
    rows: (keys) => keys,
    after({ output }, keys) {
      if (output.format === "table") output.note(instructions(keys.map(({ api_key }) => api_key)));
    },
  }),
];

function instructions(keys: readonly string[]): string {
  return [
    "",
    "For the daemon: add to its existing keys, for example in .env, and restart it:",
    "  API_KEY_ENABLED=true",
    `  API_KEYS=${JSON.stringify(keys)}`,
    "For commands:",
    `  HOMESEC_API_KEY=${keys[0]}     or --api-key-file with a file that holds it`,
    "For other programs: send it as the X-API-Key header.",
    "A key cannot be shown again. Store it like a password.",
  ].join("\n");
}
