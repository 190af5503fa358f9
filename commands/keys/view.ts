import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { ago, exactly, type TerminalFormat } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

export type Key = ReplyOf<"listKeys">["items"][number];

const camerasOf = ({ camera_ids }: Key): string => camera_ids?.join(", ") ?? "all";
const expiryOf = ({ expires_at }: Key, terminal: TerminalFormat): string => (expires_at === null ? "never" : exactly(terminal, expires_at));

export const keyView: View<Key> = {
  plural: "keys",
  fields: fieldsOf("listKeys", "items"),
  id: ({ id }) => id,
  columns: [
    { title: "ID", keep: true, isId: true, cell: ({ id }) => ({ text: id }) },
    { title: "NAME", keep: true, cell: ({ name }) => ({ text: name }) },
    { title: "KIND", keep: true, cell: ({ kind }) => ({ text: kind }) },
    { title: "ROLE", keep: true, cell: ({ role }) => ({ text: role }) },
    { title: "STATUS", keep: true, cell: ({ status }) => ({ text: status, paint: status === "active" ? "green" : "dim" }) },
    { title: "SEEN", cell: ({ last_seen_at }, terminal) => ({ text: ago(terminal, last_seen_at) }) },
    { title: "EXPIRES", cell: (key, terminal) => ({ text: expiryOf(key, terminal) }) },
    { title: "CAMERAS", cell: (key) => ({ text: camerasOf(key) }) },
    { title: "DEVICE", cell: ({ device }) => ({ text: device ?? "" }) },
  ],
  details: (key, terminal) => [
    ["key", { text: key.id, paint: "bold" }],
    ["name", { text: key.name }],
    ["role", { text: key.role }],
    ["cameras", { text: camerasOf(key) }],
    ["created", { text: exactly(terminal, key.created_at) }],
    ["expires", { text: expiryOf(key, terminal) }],
  ],
};

/** Includes the key itself, which is only shown when it is new. */
export const newKeyView: View<ReplyOf<"createKey">> = {
  ...keyView,
  fields: fieldsOf("createKey"),
  details: (key, terminal) => [...keyView.details(key, terminal), ["api key", { text: key.api_key, paint: "bold" }]],
};

/** Includes the address, which is only shown when it is new. */
export const invitationView: View<ReplyOf<"createInvitation">> = {
  ...keyView,
  fields: fieldsOf("createInvitation"),
  details: (key, terminal) => [...keyView.details(key, terminal), ["address", { text: key.url ?? key.path, paint: "bold" }]],
};

/** Who changed what. */
export const changeView: View<ReplyOf<"listChanges">["items"][number]> = {
  plural: "changes",
  fields: fieldsOf("listChanges", "items"),
  id: ({ id }) => String(id),
  columns: [
    { title: "ID", keep: true, isId: true, cell: ({ id }) => ({ text: String(id) }) },
    { title: "TIME", keep: true, cell: ({ at }, terminal) => ({ text: ago(terminal, at) }) },
    { title: "BY", keep: true, cell: ({ by }) => ({ text: by }) },
    { title: "ROLE", cell: ({ role }) => ({ text: role }) },
    { title: "OPERATION", keep: true, cell: ({ operation }) => ({ text: operation }) },
    { title: "SUBJECT", cell: ({ subjects }) => ({ text: subjects.join(", ") }) },
    { title: "SET", cell: ({ fields }) => ({ text: fields.join(", ") }) },
  ],
  details: () => [],
};
