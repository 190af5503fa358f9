import { nearest } from "../../src/platform/config/nearest.ts";

/** Words from other programs and their names here; the first known one counts. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  ls: ["list"],
  all: ["list"],
  get: ["show", "list"],
  describe: ["show"],
  info: ["show", "status"],
  view: ["show"],
  find: ["search"],
  rm: ["remove", "delete", "purge"],
  del: ["delete", "remove"],
  delete: ["remove", "purge"],
  remove: ["delete", "purge"],
  create: ["add", "generate"],
  new: ["add", "generate"],
  set: ["update", "config"],
  change: ["update", "edit"],
  modify: ["update", "edit"],
  edit: ["update"],
  update: ["edit", "set"],
  on: ["enable"],
  off: ["disable"],
  start: ["enable", "serve", "since"],
  run: ["serve"],
  stop: ["disable"],
  acknowledge: ["ack"],
  close: ["dismiss", "reset"],
  watch: ["tail", "live"],
  follow: ["tail"],
  logs: ["tail"],
  retry: ["requeue"],
  save: ["backup", "export"],
  dump: ["backup"],
  image: ["snapshot", "picture"],
  picture: ["snapshot", "image"],
  snapshot: ["picture", "image"],
  status: ["health"],
  check: ["validate", "doctor", "health"],
  why: ["explain"],
  // Options
  from: ["since"],
  after: ["since"],
  to: ["until"],
  end: ["until"],
  before: ["until"],
};

/** The known command or option (without dashes) that a mistyped word means: a typo, a prefix or a synonym. */
export function suggestion(typed: string, known: readonly string[]): string | undefined {
  const word = typed.toLowerCase();
  const named = (Object.hasOwn(synonyms, word) ? (synonyms[word] ?? []) : []).find((other) => known.includes(other));
  const begun = word.length < 3 ? [] : known.filter((other) => other.startsWith(word));
  return named ?? nearest(word, known) ?? (begun.length === 1 ? begun[0] : undefined);
}
