import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { ago, exactly, localTime } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

type Share = ReplyOf<"listShares">["items"][number];

const eventOf = ({ event_id }: Share): string => (event_id === null ? "deleted" : String(event_id));
const paintOf = ({ status }: Share) => (status === "active" ? "green" : "dim");

export const shareView: View<Share> = {
  plural: "shares",
  fields: fieldsOf("listShares", "items"),
  id: ({ id }) => id,
  columns: [
    { title: "ID", keep: true, isId: true, cell: ({ id }) => ({ text: id }) },
    { title: "EVENT", keep: true, align: "right", cell: (share) => ({ text: eventOf(share) }) },
    { title: "STATUS", keep: true, cell: (share) => ({ text: share.status, paint: paintOf(share) }) },
    { title: "UNTIL", keep: true, cell: ({ ended_at, expires_at }) => ({ text: localTime(ended_at ?? expires_at) }) },
    { title: "VIEWS", align: "right", cell: ({ view_count }) => ({ text: String(view_count) }) },
    { title: "LAST VIEW", cell: ({ last_viewed_at }, terminal) => ({ text: ago(terminal, last_viewed_at) }) },
    { title: "BY", cell: ({ created_by }) => ({ text: created_by ?? "" }) },
  ],
  details: (share, terminal) => [
    ["share", { text: share.id, paint: "bold" }],
    ["event", { text: eventOf(share) }],
    ["until", { text: exactly(terminal, share.expires_at) }],
  ],
};

/** Includes the address, which is only shown when it is new. */
export const newShareView: View<ReplyOf<"createShare">> = {
  ...shareView,
  fields: fieldsOf("createShare"),
  details: (share, terminal) => [...shareView.details(share, terminal), ["address", { text: share.url ?? share.path, paint: "bold" }]],
};
