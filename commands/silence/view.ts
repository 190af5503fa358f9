import { alertsText, scopeText, spanText } from "../../src/alerting/silences/silence.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { ago, exactly, localTime } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

export type Silence = ReplyOf<"getSilence">;

export const silenceView: View<Silence> = {
  plural: "silences",
  fields: fieldsOf("getSilence"),
  id: (silence) => silence.id,
  columns: [
    { title: "ID", keep: true, isId: true, cell: (silence) => ({ text: silence.id }) },
    { title: "STATUS", keep: true, cell: (silence) => ({ text: silence.status, paint: paintOf(silence) }) },
    { title: "SCOPE", cell: (silence) => ({ text: scopeText(silence) }) },
    { title: "SINCE", cell: (silence, terminal) => ({ text: ago(terminal, silence.created_at) }) },
    { title: "UNTIL", keep: true, cell: ({ ended_at, ends_at }) => ({ text: localTime(ended_at ?? ends_at) }) },
    { title: "MUTED", align: "right", cell: (silence) => ({ text: String(silence.held_back) }) },
    { title: "REASON", cell: (silence) => ({ text: silence.reason }) },
  ],
  details: (silence, terminal) => [
    ["silence", { text: silence.id, paint: "bold" }],
    ["status", { text: silence.status, paint: paintOf(silence) }],
    ["scope", { text: scopeText(silence) }],
    ["reason", { text: silence.reason }],
    ...(silence.created_by === null ? [] : [["by", { text: silence.created_by }] as const]),
    ["since", { text: exactly(terminal, silence.created_at) }],
    [
      "until",
      { text: `${localTime(silence.ends_at)}${silence.status === "active" ? ` (in ${spanText(terminal.now, silence.ends_at)})` : ""}` },
    ],
    ...(silence.ended_at === null ? [] : [["ended", { text: endText(silence, exactly(terminal, silence.ended_at)) }] as const]),
    ["muted", { text: alertsText(silence.held_back) }],
  ],
};

function endText({ ended_by }: Silence, at: string): string {
  return ended_by === null ? at : `${at} by ${ended_by}`;
}

function paintOf({ status }: Silence) {
  return status === "active" ? "yellow" : "dim";
}
