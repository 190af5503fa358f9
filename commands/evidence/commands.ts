import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Command } from "../command.ts";
import { listCommand, recordCommand } from "../command-shapes.ts";
import { idOf, integer } from "../input/options.ts";
import { ago, exactly, localTime } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";
import { checkEvidence } from "./check.ts";
import { createEvidence } from "./create.ts";
import { verifyEvidence } from "./verify.ts";

type Pack = ReplyOf<"listEvidencePacks">["items"][number];
type Key = ReplyOf<"getEvidenceKey">;

const packView: View<Pack> = {
  plural: "evidence packs",
  fields: fieldsOf("listEvidencePacks", "items"),
  id: ({ id }) => id,
  columns: [
    { title: "ID", keep: true, isId: true, cell: ({ id }) => ({ text: id }) },
    { title: "EVENT", keep: true, align: "right", cell: ({ event_id }) => ({ text: String(event_id) }) },
    { title: "CAMERA", cell: ({ camera_id }) => ({ text: camera_id }) },
    {
      title: "STATUS",
      keep: true,
      cell: ({ status }) => ({ text: status.replace("_", " "), paint: status === "complete" ? "green" : "yellow" }),
    },
    { title: "MADE", keep: true, cell: ({ created_at }, terminal) => ({ text: ago(terminal, created_at) }) },
    { title: "BY", cell: ({ created_by }) => ({ text: created_by ?? "" }) },
    { title: "BYTES", align: "right", cell: ({ size_bytes }) => ({ text: String(size_bytes) }) },
    { title: "SHA-256", cell: ({ sha256 }) => ({ text: sha256 ?? "" }) },
  ],
  details: ({ id, event_id, created_at, sha256 }) => [
    ["pack", { text: id, paint: "bold" }],
    ["event", { text: String(event_id) }],
    ["made", { text: localTime(created_at) }],
    ["SHA-256", { text: sha256 ?? "" }],
  ],
};

const keyView: View<Key> = {
  plural: "keys",
  fields: fieldsOf("getEvidenceKey"),
  id: ({ public_key }) => public_key,
  columns: [],
  details: ({ public_key, created_at, earlier_keys }, terminal) => [
    ["public key", { text: public_key, paint: "bold" }],
    ["made", { text: exactly(terminal, created_at) }],
    ...(earlier_keys.length === 0 ? [] : [["earlier", { text: earlier_keys.join(" ") }] as const]),
  ],
};

export const commands: readonly Command[] = [
  createEvidence,
  verifyEvidence,
  checkEvidence,
  listCommand({
    name: "evidence list",
    summary: "List evidence packs that were made, newest first",
    options: {
      event_id: { ...idOf("event", integer("id", 1, Number.MAX_SAFE_INTEGER, "Only packs of this event")), flag: "event" },
    },
    examples: [
      { command: "homesec evidence list", note: "what was handed on, by whom, with its SHA-256" },
      { command: "homesec evidence list --event 42", note: "only the packs of one event" },
    ],
    view: packView,
    page: (io, { options }, page) => io.call("listEvidencePacks", { query: { ...options, ...page } }),
    rows: (body) => body.items,
  }),
  recordCommand({
    name: "evidence key",
    summary: "Show the public key that checks your evidence packs",
    description:
      "Shows the public key of this home. Give it to whoever gets a pack, by another way than the pack: with it they can check that the pack is yours.",
    examples: [
      { command: "homesec evidence key", note: "for homesec evidence verify --key" },
      { command: "homesec evidence key -o id", note: "only the key" },
    ],
    view: keyView,
    record: (io) => io.call("getEvidenceKey", {}),
  }),
];
